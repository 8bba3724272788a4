// What a change reaches, in the form of `headwater impact --format json`; the paths are the shortest over what is lit.
import { changing, each, placeOf, related } from './model.js';
import { counting } from './dom.js';
import { directionOf } from './state.js';
import { LIT, reach } from './walk.js';

/** The answer for the page's selection, with the depth and the kinds that are chosen. */
export function impactOf(page) {
  const { selected, mode, ...options } = page.store.get();
  const result =
    mode === 'trace' || directionOf(mode) === 'both'
      ? reach(page.graph, selected, { ...options, direction: 'down' })
      : page.result;
  const listed = (touch, fields, datasets) => {
    const came = pathsOf(page.graph, result, LIT[touch]);
    const entries = [
      ...[...fields].map((id) => ({ id, dataset: page.doc.datasetOf[id] })),
      ...[...datasets].map((dataset) => ({ dataset })),
    ];
    return entries.map((it) => entryOf(page, result, came, it, LIT[touch])).sort(nearest);
  };
  const answer = {
    start: plainName(page.doc, selected),
    values: listed('value', result.values, []),
    population: listed('population', result.population, []),
    tables: listed('population', [], result.tables),
    unknown: listed('unknown', result.unknown, result.unknownTables),
  };
  const tables = new Set(
    Object.values(answer).flatMap((it) =>
      Array.isArray(it) ? it.map((entry) => `${entry.namespace}/${entry.dataset}`) : [],
    ),
  );
  return {
    ...answer,
    downstream: derivedFrom(page, result.own),
    kinds: result.own.slice(1).map((d) => page.doc.datasets[d].name),
    change: null,
    statement: tables.size
      ? `${counting(tables.size, 'table')} reached, among the runs whose events were read`
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

/** A state on the way, as a key: a field or a dataset's rows, and whether it is reached as unknown. */
function keyAt({ id, rows, unknown = false }) {
  return `${unknown ? 'unknown ' : ''}${id === undefined ? `rows ${rows}` : id}`;
}

/** How each state is first arrived at over what is lit as strongly as `most`: {came: key → {from: key, hop}, or null where
 * it began; arrived: key → all hops into a state that is unknown}. */
function pathsOf(graph, result, most) {
  const { dataset, field } = result.start;
  const fieldsOf = (d) =>
    Array.from({ length: graph.doc.firstField[d + 1] - graph.doc.firstField[d] }, (_, i) => ({
      id: graph.doc.firstField[d] + i,
    }));
  const starts =
    field === null
      ? changing(graph.doc, result.start).flatMap((rows) => [{ rows }, ...fieldsOf(rows)])
      : [{ id: graph.doc.firstField[dataset] + field }];
  const came = new Map(starts.map((state) => [keyAt(state), null]));
  const arrived = new Map();
  const queue = [...starts];
  const see = (from, state, hop) => {
    const key = keyAt(state);
    if (state.unknown) arrived.set(key, [...(arrived.get(key) ?? []), hop]);
    if (came.has(key)) return;
    // what changes along stands as near: a table's columns with its rows, a column's members with it
    const along =
      state.id === undefined
        ? state.unknown
          ? []
          : fieldsOf(state.rows)
        : (graph.doc.inner.get(state.id) ?? []).map((id) => ({ ...state, id }));
    for (const it of [state, ...along]) {
      if (came.has(keyAt(it))) continue;
      came.set(keyAt(it), { from: keyAt(from), hop });
      queue.push(it);
    }
  };
  for (let i = 0; i < queue.length; i += 1) stepsFrom(graph, result, queue[i], most, see);
  return { came, arrived };
}

function stepsFrom(graph, result, from, most, see) {
  const { doc } = graph;
  const isRows = from.id === undefined;
  const lit = (how) => how !== LIT.none && how <= most;
  each(graph.flowsFrom, isRows ? from.rows : doc.datasetOf[from.id], (flow) => {
    if (!lit(result.flows[flow])) return;
    const rows = graph.flowTarget[flow];
    const write = graph.writes[graph.flowWrite[flow]];
    if (isRows) see(from, { rows, unknown: from.unknown }, { flow });
    if (most < LIT.unknown || (isRows && from.unknown)) return;
    if (!write.traced) see(from, { rows, unknown: true }, { flow });
    else for (const id of write.gaps) see(from, { id, unknown: true }, { flow });
  });
  if (isRows) return;
  for (const source of [from.id, ...related(doc, from.id)]) {
    each(graph.edgesFrom, source, (edge) => {
      if (!lit(result.edges[edge]) || (!from.unknown && result.edges[edge] === LIT.unknown)) return;
      const to = graph.target[edge] < 0 ? { rows: graph.into[edge] } : { id: graph.target[edge] };
      see(from, { ...to, unknown: from.unknown }, { edge });
    });
  }
}

function entryOf(page, result, { came, arrived }, { id, dataset }, touch) {
  const { graph, doc } = page;
  const unknown = touch === LIT.unknown;
  const key = keyAt({ id, rows: dataset, unknown });
  const path = [];
  for (let step = came.get(key); step; step = came.get(step.from)) path.unshift(hopOf(graph, step.hop));
  const by = (unknown ? (arrived.get(key) ?? []) : arriving(graph, result, id, dataset, touch)).map((hop) =>
    hopOf(graph, hop),
  );
  return {
    ...(id === undefined ? {} : { field: plainName(doc, placeOf(doc, id)) }),
    dataset: doc.datasets[dataset].name,
    namespace: doc.datasets[dataset].namespace,
    distance: path.length,
    edges: [...new Set(by.map((it) => it.how))].sort(),
    learned: [...new Set(by.map((it) => it.learned))].sort(),
    stale: doc.datasets[dataset].stale,
    path,
  };
}

/** The lit hops that arrive at a field by value or population, or at a dataset's rows. */
function arriving(graph, result, id, dataset, touch) {
  const hops = [];
  const lit = (how) => how !== LIT.none && how <= touch;
  if (id !== undefined)
    each(graph.edgesInto, id, (edge) => {
      if (lit(result.edges[edge])) hops.push({ edge });
    });
  if (touch === LIT.value) return hops;
  each(graph.rowEdgesInto, dataset, (edge) => {
    if (lit(result.edges[edge])) hops.push({ edge });
  });
  each(graph.flowsInto, dataset, (flow) => {
    if (lit(result.flows[flow])) hops.push({ flow });
  });
  return hops;
}

function hopOf(graph, { edge, flow }) {
  const { doc } = graph;
  const write = graph.writes[edge === undefined ? graph.flowWrite[flow] : graph.write[edge]];
  const said = { job: write.job, run: write.run, learned: write.learned, confirmed: write.at };
  if (edge === undefined) {
    return {
      from: doc.datasets[graph.flowSource[flow]].name,
      to: doc.datasets[graph.flowTarget[flow]].name,
      how: write.traced ? 'ROWS' : 'NO COLUMN LINEAGE',
      ...said,
    };
  }
  const target = graph.target[edge];
  return {
    from: plainName(doc, placeOf(doc, graph.source[edge])),
    to: target < 0 ? doc.datasets[graph.into[edge]].name : plainName(doc, placeOf(doc, target)),
    how: doc.kinds[graph.kind[edge]],
    ...said,
  };
}

/** Every table that a job derives from one of some datasets, directly or not. */
function derivedFrom({ doc, graph }, starts) {
  const seen = new Set(starts);
  for (const d of seen) each(graph.flowsFrom, d, (f) => seen.add(graph.flowTarget[f]));
  for (const d of starts) seen.delete(d);
  return [...seen]
    .sort((a, b) => a - b)
    .map((d) => ({ dataset: doc.datasets[d].name, namespace: doc.datasets[d].namespace }));
}
