// Where in a drawing something stands, as rectangles of its own coordinates.
import { HEAD_HEIGHT, LINE_HEIGHT, lineMiddle } from './measure.js';

/** The ground that an end of edges stands on; null: it is not drawn. */
export function rectOf({ placed, places }, end) {
  if (!(end >= 0)) return null;
  const { box, line } = places.ends[end];
  const height = line ? LINE_HEIGHT : HEAD_HEIGHT;
  return { ...placed[box], y: placed[box].y + lineMiddle(line) - height / 2, height };
}

/** The ground from the first to the last that is lit, each with the name of its table; null: nothing is. */
export function litRect({ boxes, elements, placed }) {
  const rects = boxes.flatMap((box, b) => {
    const last = box.kind === 'open' ? elements[b].lines.findLastIndex(isLit) : isLit(elements[b].element) ? 0 : -1;
    if (last < 0) return [];
    return [{ ...placed[b], height: last ? lineMiddle(last) + LINE_HEIGHT / 2 : HEAD_HEIGHT }];
  });
  if (!rects.length) return null;
  const [left, top] = ['x', 'y'].map((axis) => Math.min(...rects.map((it) => it[axis])));
  const right = Math.max(...rects.map((it) => it.x + it.width));
  const bottom = Math.max(...rects.map((it) => it.y + it.height));
  return { x: left, y: top, width: right - left, height: bottom - top };
}

function isLit({ touch }) {
  return Boolean(touch) && touch !== 'faded';
}
