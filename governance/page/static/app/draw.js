// The view: what is on the page for a graph and a state, drawn, lit and moved.
import { boxesOf, keysToReveal } from './groups.js';
import { bundlesOf, endsOf } from './bundles.js';
import { createLayout } from './layout.js';
import { drawBox } from './boxes.js';
import { bundleWords, drawBundle } from './routes.js';
import { lightDrawing } from './light.js';
import { createZoom } from './zoom.js';
import { endOf, neighbourOf } from './neighbour.js';
import { svgFile } from './svgtext.js';
import { svg } from './svg.js';
import { reach } from './walk.js';
import { litRect, rectOf } from './ground.js';

const MUCH = 5000;
const PAUSE = 300;

/** A view on `canvas`, an svg element.
 *
 * onSelect(dataset, field or null): a column or a head was chosen; (null, null): the ground was
 * onExpand(key): a group, a dataset or the rest of a long table is to open or to fold: toggle the key in `expanded`
 */
export function createView(canvas, { onSelect, onExpand }) {
  const layer = svg('g', { class: 'layer' });
  canvas.classList.add('graph');
  canvas.replaceChildren(hatching(), layer);
  const view = {
    canvas, layer, onSelect, onExpand, zoom: createZoom(canvas, layer), layout: createLayout(),
    drawing: null, result: null, anchor: null, wanted: null, opened: null, roving: null, asked: 0, drawn: 0,
  };
  listen(view);
  return {
    show: (graph, state) => show(view, graph, state),
    light(result) { view.result = result; if (view.drawing) lightDrawing(view.drawing, result); },
    fit: () => view.zoom.fit(),
    /** Shows all that is lit, however small. */
    fitLit() {
      const lit = view.drawing && view.result && litRect(view.drawing);
      if (lit) view.zoom.frame(lit);
    },
    zoom: (factor) => view.zoom.zoom(factor),
    svgText: () => svgFile(canvas, layer, view.drawing.size),
    reveal: (dataset, field) => reveal(view, { dataset, field }),
    /** Reveals a place and gives it the keyboard's focus. */
    enter: (dataset, field) => reveal(view, { dataset, field, enter: true }),
    drawing: () => view.drawing,
    neighbour: (from, key) => (view.drawing ? neighbourOf(view.drawing, from, key) : null),
    /** Gives what is drawn of a place the focus, and opens nothing for it. */
    focus(place) {
      const element = elementOf(view, place);
      if (!element) return;
      element.focus({ preventScroll: true });
      view.zoom.bring(rectOf(view.drawing, endOf(view.drawing, place)));
    },
  };
}

function hatching() {
  return svg('defs', {}, svg('pattern', {
    id: 'hatch', width: 7, height: 7, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)',
  }, svg('path', { class: 'hatching', d: 'M0 0V7' })));
}

/** Lays out and draws; resolves to false where a later call took its place. */
async function show(view, graph, state) {
  const asked = ++view.asked;
  const boxes = boxesOf(graph, state);
  const places = endsOf(graph, boxes);
  const bundles = bundlesOf(graph, boxes, places, state);
  const aspect = view.canvas.clientWidth / Math.max(1, view.canvas.clientHeight) || 1.6;
  view.canvas.setAttribute('aria-busy', 'true');
  try {
    const laid = await view.layout({ doc: graph.doc, boxes, ends: places.ends, bundles }, aspect);
    if (!laid || asked !== view.asked) return false;
    view.drawn = asked;
    const first = !view.drawing;
    draw(view, { graph, state, boxes, places, bundles, placed: laid.boxes, routes: laid.routes });
    if (first) warm(graph);
    return true;
  } finally {
    if (asked === view.asked) view.canvas.setAttribute('aria-busy', 'false');
  }
}

/** Walks once while nobody waits: where there is much to walk, the first click then meets compiled code. */
function warm(graph) {
  if (graph.doc.fieldCount < MUCH) return;
  const start = { dataset: graph.doc.datasetOf[0], field: 0 };
  setTimeout(() => reach(graph, start, { direction: 'both' }), PAUSE);
}

function draw(view, picture) {
  const { graph, boxes, places, bundles, placed, routes } = picture;
  const focused = focusedPlace(view);
  const before = view.drawing;
  const links = bundles.map((it, i) => drawBundle(it, routes[i], i, { counts: standsForMore(boxes, places, it) }));
  const drawn = boxes.map((box, b) => drawBox(graph, box, placed[b]));
  const elements = drawn.map((element, b) => ({ element, lines: lineElements(boxes[b], element) }));
  const size = {
    width: Math.max(1, ...placed.map((it) => it.x + it.width)),
    height: Math.max(1, ...placed.map((it) => it.y + it.height)),
  };
  view.drawing = { ...picture, links, elements, size };
  const layers = [svg('g', { class: 'links', 'aria-hidden': true }, ...links), svg('g', { class: 'boxes' }, ...drawn)];
  view.layer.replaceChildren(...layers);
  lightDrawing(view.drawing, view.result);
  stand(view, before);
  rove(view, elementOf(view, focused ?? view.roving) ?? view.layer.querySelector('[tabindex]'), focused !== null);
  bringWanted(view);
}

function standsForMore(boxes, places, { from, to }) {
  const whole = (end) => ['field', 'rows'].includes(boxes[places.ends[end].box].lines[places.ends[end].line].kind);
  return !(whole(from) && whole(to));
}

function lineElements(box, element) {
  const parts = element.querySelectorAll('.head, .rows, .field, .more');
  return box.lines.map((_, l) => parts[l]);
}

/** Keeps what was opened or folded where it was seen; shows all of what stands for the first time or is another. */
function stand(view, before) {
  const { boxes, placed, size } = view.drawing;
  const same = view.anchor && before && placeOfKey(boxes, placed, view.anchor);
  if (same) {
    view.zoom.resize(size.width, size.height);
    view.zoom.hold(view.anchor.at, same);
  } else if (!before || keysOf(before.boxes) !== keysOf(boxes)) view.zoom.fit(size.width, size.height);
  else view.zoom.resize(size.width, size.height);
  view.anchor = null;
}

function keysOf(boxes) {
  return boxes.map((box) => box.key).join(' ');
}

function placeOfKey(boxes, placed, { datasets }) {
  const b = boxes.findIndex((box) => box.datasets.some((d) => datasets.includes(d)));
  return b < 0 ? null : placed[b];
}

function expand(view, key) {
  const { boxes, placed } = view.drawing;
  const b = boxes.findIndex((box) => [box.key, box.groupKey, ...box.lines.map((line) => line.key)].includes(key));
  view.anchor = b < 0 ? null : { at: { x: placed[b].x, y: placed[b].y }, datasets: boxes[b].datasets };
  view.onExpand(key);
}

/** Brings a place into sight; what hides it is opened first. What is being laid out is waited for. */
function reveal(view, place) {
  view.wanted = null;
  if (!view.drawing || view.drawn !== view.asked) {
    view.wanted = place;
    return;
  }
  const { graph, state } = view.drawing;
  const keys = keysToReveal(graph, state, place.dataset, place.field);
  if (keys.length) view.opened = place;
  else bring(view, place);
  keys.forEach((key) => view.onExpand(key));
}

function bring(view, place) {
  const rect = rectOf(view.drawing, endOf(view.drawing, place));
  if (!rect) return;
  const lit = isOf(view.result?.start, place) ? litRect(view.drawing) : null;
  view.zoom.bring(rect, lit ?? rect);
  rove(view, elementOf(view, place), Boolean(place.enter));
}

function isOf(start, place) {
  return start?.dataset === place.dataset && start.field === place.field;
}

/** What was asked for before this drawing: a place that was opened for is there now, and is not opened for again. */
function bringWanted(view) {
  const { wanted, opened } = view;
  Object.assign(view, { wanted: null, opened: null });
  if (wanted) reveal(view, wanted);
  else if (opened) bring(view, opened);
}

function elementOf(view, place) {
  if (!place || !view.drawing) return null;
  const end = endOf(view.drawing, place);
  // what had the focus may be of another document
  if (!(end >= 0)) return null;
  const { box, line } = view.drawing.places.ends[end];
  return view.drawing.elements[box].lines[line];
}

/** The place that has the keyboard's focus in the drawing, or null. */
function focusedPlace(view) {
  const element = document.activeElement;
  return element && view.layer.contains(element) ? placeFrom(element) : null;
}

function placeFrom(element) {
  const field = element.closest('[data-field]');
  if (field) {
    const [dataset, place] = field.dataset.field.split(':').map(Number);
    return { dataset, field: place };
  }
  const box = element.closest('[data-key]');
  if (!box) return null;
  return box.dataset.dataset === undefined
    ? { dataset: -1, field: null, key: box.dataset.key } : { dataset: Number(box.dataset.dataset), field: null };
}

/** One element of the drawing is in the order of the Tab key: that which had the focus last. */
function rove(view, element, withFocus) {
  view.layer.querySelector('[tabindex="0"]')?.setAttribute('tabindex', '-1');
  element?.setAttribute('tabindex', '0');
  view.roving = element ? placeFrom(element) : null;
  if (withFocus) element?.focus({ preventScroll: true });
}

function listen(view) {
  const { canvas } = view;
  canvas.addEventListener('click', (event) => { if (!view.zoom.dragged()) act(view, event.target); });
  canvas.addEventListener('keydown', (event) => {
    if ((event.key !== 'Enter' && event.key !== ' ') || event.target === canvas) return;
    event.preventDefault();
    act(view, event.target);
  });
  canvas.addEventListener('focusin', (event) => {
    if (event.target.closest('[tabindex]') && event.target !== canvas) rove(view, event.target, false);
  });
  canvas.addEventListener('pointerover', (event) => tell(view, event.target));
}

function act(view, target) {
  const expands = target.closest('[data-expand]');
  const field = target.closest('[data-field]');
  const head = target.closest('[data-select]');
  if (expands) expand(view, expands.dataset.expand);
  else if (field) { const place = placeFrom(field); view.onSelect(place.dataset, place.field); }
  else if (head) view.onSelect(Number(head.dataset.select), null);
  else if (!target.closest('.dataset, .group, .link')) view.onSelect(null, null);
}

/** Lifts the line under the pointer, or those that end at a column, and says what a line is: thousands of titles made
 * ahead would seldom be read. */
function tell(view, target) {
  const link = target.closest('.link');
  const line = target.closest('.field, .rows, .more, .head');
  const lifted = new Set(link ? [link] : line ? linksAt(view.drawing, line) : []);
  view.layer.querySelectorAll('.link.hover').forEach((it) => { if (!lifted.has(it)) it.classList.remove('hover'); });
  lifted.forEach((it) => it.classList.add('hover'));
  if (!link || link.querySelector(':scope > title')) return;
  link.append(svg('title', {}, bundleWords(view.drawing.graph, view.drawing.bundles[Number(link.dataset.link)])));
}

function linksAt({ elements, places, bundles, links }, line) {
  const end = places.ends.findIndex((it) => elements[it.box].lines[it.line] === line);
  return links.filter((_, i) => bundles[i].from === end || bundles[i].to === end);
}
