// What is reached, shown by classes alone: nothing is laid out or drawn anew by a click.
import { counted } from './boxes.js';
import { LIT } from './walk.js';

const WORDS = { [LIT.value]: 'value', [LIT.population]: 'population', [LIT.unknown]: 'unknown' };

/** Lights what `result` (of `reach`; null: nothing) reaches in a drawing, and fades the rest. */
export function lightDrawing(drawing, result) {
  const touched = result && touchOf(drawing.graph, result);
  drawing.boxes.forEach((box, b) => lightBox(box, drawing.elements[b], touched, result));
  const lit = [];
  drawing.bundles.forEach((bundle, i) => {
    const touch = result && bundleTouch(bundle, result);
    mark(drawing.links[i], touch);
    if (touch && touch !== 'faded') lit.push(drawing.links[i]);
  });
  // over the faded ones, of value last; append moves what is there already
  lit.sort((a, b) => (a.touch === 'value') - (b.touch === 'value'));
  lit[0]?.parentNode?.append(...lit);
}

/** How each field is touched (an entry of LIT), how many of each dataset by value (at 2 d) and by population (at
 * 2 d + 1), and which tables' rows are. */
function touchOf({ doc }, result) {
  const fields = new Uint8Array(doc.fieldCount);
  const counts = new Int32Array(2 * doc.datasets.length);
  const { datasetOf } = doc;
  const set = (ids, lit, place) => {
    for (const id of ids) {
      if (fields[id]) continue;
      fields[id] = lit;
      if (place !== null) counts[2 * datasetOf[id] + place] += 1;
    }
  };
  // the strongest word first: it stands
  for (const ids of [result.values, result.upValues]) set(ids, LIT.value, 0);
  for (const ids of [result.population, result.upPopulation]) set(ids, LIT.population, 1);
  set(result.unknown, LIT.unknown, null);
  const rows = new Set([...result.tables, ...result.upTables]);
  const unknown = new Set([...result.unknownTables, ...result.upUnknownTables]);
  const { dataset, field } = result.start;
  const start = field === null ? -1 : doc.firstField[dataset] + field;
  return { fields, counts, rows, unknown, start, whole: field === null };
}

function lightBox(box, { element, lines }, touched, result) {
  box.lines.forEach((line, l) => {
    if (line.kind === 'field') lightField(lines[l], line.id, touched);
    else if (line.kind === 'rows') mark(lines[l], touched && (touched.rows.has(box.dataset) ? 'population' : 'faded'));
    else if (line.kind === 'more') lightCount(lines[l], touched && countOf(touched, line.ids));
  });
  if (!touched) { mark(element, null); lightCount(lines[0], null); return; }
  const count = { value: 0, population: 0 };
  for (const d of box.datasets) {
    count.value += touched.counts[2 * d];
    count.population += touched.counts[2 * d + 1];
  }
  const own = box.datasets.some((d) => result.own.includes(d));
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
  if (start !== (element.getAttribute('aria-pressed') === 'true')) element.setAttribute('aria-pressed', start);
}

function lightCount(element, count) {
  const words = element.querySelector('.reach');
  if (!words) return;
  const sum = count ? count.value + count.population : 0;
  const short = element.classList.contains('more');
  const said = sum ? (short ? `${sum} reached` : `${counted(sum, 'column')} reached`) : '';
  if (words.textContent !== said) words.textContent = said;
  element.classList.toggle('counted', sum > 0);
  if (short) mark(element, count && (count.value ? 'value' : count.population ? 'population' : 'faded'));
}

function bundleTouch({ edges, flows }, result) {
  let lit = 0;
  for (const e of edges) if (result.edges[e] && (!lit || result.edges[e] < lit)) lit = result.edges[e];
  for (const f of flows) if (result.flows[f] && (!lit || result.flows[f] < lit)) lit = result.flows[f];
  return WORDS[lit] ?? 'faded';
}

/** Gives an element the one word of how it is touched; it remembers it, for most stay as they are. */
function mark(element, touch) {
  if ((element.touch ?? null) === touch) return;
  if (element.touch) element.classList.remove(element.touch);
  if (touch) element.classList.add(touch);
  element.touch = touch;
}
