// How wide text is, and how much room each box takes.

export const HEAD_HEIGHT = 44;
export const LINE_HEIGHT = 21;
const BOX_FOOT = 6;
/** Widths come in steps, so that boxes of one layer mostly stand flush. */
const STEP = 40;
const NARROWEST = 200;
const WIDEST = 320;
const GLYPHS = 24;

const FONTS = {
  title: '600 13px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  small: '11px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
};
const widths = new Map();
let canvas = null;

/** The width of `text` in pixels, in the font of a 'title' or in 'small' print. */
export function widthOf(text, font) {
  const key = `${font} ${text}`;
  if (!widths.has(key)) {
    canvas ??= document.createElement('canvas').getContext('2d');
    canvas.font = FONTS[font];
    widths.set(key, canvas.measureText(text).width);
  }
  return widths.get(key);
}

/** `text` where it fits into `room` pixels, else its beginning and an ellipsis. */
export function fitted(text, font, room) {
  if (widthOf(text, font) <= room) return text;
  // by characters as people see them: no half of a surrogate pair is left over
  const letters = [...text];
  let [short, long] = [0, letters.length];
  while (short + 1 < long) {
    const middle = (short + long) >> 1;
    if (widthOf(`${letters.slice(0, middle).join('')}…`, font) <= room) short = middle; else long = middle;
  }
  return `${letters.slice(0, short).join('')}…`;
}

/** The class that a field is taken to have: {name, declared}, or null. */
export function classOf(field) {
  const name = field.declared ?? field.proposed ?? null;
  return name && { name, declared: field.declared !== null && field.declared !== undefined };
}

/** Width and height of a box in pixels. */
export function sizeOf(doc, box) {
  const lines = box.lines.filter((line) => line.kind !== 'head');
  const widest = lines.reduce((most, line) => Math.max(most, lineWidth(doc, line)), headWidth(doc, box));
  return {
    width: Math.min(WIDEST, Math.max(NARROWEST, Math.ceil(widest / STEP) * STEP)),
    height: HEAD_HEIGHT + (lines.length ? lines.length * LINE_HEIGHT + BOX_FOOT : 0),
  };
}

/** The height at which edges reach line `l` of a box, from its top. */
export function lineMiddle(l) {
  return l === 0 ? HEAD_HEIGHT / 2 : HEAD_HEIGHT + (l - 0.5) * LINE_HEIGHT;
}

function headWidth(doc, box) {
  if (box.kind === 'group') return widthOf(box.group, 'title') + 2 * GLYPHS + 20;
  const dataset = doc.datasets[box.dataset];
  const findings = doc.findingsOf.has(box.dataset) ? GLYPHS + 8 : 0;
  return widthOf(dataset.name, 'title') + 2 * GLYPHS + findings + 20;
}

function lineWidth(doc, line) {
  if (line.kind !== 'field') return NARROWEST;
  const d = doc.datasetOf[line.id];
  const field = doc.datasets[d].fields[line.id - doc.firstField[d]];
  const chip = classOf(field);
  // as wide as it is in bold, once it is lit
  return widthOf(field.name, 'title') + (chip ? widthOf(chip.name, 'small') + 26 : 0) + 44;
}
