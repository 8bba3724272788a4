// What a change reaches and where a column comes from: the rules of governance/impact/walk.py and governance/trace.py,
// over typed arrays. A state is a field or a dataset and how it is touched; each is visited once, nearest first.
import { changing, each, related } from './model.js';

const VALUE = 0;
const POPULATION = 1;
const UNKNOWN = 2;
const ROWS = 0;

/** How strongly a walk lights an edge or flow: an entry of `edges` and `flows` in what `reach` returns. */
export const LIT = { none: 0, value: 1, population: 2, unknown: 3 };

/** All that `start` ({dataset, field: index or null}) reaches.
 *
 * options: {direction: 'down' | 'up' | 'both', depth: hops or null, hideIndirect: value only, kinds: Set of the kinds'
 * indices to walk over, or null for all}. Answers {start, direction, own (the datasets where it began: a file's kinds of
 * record change along with it), values, population, unknown (Sets of field ids), tables, unknownTables (Sets of datasets), upValues, upPopulation, upTables, upUnknownTables, edges, flows (how each
 * edge and flow of the graph is lit), hops(field id): its distance, or null}. What was asked for is in no set. */
export function reach(graph, start, options) {
  const { direction, depth = null, hideIndirect = false, kinds = null } = options;
  const allowed = allowedKinds(graph.doc, hideIndirect, kinds);
  const limit = { depth: depth ?? Infinity, rows: !hideIndirect, allowed };
  const down = direction === 'up' ? nothing(graph) : new Downstream(graph, limit).from(start);
  const up = direction === 'down' ? nothing(graph) : new Upstream(graph, limit).from(start);
  return {
    start, direction, own: direction === 'up' ? [start.dataset] : changing(graph.doc, start),
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
  return new Walk(graph, { depth: Infinity, rows: false, allowed: [] }).answer([], null);
}

/** The states seen, their distances and the queue of those to walk from. A walk in a direction knows where a field
 * (fromField) and a dataset (fromTable) lead. */
class Walk {
  constructor(graph, { depth, rows, allowed }) {
    const tables = graph.doc.datasets.length;
    this.graph = graph;
    this.doc = graph.doc;
    this.depth = depth;
    this.byRows = rows;
    this.allowed = allowed;
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

  /** Walks on from what was seen; `own` are the datasets that it began in. */
  run(own, start) {
    for (let i = 0; i < this.length; i += 1) {
      const state = this.queue[i];
      const next = this.distance[state] + 1;
      if (state < this.rowsAt) this.fromField(Math.floor(state / 3), state % 3, next);
      else if ((state - this.rowsAt) & 1) this.fromUnknown((state - this.rowsAt) >> 1, next);
      else this.fromRows((state - this.rowsAt) >> 1, next);
    }
    return this.answer(own, start);
  }

  /** Visits the edges of `rows` under a field that are to be walked. */
  along({ start, list }, id, touch, at) {
    for (let i = start[id]; i < start[id + 1]; i += 1) {
      if (this.allowed[this.graph.kind[list[i]]]) this.over(list[i], touch, at);
    }
  }

  /** The states as sets, each thing under its strongest word, without what was asked for. */
  answer(own, start) {
    const found = { values: new Set(), population: new Set(), unknown: new Set() };
    const tables = { tables: new Set(), unknownTables: new Set() };
    const sets = [found.values, found.population, found.unknown];
    const ranges = own.map((dataset) => ownRange(this.graph.doc, { dataset, field: start.field }));
    const { distance, rowsAt } = this;
    for (let i = 0; i < this.length; i += 1) {
      const state = this.queue[i];
      if (state >= rowsAt) {
        const dataset = (state - rowsAt) >> 1;
        const known = (state - rowsAt) & 1 ? tables.unknownTables : tables.tables;
        if (start.field !== null || !own.includes(dataset)) known.add(dataset);
        continue;
      }
      const touch = state % 3;
      const id = (state - touch) / 3;
      const stronger = (touch > VALUE && distance[3 * id] >= 0) || (touch > POPULATION && distance[3 * id + 1] >= 0);
      if (!stronger && !ranges.some(([first, last]) => id >= first && id < last)) sets[touch].add(id);
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

/** What a change reaches: the table of rules that heads governance/impact/walk.py. */
class Downstream extends Walk {
  /** A column begins by value; a dataset by its rows and by each of its columns, and so do its kinds of record. */
  from(start) {
    const own = changing(this.doc, start);
    if (start.field !== null) this.field(this.doc.firstField[start.dataset] + start.field, VALUE, 0);
    else for (const dataset of own) {
      if (this.byRows) this.table(dataset, ROWS, 0);
      eachPresent(this.graph, dataset, (id) => this.field(id, VALUE, 0));
    }
    return this.run(own, start);
  }

  fromField(id, touch, at) {
    this.along(this.graph.edgesFrom, id, touch, at);
    for (const source of related(this.doc, id)) this.along(this.graph.edgesFrom, source, touch, at);
    each(this.graph.untoldFrom, this.doc.datasetOf[id], (f) => this.seeUntold(f, at));
  }

  fromRows(dataset, at) {
    each(this.graph.flowsFrom, dataset, (f) => {
      this.seeRows(this.graph.flowTarget[f], at);
      if (this.graph.flowUntold[f]) this.seeUntold(f, at);
      this.flow(f, LIT.population, at);
    });
  }

  fromUnknown(dataset, at) {
    each(this.graph.flowsFrom, dataset, (f) => {
      this.table(this.graph.flowTarget[f], UNKNOWN, at);
      this.flow(f, LIT.unknown, at);
    });
  }

  over(e, touch, at) {
    const target = this.graph.target[e];
    const dataset = this.graph.into[e];
    const direct = this.doc.direct[this.graph.kind[e]];
    if (touch === UNKNOWN) {
      if (target < 0) this.table(dataset, UNKNOWN, at); else this.seeField(target, UNKNOWN, at);
    } else if (target < 0) this.seeRows(dataset, at);
    else this.seeField(target, direct ? touch : POPULATION, at);
    this.edge(e, touch === UNKNOWN ? LIT.unknown : direct && touch === VALUE ? LIT.value : LIT.population, at);
  }

  seeField(id, touch, at) {
    // a column's members change along with it
    if (this.field(id, touch, at) && this.doc.inner.has(id)) {
      for (const member of this.doc.inner.get(id)) this.field(member, touch, at);
    }
  }

  seeRows(dataset, at) {
    if (this.table(dataset, ROWS, at)) eachPresent(this.graph, dataset, (id) => this.field(id, POPULATION, at));
  }

  seeUntold(f, at) {
    const write = this.graph.writes[this.graph.flowWrite[f]];
    if (!write.traced) this.table(write.dataset, UNKNOWN, at);
    else for (const id of write.gaps) this.seeField(id, UNKNOWN, at);
    this.flow(f, LIT.unknown, at);
  }
}

/** What the values come from, and what shapes the rows of each table on the way: governance/trace.py. */
class Upstream extends Walk {
  from(start) {
    const { dataset, field } = start;
    if (field !== null) this.seeField(this.doc.firstField[dataset] + field, VALUE, 0);
    else {
      this.seeRows(dataset, 0);
      eachPresent(this.graph, dataset, (id) => this.seeField(id, VALUE, 0));
    }
    return this.run([dataset], start);
  }

  fromField(id, touch, at) {
    this.along(this.graph.edgesInto, id, touch, at);
    for (const target of related(this.doc, id)) this.along(this.graph.edgesInto, target, touch, at);
    each(this.graph.untoldInto, this.doc.datasetOf[id], (f) => {
      const write = this.graph.writes[this.graph.flowWrite[f]];
      if (write.traced && !write.gaps.includes(id)) return;
      this.table(this.graph.flowSource[f], UNKNOWN, at);
      this.seeRows(this.graph.flowSource[f], at);
      this.flow(f, LIT.unknown, at);
    });
  }

  /** The columns that shape a table's rows, and each table read of which no column does. */
  fromRows(dataset, at) {
    const shaping = new Set();
    each(this.graph.rowEdgesInto, dataset, (e) => {
      shaping.add(this.doc.datasetOf[this.graph.source[e]]);
      if (this.allowed[this.graph.kind[e]]) this.over(e, POPULATION, at);
    });
    each(this.graph.flowsInto, dataset, (f) => {
      if (shaping.has(this.graph.flowSource[f])) return;
      this.seeRows(this.graph.flowSource[f], at);
      this.flow(f, LIT.population, at);
    });
  }

  /** A table of which it is not known what was read of it is the end of a way: its rows are walked from beside. */
  fromUnknown() {}

  over(e, touch, at) {
    const byValue = touch === VALUE && this.doc.direct[this.graph.kind[e]];
    this.seeField(this.graph.source[e], byValue ? VALUE : POPULATION, at);
    this.edge(e, byValue ? LIT.value : LIT.population, at);
  }

  seeField(id, touch, at) {
    if (!this.field(id, touch, at)) return;
    const dataset = this.doc.datasetOf[id];
    // what shapes the rows of its table shapes it
    if (this.graph.written[dataset]) this.seeRows(dataset, at);
  }

  seeRows(dataset, at) {
    if (this.byRows) this.table(dataset, ROWS, at);
  }
}
