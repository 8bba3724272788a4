// What a change reaches and where a column comes from: the rules of governance/impact/walk.py and governance/trace.py,
// over typed arrays. A state is a field or a dataset and how it is touched; each is visited once, nearest first.
import { each, related } from './model.js';

const VALUE = 0;
const POPULATION = 1;
const UNKNOWN = 2;
const ROWS = 0;

/** How strongly a walk lights an edge or flow: an entry of `edges` and `flows` in what `reach` returns. */
export const LIT = { none: 0, value: 1, population: 2, unknown: 3 };

/** All that `start` ({dataset, field: index or null}) reaches.
 *
 * options: {direction: 'down' | 'up' | 'both', depth: hops or null, hideIndirect: value only, kinds: Set of the kinds'
 * indices to walk over, or null for all}. Answers {start, direction, values, population, unknown (Sets of field ids),
 * tables, unknownTables (Sets of datasets), upValues, upPopulation, upTables, upUnknownTables, edges, flows (how each
 * edge and flow of the graph is lit), hops(field id): its distance, or null}. What was asked for is in no set. */
export function reach(graph, start, options) {
  const { direction, depth = null, hideIndirect = false, kinds = null } = options;
  const allowed = allowedKinds(graph.doc, hideIndirect, kinds);
  const limit = { depth: depth ?? Infinity, rows: !hideIndirect, allowed };
  const down = direction === 'up' ? nothing(graph) : downstream(graph, start, limit);
  const up = direction === 'down' ? nothing(graph) : upstream(graph, start, limit);
  return {
    start, direction,
    values: down.values, population: down.population, unknown: down.unknown,
    tables: down.tables, unknownTables: down.unknownTables,
    upValues: up.values, upPopulation: up.population, upTables: up.tables, upUnknownTables: up.unknownTables,
    edges: strongest(down.edges, up.edges), flows: strongest(down.flows, up.flows),
    hops: (id) => hopsTo(id, up.distance, down.distance),
  };
}

function allowedKinds(doc, hideIndirect, kinds) {
  return Uint8Array.from(doc.direct, (direct, k) => ((direct || !hideIndirect) && (!kinds || kinds.has(k)) ? 1 : 0));
}

function strongest(one, other) {
  for (let i = 0; i < one.length; i += 1) if (other[i] && (!one[i] || other[i] < one[i])) one[i] = other[i];
  return one;
}

function nothing(graph) {
  return new Walk(graph, Infinity).answer(null);
}

/** The states seen, their distances and the queue of those to walk from. */
class Walk {
  constructor(graph, depth) {
    const tables = graph.doc.datasets.length;
    this.graph = graph;
    this.depth = depth;
    this.rowsAt = 3 * graph.doc.fieldCount;
    this.distance = new Int32Array(this.rowsAt + 2 * tables).fill(-1);
    this.queue = new Int32Array(this.distance.length);
    this.length = 0;
    this.edges = new Uint8Array(graph.source.length);
    this.flows = new Uint8Array(graph.flowSource.length);
  }

  /** Sees a field (touch VALUE … UNKNOWN); false where it was seen before. */
  field(id, touch, distance) {
    return this.see(3 * id + touch, distance);
  }

  /** Sees a dataset's rows, or the dataset as UNKNOWN. */
  table(dataset, touch, distance) {
    return this.see(this.rowsAt + 2 * dataset + (touch === ROWS ? 0 : 1), distance);
  }

  see(state, distance) {
    if (this.distance[state] >= 0 || distance > this.depth) return false;
    this.distance[state] = distance;
    this.queue[this.length++] = state;
    return true;
  }

  edge(e, lit, distance) {
    if (distance <= this.depth && (!this.edges[e] || lit < this.edges[e])) this.edges[e] = lit;
  }

  flow(f, lit, distance) {
    if (distance <= this.depth && (!this.flows[f] || lit < this.flows[f])) this.flows[f] = lit;
  }

  run(fromField, fromTable) {
    for (let i = 0; i < this.length; i += 1) {
      const state = this.queue[i];
      const next = this.distance[state] + 1;
      if (state < this.rowsAt) fromField(Math.floor(state / 3), state % 3, next);
      else fromTable((state - this.rowsAt) >> 1, (state - this.rowsAt) & 1 ? UNKNOWN : ROWS, next);
    }
    return this;
  }

  /** The states as sets, each thing under its strongest word, without what was asked for. */
  answer(start) {
    const found = { values: new Set(), population: new Set(), unknown: new Set() };
    const tables = { tables: new Set(), unknownTables: new Set() };
    const sets = [found.values, found.population, found.unknown];
    const [first, last] = start ? ownRange(this.graph.doc, start) : [0, 0];
    const { distance, rowsAt } = this;
    for (let i = 0; i < this.length; i += 1) {
      const state = this.queue[i];
      if (state >= rowsAt) {
        const dataset = (state - rowsAt) >> 1;
        const known = (state - rowsAt) & 1 ? tables.unknownTables : tables.tables;
        if (dataset !== start.dataset || start.field !== null) known.add(dataset);
        continue;
      }
      const touch = state % 3;
      const id = (state - touch) / 3;
      const stronger = (touch > VALUE && distance[3 * id] >= 0) || (touch > POPULATION && distance[3 * id + 1] >= 0);
      if (!stronger && (id < first || id >= last)) sets[touch].add(id);
    }
    return { ...found, ...tables, distance, edges: this.edges, flows: this.flows };
  }
}

/** The ids of what was asked for: from the first up to the last. */
function ownRange({ firstField }, { dataset, field }) {
  if (field === null) return [firstField[dataset], firstField[dataset + 1]];
  return [firstField[dataset] + field, firstField[dataset] + field + 1];
}

function eachPresent(graph, dataset, visit) {
  const { firstField } = graph.doc;
  for (let id = firstField[dataset]; id < firstField[dataset + 1]; id += 1) if (graph.present[id]) visit(id);
}

/** The fewest hops to a field in either direction; null where it was not reached. */
function hopsTo(id, up, down) {
  let fewest = -1;
  for (let state = 3 * id; state < 3 * id + 3; state += 1) {
    if (down[state] >= 0 && (fewest < 0 || down[state] < fewest)) fewest = down[state];
    if (up[state] >= 0 && (fewest < 0 || up[state] < fewest)) fewest = up[state];
  }
  return fewest < 0 ? null : fewest;
}

function downstream(graph, start, { depth, rows, allowed }) {
  const { doc } = graph;
  const walk = new Walk(graph, depth);
  const seeField = (id, touch, at) => {
    // a column's members change along with it
    if (walk.field(id, touch, at) && doc.inner.has(id)) doc.inner.get(id).forEach((it) => walk.field(it, touch, at));
  };
  const seeRows = (dataset, at) => {
    if (!walk.table(dataset, ROWS, at)) return;
    eachPresent(graph, dataset, (id) => walk.field(id, POPULATION, at));
  };
  const seeUntold = (f, at) => {
    const write = graph.writes[graph.flowWrite[f]];
    if (!write.traced) walk.table(write.dataset, UNKNOWN, at);
    else for (const id of write.gaps) seeField(id, UNKNOWN, at);
    walk.flow(f, LIT.unknown, at);
  };
  const over = (e, touch, at) => {
    const target = graph.target[e];
    const dataset = graph.into[e];
    const direct = doc.direct[graph.kind[e]];
    if (touch === UNKNOWN) {
      if (target < 0) walk.table(dataset, UNKNOWN, at); else seeField(target, UNKNOWN, at);
    } else if (target < 0) seeRows(dataset, at);
    else seeField(target, direct ? touch : POPULATION, at);
    walk.edge(e, touch === UNKNOWN ? LIT.unknown : direct && touch === VALUE ? LIT.value : LIT.population, at);
  };
  seeStart(graph, walk, start, rows);
  const read = (id, touch, at) => {
    const { start: first, list } = graph.edgesFrom;
    for (let i = first[id]; i < first[id + 1]; i += 1) if (allowed[graph.kind[list[i]]]) over(list[i], touch, at);
  };
  return walk.run((id, touch, at) => {
    read(id, touch, at);
    for (const source of related(doc, id)) read(source, touch, at);
    each(graph.untoldFrom, doc.datasetOf[id], (f) => seeUntold(f, at));
  }, (dataset, touch, at) => each(graph.flowsFrom, dataset, (f) => {
    if (touch === UNKNOWN) {
      walk.table(graph.flowTarget[f], UNKNOWN, at);
      walk.flow(f, LIT.unknown, at);
    } else {
      seeRows(graph.flowTarget[f], at);
      if (graph.flowUntold[f]) seeUntold(f, at);
      walk.flow(f, LIT.population, at);
    }
  })).answer(start);
}

/** Where a walk down begins: a column by value; a dataset by its rows and each of its columns. */
function seeStart(graph, walk, { dataset, field }, rows) {
  if (field !== null) {
    walk.field(graph.doc.firstField[dataset] + field, VALUE, 0);
    return;
  }
  if (rows) walk.table(dataset, ROWS, 0);
  eachPresent(graph, dataset, (id) => walk.field(id, VALUE, 0));
}

function upstream(graph, start, { depth, rows, allowed }) {
  const { doc } = graph;
  const walk = new Walk(graph, depth);
  const seeRows = (dataset, at) => { if (rows) walk.table(dataset, ROWS, at); };
  const seeField = (id, touch, at) => {
    // what shapes the rows of its table shapes it
    if (walk.field(id, touch, at) && graph.written[doc.datasetOf[id]]) seeRows(doc.datasetOf[id], at);
  };
  const over = (e, touch, at) => {
    const byValue = touch === VALUE && doc.direct[graph.kind[e]];
    seeField(graph.source[e], byValue ? VALUE : POPULATION, at);
    walk.edge(e, byValue ? LIT.value : LIT.population, at);
  };
  const written = (id, touch, at) => {
    const { start: first, list } = graph.edgesInto;
    for (let i = first[id]; i < first[id + 1]; i += 1) if (allowed[graph.kind[list[i]]]) over(list[i], touch, at);
  };
  const fromField = (id, touch, at) => {
    written(id, touch, at);
    for (const target of related(doc, id)) written(target, touch, at);
    each(graph.untoldInto, doc.datasetOf[id], (f) => {
      const write = graph.writes[graph.flowWrite[f]];
      if (write.traced && !write.gaps.includes(id)) return;
      walk.table(graph.flowSource[f], UNKNOWN, at);
      seeRows(graph.flowSource[f], at);
      walk.flow(f, LIT.unknown, at);
    });
  };
  const fromRows = (dataset, touch, at) => {
    if (touch === UNKNOWN) return;
    const shaping = new Set();
    each(graph.rowEdgesInto, dataset, (e) => {
      shaping.add(doc.datasetOf[graph.source[e]]);
      if (allowed[graph.kind[e]]) over(e, POPULATION, at);
    });
    each(graph.flowsInto, dataset, (f) => {
      if (shaping.has(graph.flowSource[f])) return;
      seeRows(graph.flowSource[f], at);
      walk.flow(f, LIT.population, at);
    });
  };
  const { dataset, field } = start;
  if (field === null) {
    seeRows(dataset, 0);
    eachPresent(graph, dataset, (id) => seeField(id, VALUE, 0));
  } else seeField(doc.firstField[dataset] + field, VALUE, 0);
  return walk.run(fromField, fromRows).answer(start);
}
