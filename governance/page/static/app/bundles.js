// Edges and flows between what is on the page: one bundle for each pair of ends, so that a folded dataset shows one
// line and how many edges it stands for.

/** Numbers the ends of `boxes` (a box's lines, in order) and finds where each field and dataset ends. */
export function endsOf(graph, boxes) {
  const { doc } = graph;
  const ends = [];
  const fieldEnd = new Int32Array(doc.fieldCount).fill(-1);
  const headEnd = new Int32Array(doc.datasets.length).fill(-1);
  const rowsEnd = new Int32Array(doc.datasets.length).fill(-1);
  boxes.forEach((box, b) => {
    const first = ends.length;
    box.lines.forEach((line, l) => {
      if (line.kind === 'field') fieldEnd[line.id] = ends.length;
      for (const id of line.ids ?? []) fieldEnd[id] = ends.length;
      if (line.kind === 'rows') rowsEnd[box.dataset] = ends.length;
      ends.push({ box: b, line: l });
    });
    for (const d of box.datasets) headEnd[d] = first;
  });
  for (let d = 0; d < headEnd.length; d += 1) if (rowsEnd[d] < 0) rowsEnd[d] = headEnd[d];
  const fieldOrHead = (id) => (fieldEnd[id] < 0 && folded(boxes, ends, headEnd[doc.datasetOf[id]])
    ? headEnd[doc.datasetOf[id]] : fieldEnd[id]);
  return { ends, fieldOrHead, headEnd, rowsEnd, fieldEnd };
}

function folded(boxes, ends, end) {
  return end >= 0 && boxes[ends[end].box].kind !== 'open';
}

/** The bundles between `boxes`: [{from, to (places in ends), edges, flows (ids), kind, masked}].
 *
 * kind: 'direct' where a value flows, 'indirect' where it only steers, 'rowsonly' where a table is read and no column
 * says how, 'untold' where its job told no column lineage. */
export function bundlesOf(graph, boxes, places, state) {
  const bundles = new Map();
  const width = places.ends.length;
  const into = (from, to) => {
    if (from < 0 || to < 0) return null;
    const [source, target] = [places.ends[from].box, places.ends[to].box];
    if (source === target && boxes[source].kind !== 'open') return null;
    const key = from * width + to;
    if (!bundles.has(key)) bundles.set(key, { from, to, edges: [], flows: [] });
    return bundles.get(key);
  };
  const { doc } = graph;
  for (let e = 0; e < graph.source.length; e += 1) {
    if (!drawn(doc, graph.kind[e], state)) continue;
    const to = graph.target[e] < 0 ? places.rowsEnd[graph.into[e]] : places.fieldOrHead(graph.target[e]);
    into(places.fieldOrHead(graph.source[e]), to)?.edges.push(e);
  }
  for (let f = 0; f < graph.flowSource.length; f += 1) {
    const untold = !graph.writes[graph.flowWrite[f]].traced;
    if (!graph.flowBare[f] || (state.hideIndirect && !untold)) continue;
    into(places.rowsEnd[graph.flowSource[f]], places.rowsEnd[graph.flowTarget[f]])?.flows.push(f);
  }
  return [...bundles.values()].map((bundle) => ({ ...bundle, ...looks(graph, bundle) }));
}

function drawn(doc, kind, { hideIndirect, kinds }) {
  return (doc.direct[kind] || !hideIndirect) && (!kinds || kinds.has(kind));
}

function looks(graph, { edges, flows }) {
  const masked = edges.length > 0 && edges.every((e) => graph.masking[e]);
  if (edges.some((e) => graph.doc.direct[graph.kind[e]])) return { kind: 'direct', masked };
  if (edges.length) return { kind: 'indirect', masked };
  return { kind: flows.some((f) => !graph.writes[graph.flowWrite[f]].traced) ? 'untold' : 'rowsonly', masked };
}
