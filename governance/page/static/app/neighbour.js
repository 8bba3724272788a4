// Where the arrow keys lead: along the columns of a box, from box to box, and along edges.

/** The place beside `from` ({dataset, field: index or null}; a group's key in `key`) in the direction of an arrow key,
 * or null. */
export function neighbourOf(drawing, from, key) {
  const end = endOf(drawing, from);
  if (end < 0) return null;
  const to = key === 'ArrowUp' || key === 'ArrowDown'
    ? beside(drawing, end, key === 'ArrowDown' ? 1 : -1)
    : along(drawing, end, key === 'ArrowRight');
  return to < 0 ? null : placeAt(drawing, to);
}

/** The end in the drawing that a place has; that of the box it is folded into; −1 where it is not shown. */
export function endOf({ graph, places, boxes }, { dataset, field, key }) {
  if (key) {
    const b = boxes.findIndex((box) => box.key === key);
    return places.ends.findIndex((end) => end.box === b);
  }
  if (field === null) return places.headEnd[dataset];
  return places.fieldOrHead(graph.doc.firstField[dataset] + field);
}

function placeAt({ graph, places, boxes }, end) {
  const box = boxes[places.ends[end].box];
  const line = box.lines[places.ends[end].line];
  if (box.kind === 'group') return { dataset: box.datasets[0], field: null, key: box.key };
  const id = line.id ?? line.ids?.[0];
  return { dataset: box.dataset, field: id === undefined ? null : id - graph.doc.firstField[box.dataset] };
}

function beside({ places, boxes, placed }, end, step) {
  const { box, line } = places.ends[end];
  const first = end - line;
  const { lines } = boxes[box];
  let l = line + step;
  while (lines[l]?.kind === 'rows') l += step;
  if (lines[l]) return first + l;
  const next = boxBeside(placed, box, step);
  if (next < 0) return -1;
  const start = places.ends.findIndex((it) => it.box === next);
  return step > 0 ? start : start + boxes[next].lines.length - 1;
}

/** The nearest box above or below that stands over the same ground. */
function boxBeside(placed, from, step) {
  const own = placed[from];
  const gap = (it) => (step > 0 ? it.y - (own.y + own.height) : own.y - (it.y + it.height));
  const over = (it) => it.x < own.x + own.width && own.x < it.x + it.width;
  let best = -1;
  placed.forEach((it, b) => {
    if (b !== from && over(it) && gap(it) >= 0 && (best < 0 || gap(it) < gap(placed[best]))) best = b;
  });
  return best;
}

/** The far end of the first bundle at `end`; of its rows where it is a head. */
function along({ places, bundles, boxes }, end, right) {
  const { box, line } = places.ends[end];
  const own = new Set([end]);
  if (line === 0 && boxes[box].lines[1]?.kind === 'rows') own.add(end + 1);
  const [near, far] = right ? ['from', 'to'] : ['to', 'from'];
  const found = bundles.filter((bundle) => own.has(bundle[near])).map((bundle) => bundle[far]);
  return found.length ? Math.min(...found) : -1;
}
