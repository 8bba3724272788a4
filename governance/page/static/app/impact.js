// What a change reaches, in the form of `headwater impact --format json`; the paths are the shortest over what is lit.
import { each, placeOf, related } from './model.js';
import { counting } from './dom.js';
import { directionOf } from './state.js';
import { LIT, reach } from './walk.js';

/** The answer for the page's selection, with the depth and the kinds that are chosen. */
export function impactOf(page) {
  const { selected, mode, ...options } = page.store.get();
  const result = mode === 'trace' || directionOf(mode) === 'both' ? reach(page.graph, selected, { ...options, direction: 'down' }) : page.result;
  const listed = (touch, fields, datasets) => {
    const came = pathsOf(page.graph, result, LIT[touch]);
    const entries = [...[...fields].map((id) => ({ id, dataset: page.doc.datasetOf[id] })), ...[...datasets].map((dataset) => ({ dataset }))];
    return entries.map((it) => entryOf(page, result, came, it, LIT[touch])).sort(nearest);
  };
  const answer = {
    start: plainName(page.doc, selected),
    values: listed('value', result.values, []), population: listed('population', result.population, []),
    tables: listed('population', [], result.tables), unknown: listed('unknown', result.unknown, result.unknownTables),
  };
  const tables = new Set(Object.values(answer).flatMap((it) => (Array.isArray(it) ? it.map((entry) => `${entry.namespace}/${entry.dataset}`) : [])));
  return {
    ...answer, downstream: derivedFrom(page, selected.dataset), change: null,
    statement: tables.size ? `${counting(tables.size, 'table')} reached, among the runs whose events were read`
      : 'no consumers found among these sources over this window',
  };
}

function nearest(a, b) {
  const [one, other] = [a.field ?? a.dataset, b.field ?? b.dataset];
  return a.distance - b.distance || (one < other ? -1 : one > other ? 1 : 0);
}

function plainName(doc, { dataset, field }) {
  const { name, fields } = doc.datasets[dataset];
  return field === null ? name : `${name}.${fields[field].name}`;
}

const rowsKey = (dataset) => `rows ${dataset}`;

/** How each thing was first arrived at over what is lit as strongly as `most`: key (a field id, or rows) → {from, edge, flow}. */
function pathsOf(graph, result, most) {
  const { dataset, field } = result.start;
  const first = graph.doc.firstField[dataset];
  const starts = field === null ? [rowsKey(dataset), ...graph.doc.datasets[dataset].fields.map((_, i) => first + i)] : [first + field];
  const came = new Map(starts.map((key) => [key, null]));
  const queue = [...starts];
  const see = (key, hop) => {
    if (came.has(key)) return;
    came.set(key, hop);
    queue.push(key);
  };
  const lit = (it) => it !== LIT.none && it <= most;
  for (let i = 0; i < queue.length; i += 1) stepsFrom(graph, result, queue[i], lit, see);
  return came;
}

function stepsFrom(graph, result, key, lit, see) {
  const { doc } = graph;
  const isRows = typeof key === 'string';
  const dataset = isRows ? Number(key.slice(5)) : doc.datasetOf[key];
  each(graph.flowsFrom, dataset, (flow) => {
    const untold = result.flows[flow] === LIT.unknown;
    if (lit(result.flows[flow]) && (isRows || untold)) {
      see(rowsKey(graph.flowTarget[flow]), { from: key, flow });
      for (const gap of graph.writes[graph.flowWrite[flow]].gaps) see(gap, { from: key, flow });
    }
  });
  if (isRows) return;
  for (const source of [key, ...related(doc, key)]) {
    each(graph.edgesFrom, source, (edge) => {
      if (!lit(result.edges[edge])) return;
      const target = graph.target[edge];
      see(target < 0 ? rowsKey(graph.into[edge]) : target, { from: key, edge });
      // a column's members change along with it
      for (const member of doc.inner.get(target) ?? []) see(member, { from: key, edge });
    });
  }
}

function entryOf(page, result, came, { id, dataset }, touch) {
  const { graph, doc } = page;
  const path = [];
  // columns that change with their rows are reached as those are
  let hop = came.get(came.has(id) ? id : rowsKey(dataset));
  for (; hop; hop = came.get(hop.from)) path.unshift(hopOf(graph, hop));
  const by = arriving(graph, result, id, dataset, touch);
  return {
    ...(id === undefined ? {} : { field: plainName(doc, placeOf(doc, id)) }),
    dataset: doc.datasets[dataset].name, namespace: doc.datasets[dataset].namespace, distance: path.length,
    edges: [...new Set(by.map((it) => it.how))].sort(), learned: [...new Set(by.map((it) => it.learned))].sort(),
    stale: doc.datasets[dataset].stale, path,
  };
}

/** The lit hops that arrive at a field, or at a dataset's rows, with the touch that is asked for. */
function arriving(graph, result, id, dataset, touch) {
  const hops = [];
  if (id !== undefined) each(graph.edgesInto, id, (edge) => { if (result.edges[edge] && result.edges[edge] <= touch) hops.push(hopOf(graph, { edge })); });
  if (touch === LIT.value) return hops;
  each(graph.rowEdgesInto, dataset, (edge) => { if (result.edges[edge] && result.edges[edge] <= touch) hops.push(hopOf(graph, { edge })); });
  each(graph.flowsInto, dataset, (flow) => { if (result.flows[flow] && result.flows[flow] <= touch) hops.push(hopOf(graph, { flow })); });
  return hops;
}

function hopOf(graph, { edge, flow }) {
  const { doc } = graph;
  const write = graph.writes[edge === undefined ? graph.flowWrite[flow] : graph.write[edge]];
  const said = { job: write.job, run: write.run, learned: write.learned, confirmed: write.at };
  if (edge === undefined) {
    return { from: doc.datasets[graph.flowSource[flow]].name, to: doc.datasets[graph.flowTarget[flow]].name, how: write.traced ? 'ROWS' : 'NO COLUMN LINEAGE', ...said };
  }
  const target = graph.target[edge];
  return {
    from: plainName(doc, placeOf(doc, graph.source[edge])),
    to: target < 0 ? doc.datasets[graph.into[edge]].name : plainName(doc, placeOf(doc, target)), how: doc.kinds[graph.kind[edge]], ...said,
  };
}

/** Every table that a job derives from a dataset, directly or not. */
function derivedFrom({ doc, graph }, start) {
  const seen = new Set([start]);
  for (const d of seen) each(graph.flowsFrom, d, (f) => seen.add(graph.flowTarget[f]));
  seen.delete(start);
  return [...seen].sort((a, b) => a - b).map((d) => ({ dataset: doc.datasets[d].name, namespace: doc.datasets[d].namespace }));
}
