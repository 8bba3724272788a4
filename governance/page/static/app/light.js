// What is reached, shown by classes alone: nothing is laid out or drawn anew by a click.
import { counted } from './boxes.js';
import { LIT } from './walk.js';

const TOUCHES = ['value', 'population', 'unknown', 'start', 'faded'];
const WORDS = { [LIT.value]: 'value', [LIT.population]: 'population', [LIT.unknown]: 'unknown' };

/** Lights what `result` (of `reach`; null: nothing) reaches in a drawing, and fades the rest. */
export function lightDrawing(drawing, result) {
  const touched = result && touchOf(drawing.graph, result);
  drawing.boxes.forEach((box, b) => lightBox(drawing, box, drawing.elements[b], touched, result));
  drawing.bundles.forEach((bundle, i) => mark(drawing.links[i], result && bundleTouch(bundle, result)));
}

/** How each field and each table's rows are touched: a word, or null. */
function touchOf({ doc }, result) {
  const fields = new Uint8Array(doc.fieldCount);
  const set = (ids, lit) => { for (const id of ids) if (!fields[id] || lit < fields[id]) fields[id] = lit; };
  set(result.unknown, LIT.unknown);
  set(result.population, LIT.population);
  set(result.upPopulation, LIT.population);
  set(result.values, LIT.value);
  set(result.upValues, LIT.value);
  const rows = new Set([...result.tables, ...result.upTables]);
  const unknown = new Set([...result.unknownTables, ...result.upUnknownTables]);
  const { dataset, field } = result.start;
  const start = field === null ? -1 : doc.firstField[dataset] + field;
  return { fields, rows, unknown, start, dataset, whole: field === null };
}

function lightBox({ graph }, box, { element, lines }, touched, result) {
  box.lines.forEach((line, l) => {
    if (line.kind === 'field') lightField(lines[l], line.id, touched);
    else if (line.kind === 'rows') mark(lines[l], touched && (touched.rows.has(box.dataset) ? 'population' : 'faded'));
    else if (line.kind === 'more') lightCount(lines[l], touched && countOf(touched, line.ids));
  });
  if (!touched) { mark(element, null); lightCount(lines[0], null); return; }
  const ids = box.datasets.flatMap((d) => range(graph.doc.firstField[d], graph.doc.firstField[d + 1]));
  const count = countOf(touched, ids);
  const own = box.datasets.includes(result.start.dataset);
  const unknown = box.datasets.some((d) => touched.unknown.has(d));
  const any = own || unknown || count.value || count.population || box.datasets.some((d) => touched.rows.has(d));
  mark(element, any ? boxTouch(box, count, own && (touched.whole || box.kind !== 'open'), unknown) : 'faded');
  lightCount(lines[0], box.kind === 'open' ? null : count);
}

function boxTouch(box, count, start, unknown) {
  if (start) return 'start';
  if (box.kind === 'open') return unknown ? 'unknown' : null;
  if (count.value) return 'value';
  return count.population ? 'population' : 'unknown';
}

function range(from, to) {
  return Array.from({ length: to - from }, (_, i) => from + i);
}

function countOf({ fields }, ids) {
  const count = { value: 0, population: 0 };
  for (const id of ids) {
    if (fields[id] === LIT.value) count.value += 1;
    if (fields[id] === LIT.population) count.population += 1;
  }
  return count;
}

function lightField(element, id, touched) {
  const start = touched !== null && touched.start === id;
  mark(element, touched && (start ? 'start' : WORDS[touched.fields[id]] ?? 'faded'));
  element.setAttribute('aria-pressed', start);
}

function lightCount(element, count) {
  const words = element.querySelector('.reach');
  if (!words) return;
  const sum = count ? count.value + count.population : 0;
  const short = element.classList.contains('more');
  words.textContent = sum ? (short ? `${sum} reached` : `${counted(sum, 'column')} reached`) : '';
  element.classList.toggle('counted', sum > 0);
  if (short) mark(element, count && (count.value ? 'value' : count.population ? 'population' : 'faded'));
}

function bundleTouch({ edges, flows }, result) {
  let lit = 0;
  for (const e of edges) if (result.edges[e] && (!lit || result.edges[e] < lit)) lit = result.edges[e];
  for (const f of flows) if (result.flows[f] && (!lit || result.flows[f] < lit)) lit = result.flows[f];
  return WORDS[lit] ?? 'faded';
}

function mark(element, touch) {
  for (const it of TOUCHES) element.classList.toggle(it, it === touch);
}
