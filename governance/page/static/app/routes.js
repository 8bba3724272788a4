// The lines between the boxes.
import { svg } from './svg.js';

const CORNER = 8;
const ARROW = 6;

/** Draws a bundle along the points of its route: a `g.link` with an area to hit, the line, its end and its count. */
export function drawBundle(bundle, points, place, { counts }) {
  const path = pathOf(points);
  const end = points[points.length - 1];
  const count = bundle.edges.length + bundle.flows.length;
  const link = svg('g', { class: `link ${bundle.kind}${bundle.masked ? ' masked' : ''}`, 'data-link': place },
    svg('path', { class: 'reachable', d: path }),
    svg('path', { class: 'line', d: path, 'stroke-width': counts ? weight(count) : 1.25 }),
    svg('path', { class: 'arrow', d: `M${end.x} ${end.y}l${-ARROW} -3.5v7Z` }));
  if (bundle.masked) link.append(maskAt(end));
  if (bundle.kind === 'untold') link.append(svg('text', { class: 'untoldsign', x: end.x - 18, y: end.y - 4 }, '?'));
  if (counts && count > 1) link.append(countAt(middleOf(points), count));
  return link;
}

function weight(count) {
  return (1.25 + Math.min(2.5, Math.log2(count) / 3)).toFixed(2);
}

/** A half-covered disc before the arrow: what arrives was masked. */
function maskAt({ x, y }) {
  const [cx, r] = [x - ARROW - 7, 4.5];
  return svg('g', { class: 'mask' }, svg('circle', { cx, cy: y, r }),
    svg('path', { d: `M${cx} ${y - r}A${r} ${r} 0 0 1 ${cx} ${y + r}Z` }));
}

function countAt({ x, y }, count) {
  const text = String(count);
  const width = 10 + text.length * 6.5;
  return svg('g', { class: 'count' }, svg('rect', { x: x - width / 2, y: y - 8, width, height: 16, rx: 8 }),
    svg('text', { x, y: y + 4 }, text));
}

/** The middle of the longest step of a route. */
function middleOf(points) {
  const steps = points.slice(1).map((b, i) => {
    const a = points[i];
    return { a, b, length: Math.hypot(b.x - a.x, b.y - a.y) };
  });
  const { a, b } = steps.reduce((longest, step) => (step.length > longest.length ? step : longest));
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
}

/** A curve through `points`: level at each of them where it runs to the right, else straight with rounded corners. */
export function pathOf(points) {
  const [first, ...rest] = points;
  const forward = rest.every((point, i) => point.x >= points[i].x);
  if (!forward && points.length === 2) return backward(points);
  if (!forward) return rounded(points);
  return `M${first.x} ${first.y}${rest.map((point, i) => level(points[i], point)).join('')}`;
}

function level(a, b) {
  const middle = (a.x + b.x) / 2;
  return a.y === b.y ? `L${b.x} ${b.y}` : `C${middle} ${a.y} ${middle} ${b.y} ${b.x} ${b.y}`;
}

function backward([a, b]) {
  const bow = 60 + Math.abs(a.x - b.x) / 4;
  return `M${a.x} ${a.y}C${a.x + bow} ${a.y} ${b.x - bow} ${b.y} ${b.x} ${b.y}`;
}

function rounded(points) {
  const steps = [`M${points[0].x} ${points[0].y}`];
  for (let i = 1; i < points.length - 1; i += 1) {
    const [a, b, c] = [points[i - 1], points[i], points[i + 1]];
    const before = towards(b, a);
    const after = towards(b, c);
    steps.push(`L${before.x} ${before.y}Q${b.x} ${b.y} ${after.x} ${after.y}`);
  }
  const last = points[points.length - 1];
  return `${steps.join('')}L${last.x} ${last.y}`;
}

function towards(from, to) {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const step = Math.min(CORNER, length / 2) / length;
  return { x: from.x + (to.x - from.x) * step, y: from.y + (to.y - from.y) * step };
}

/** What a bundle says of itself under the pointer: each kind, who told it and how it came to be known. */
export function bundleWords(graph, bundle) {
  const { doc } = graph;
  const said = new Map();
  const add = (words) => said.set(words, (said.get(words) ?? 0) + 1);
  for (const e of bundle.edges) {
    const write = graph.writes[graph.write[e]];
    add(`${doc.kinds[graph.kind[e]]}${graph.masking[e] ? ', masked' : ''} · job ${write.job} · ${write.learned}`);
  }
  for (const f of bundle.flows) {
    const write = graph.writes[graph.flowWrite[f]];
    const how = write.traced ? 'rows only: no column says how' : 'no column lineage told';
    add(`${how} · job ${write.job} · ${write.learned}`);
  }
  const lines = [...said].map(([words, count]) => (count > 1 ? `${words} (${count})` : words));
  return lines.length > 12 ? [...lines.slice(0, 12), `… ${lines.length - 12} more`].join('\n') : lines.join('\n');
}
