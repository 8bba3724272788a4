// The document as integers. A field's id is its place among all fields of all datasets, in the document's order; an
// edge and a flow are places in typed arrays, which a walk over a hundred thousand of them needs.

/** Groups `count` things by `key(i)` in compressed rows: those of key k are list[start[k]] … list[start[k + 1] - 1];
 * a negative key leaves a thing out. */
export function compress(keys, count, key) {
  const start = new Int32Array(keys + 1);
  for (let i = 0; i < count; i += 1) if (key(i) >= 0) start[key(i) + 1] += 1;
  for (let k = 0; k < keys; k += 1) start[k + 1] += start[k];
  const list = new Int32Array(start[keys]);
  const next = start.slice(0, keys);
  for (let i = 0; i < count; i += 1) if (key(i) >= 0) list[next[key(i)]++] = i;
  return { start, list };
}

/** Calls `visit` with each thing that `rows` has under `key`. */
export function each(rows, key, visit) {
  for (let i = rows.start[key]; i < rows.start[key + 1]; i += 1) visit(rows.list[i]);
}

/** Reads the page's JSON (its text, or the value already parsed) into a catalogue of datasets and fields. */
export function readDocument(source) {
  const raw = typeof source === 'string' ? JSON.parse(source) : source;
  if (raw.version !== 1) throw new Error(`this page reads documents of version 1, not ${raw.version}`);
  const { datasets } = raw;
  const firstField = new Int32Array(datasets.length + 1);
  datasets.forEach((dataset, d) => { firstField[d + 1] = firstField[d] + dataset.fields.length; });
  const datasetOf = new Int32Array(firstField[datasets.length]);
  datasets.forEach((_, d) => datasetOf.fill(d, firstField[d], firstField[d + 1]));
  const direct = raw.kinds.map((kind) => kind.startsWith('DIRECT'));
  return {
    ...raw, raw, direct, firstField, datasetOf, fieldCount: datasetOf.length,
    ...nesting(datasets, firstField), shared: sharedNames(datasets), ...findingsByPlace(raw.findings ?? [], datasets),
  };
}

/** The id of a field of a dataset, by its place. */
export function fieldId(doc, dataset, field) {
  return doc.firstField[dataset] + field;
}

/** Where a field id stands: {dataset, field}. */
export function placeOf(doc, id) {
  const dataset = doc.datasetOf[id];
  return { dataset, field: id - doc.firstField[dataset] };
}

/** What the document says of a field id. */
export function fieldAt(doc, id) {
  const { dataset, field } = placeOf(doc, id);
  return doc.datasets[dataset].fields[field];
}

/** What holds a field and what it holds, by dotted paths; fields that stand alone are in neither map. */
function nesting(datasets, firstField) {
  const outer = new Map();
  const inner = new Map();
  datasets.forEach((dataset, d) => {
    if (!dataset.fields.some((field) => field.name.includes('.'))) return;
    const ids = new Map(dataset.fields.map((field, i) => [field.name, firstField[d] + i]));
    for (const [name, id] of ids) {
      const steps = name.split('.');
      const paths = steps.slice(1).map((_, i) => steps.slice(0, i + 1).join('.'));
      const holding = paths.filter((path) => ids.has(path)).map((path) => ids.get(path));
      if (holding.length) outer.set(id, holding);
      for (const path of holding) inner.set(path, [...(inner.get(path) ?? []), id]);
    }
  });
  return { outer, inner };
}

/** Whether any event that the document tells of names a place: what none names is in files or the catalog alone. */
export function isNamed(doc, { dataset, field }) {
  // whoever stands at the rim of a part may be named beyond it
  if (doc.datasets[dataset].outside) return true;
  if (field === null) return doc.versions.some((it) => it.dataset === dataset || it.inputs.includes(dataset));
  const own = [field, ...related(doc, fieldId(doc, dataset, field)).map((id) => placeOf(doc, id).field)];
  return doc.versions.some(
    (it) => (it.dataset === dataset && own.some((i) => it.fields.includes(i)))
      || it.edges.some(([d, i]) => d === dataset && own.includes(i)),
  );
}

/** The names that datasets of several namespaces have. */
function sharedNames(datasets) {
  const seen = new Set();
  return new Set(datasets.map(({ name }) => name).filter((name) => seen.has(name) || !seen.add(name)));
}

const ALONE = [];

/** The fields that hold a field and those it holds: who reads one of them reads of the field. */
export function related(doc, id) {
  if (!doc.outer.has(id) && !doc.inner.has(id)) return ALONE;
  return [...(doc.outer.get(id) ?? []), ...(doc.inner.get(id) ?? [])];
}

/** The datasets that begin a change of a place: a file's kinds of record change along with it. */
export function changing(doc, { dataset, field }) {
  return field === null ? [dataset, ...(doc.datasets[dataset].records ?? [])] : [dataset];
}

function findingsByPlace(findings, datasets) {
  const byDataset = new Map();
  const numbers = new Map();
  datasets.forEach(({ namespace, name }, d) => {
    if (!numbers.has(name)) numbers.set(name, d);
    numbers.set(`${namespace}/${name}`, d);
  });
  for (const finding of findings) {
    const d = numbers.get(finding.table);
    if (d !== undefined) byDataset.set(d, [...(byDataset.get(d) ?? []), finding]);
  }
  return { findingsOf: byDataset };
}

/** The graph as of `at` (an ISO instant; null: now): of each slot the latest run up to then stands. */
export function standing(doc, at) {
  const writes = standingWrites(doc, at);
  const edges = edgesOf(doc, writes);
  const flows = flowsOf(doc, writes, edges);
  const fields = doc.fieldCount;
  const tables = doc.datasets.length;
  const count = edges.source.length;
  const present = presentFields(doc, writes, edges);
  const written = new Uint8Array(tables);
  for (const write of writes) written[write.dataset] = 1;
  return {
    doc, at, writes, present, written, ...edges, ...flows,
    edgesFrom: compress(fields, count, (e) => edges.source[e]),
    edgesInto: compress(fields, count, (e) => edges.target[e]),
    rowEdgesInto: compress(tables, count, (e) => (edges.target[e] < 0 ? edges.into[e] : -1)),
    // few jobs leave something untold: a walk looks at their flows for each column
    untoldFrom: compress(tables, flows.flowSource.length, (f) => (flows.flowUntold[f] ? flows.flowSource[f] : -1)),
    untoldInto: compress(tables, flows.flowTarget.length, (f) => (flows.flowUntold[f] ? flows.flowTarget[f] : -1)),
    flowsFrom: compress(tables, flows.flowSource.length, (f) => flows.flowSource[f]),
    flowsInto: compress(tables, flows.flowTarget.length, (f) => flows.flowTarget[f]),
  };
}

function standingWrites(doc, at) {
  const limit = at === null || at === undefined ? Infinity : Date.parse(at);
  const latest = new Map();
  for (const run of doc.runs) if (Date.parse(run.at) <= limit) latest.set(doc.versions[run.version].slot, run);
  return [...latest.values()].map((run) => writeOf(doc, run));
}

function writeOf(doc, run) {
  const version = doc.versions[run.version];
  const first = doc.firstField[version.dataset];
  return {
    dataset: version.dataset, job: version.job, learned: version.learned, traced: version.traced,
    inputs: version.inputs, version, run: run.run, at: run.at, snapshot: run.snapshot ?? null,
    files: run.files ?? null,
    fields: version.fields.map((i) => first + i), gaps: version.gaps.map((i) => first + i),
  };
}

/** Edges as columns: target −1 stands for every row of `into`; a DIRECT one of every row is one of each column. */
function edgesOf(doc, writes) {
  const rows = [];
  writes.forEach((write, w) => {
    const first = doc.firstField[write.dataset];
    for (const [dataset, field, target, kind, masking, use] of write.version.edges) {
      const source = doc.firstField[dataset] + field;
      const targets = target >= 0 ? [first + target] : doc.direct[kind] ? write.fields : [-1];
      for (const it of targets) rows.push(source, it, write.dataset, kind, masking, use ?? -1, w);
    }
  });
  const names = ['source', 'target', 'into', 'kind', 'masking', 'use', 'write'];
  return Object.fromEntries(names.map((name, place) => [name, column(rows, names.length, place)]));
}

function column(rows, width, place) {
  const values = new Int32Array(rows.length / width);
  for (let i = 0; i < values.length; i += 1) values[i] = rows[i * width + place];
  return values;
}

/** Flows as columns: flowBare marks those that no column edge of the same write shows, flowUntold those of writes that
 * told no column lineage or not of every column. */
function flowsOf(doc, writes, edges) {
  const shown = new Set();
  // a flow is told apart by write and source: one integer of both
  const key = (w, dataset) => w * 2 ** 24 + dataset;
  for (let e = 0; e < edges.source.length; e += 1) shown.add(key(edges.write[e], doc.datasetOf[edges.source[e]]));
  const flows = writes.flatMap((it, w) => it.inputs.map((dataset) => [dataset, it.dataset, w]));
  return {
    flowSource: Int32Array.from(flows, ([from]) => from),
    flowTarget: Int32Array.from(flows, ([, to]) => to),
    flowWrite: Int32Array.from(flows, ([, , w]) => w),
    flowUntold: Uint8Array.from(flows, ([, , w]) => (writes[w].traced && !writes[w].gaps.length ? 0 : 1)),
    flowBare: Uint8Array.from(flows, ([from, , w]) => (shown.has(key(w, from)) ? 0 : 1)),
  };
}

/** Which fields the datasets have: those of what stands, and those that an edge reads; of a dataset that nothing is
 * known to write, its latest ones. */
function presentFields(doc, writes, edges) {
  const present = new Uint8Array(doc.fieldCount);
  const known = new Uint8Array(doc.datasets.length);
  for (const write of writes) {
    if (write.fields.length) known[write.dataset] = 1;
    for (const id of write.fields) present[id] = 1;
  }
  for (const id of edges.source) present[id] = 1;
  doc.datasets.forEach((dataset, d) => {
    if (known[d]) return;
    dataset.fields.forEach((field, i) => { if (!field.gone) present[doc.firstField[d] + i] = 1; });
  });
  return present;
}
