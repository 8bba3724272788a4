// The boxes: a group, a dataset's head, a dataset with its columns.
import { fieldAt, placeOf } from './model.js';
import { svg, svgLabel } from './svg.js';
import { HEAD_HEIGHT, LINE_HEIGHT, classOf, fitted, widthOf } from './measure.js';

const ORIGINS = {
  pipeline: { letter: 'P', title: 'built by a pipeline' },
  source: { letter: 'S', title: 'a source: no known job writes it' },
  unknown: { letter: '?', title: 'of unknown origin' },
};
const CHIP_COLOURS = 4;
/** Less room than this shows no part of a schema's name. */
const LEAST = 24;

/** Draws a box at its place: a `g.group` or a `g.dataset` with its lines. */
export function drawBox(graph, box, { x, y, width, height }) {
  const drawn = box.kind === 'group' ? groupBox(graph, box, width, height) : openOrFolded(graph, box, width, height);
  drawn.setAttribute('transform', `translate(${x},${y})`);
  return drawn;
}

function groupBox(graph, box, width, height) {
  const columns = box.datasets.reduce((sum, d) => sum + graph.doc.datasets[d].fields.length, 0);
  const said = `${counted(box.datasets.length, 'dataset')} · ${counted(columns, 'column')}`;
  const head = svg('g', {
    class: 'head', role: 'button', tabindex: -1, 'aria-expanded': false, 'data-expand': box.key,
    'aria-label': `group ${box.group}, ${said}, folded`,
  },
  svg('rect', { class: 'frame', width, height, rx: 8 }),
  svgLabel('title', 14, 19, fitted(box.group, 'title', width - 44), box.group),
  svgLabel('sub', 14, 35, fitted(said, 'small', width - 28), said),
  svg('text', { class: 'reach', x: 14, y: 35 }),
  chevron(width, '▸'));
  return svg('g', { class: 'group', 'data-key': box.key, role: 'group', 'aria-label': box.group },
    svg('rect', { class: 'behind', x: 5, y: 5, width, height, rx: 8 }), head);
}

function openOrFolded(graph, box, width, height) {
  const dataset = graph.doc.datasets[box.dataset];
  const lines = box.lines.map((line, l) => drawLine(graph, box, line, l, width)).filter(Boolean);
  const classes = ['dataset', box.kind, dataset.stale ? 'stale' : '', `origin-${dataset.origin}`];
  return svg('g', {
    class: classes.filter(Boolean).join(' '), 'data-dataset': box.dataset, 'data-key': box.key,
    role: 'group', 'aria-label': dataset.name,
  },
  svg('rect', { class: 'frame', width, height, rx: 8 }),
  ...(dataset.stale ? [svg('rect', { class: 'hatch', width, height, rx: 8, fill: 'url(#hatch)' })] : []),
  datasetHead(graph, box, width), ...lines, ...foldButtons(graph, box, width));
}

function datasetHead(graph, box, width) {
  const dataset = graph.doc.datasets[box.dataset];
  const findings = graph.doc.findingsOf.get(box.dataset) ?? [];
  const folded = box.kind === 'folded';
  const room = width - 60 - (findings.length ? 30 : 0);
  const columns = counted(graph.doc.datasets[box.dataset].fields.filter((field) => !field.gone).length, 'column');
  const inside = graph.doc.shared.has(dataset.name) ? dataset.namespace : null;
  // where files lie is what their namespace says
  const kept = dataset.format && `${dataset.format} in ${dataset.namespace}`;
  const words = [kept ?? inside, dataset.owner ?? 'no owner', dataset.criticality, folded ? columns : null];
  const said = words.filter(Boolean).join(' · ');
  const spoken = [dataset.name, ORIGINS[dataset.origin].title, said, dataset.stale ? 'dropped' : null,
    findings.length ? counted(findings.length, 'finding') : null, folded ? 'folded' : null];
  return svg('g', {
    class: 'head', role: 'button', tabindex: -1, 'aria-label': spoken.filter(Boolean).join(', '),
    ...(folded ? { 'aria-expanded': false, 'data-expand': box.key } : { 'data-select': box.dataset }),
  },
  svg('rect', { class: 'hit', width, height: HEAD_HEIGHT, rx: 8 }),
  originBadge(dataset),
  titleOf(dataset, room),
  svgLabel('sub', 34, 35, fitted(said, 'small', width - 48), said),
  svg('text', { class: 'reach', x: 34, y: 35 }),
  ...(findings.length ? [findingBadge(findings, width - 56, 6)] : []),
  ...(folded ? [chevron(width, '▸')] : []));
}

function originBadge({ origin, format }) {
  const { letter, title } = ORIGINS[origin];
  // files are a sheet with a corner turned down
  const shape = format
    ? [svg('path', { class: 'sheet', d: 'M9 8H22.5L27 12.5V26H9Z' }), svg('path', { class: 'corner', d: 'M22.5 8V12.5H27' })]
    : [svg('rect', { x: 9, y: 8, width: 18, height: 18, rx: 4 })];
  return svg('g', { class: format ? 'origin file' : 'origin' }, ...shape,
    svg('text', { x: format ? 17 : 18, y: format ? 22 : 21 }, letter), svg('title', {}, format ? `${format} files: ${title}` : title));
}

/** The name, its schema dimmed; the end of it is what tells tables apart, so the schema is what gives way. */
function titleOf(dataset, room) {
  const schema = dataset.group && dataset.name.slice(0, dataset.group.length + 1);
  const table = fitted(dataset.name.slice(schema.length), 'title', room);
  const left = room - widthOf(table, 'title');
  const before = left > LEAST && schema ? fitted(schema, 'title', left) : '';
  const title = svg('text', { class: 'title', x: 34, y: 19 });
  if (before) title.append(svg('tspan', { class: 'schema' }, before));
  title.append(svg('tspan', {}, table), svg('title', {}, dataset.name));
  return title;
}

function findingBadge(findings, x, y) {
  const severe = findings.some((finding) => finding.severity === 'ERROR');
  const said = findings.map((finding) => `${finding.rule}: ${finding.message}`).join('\n');
  return svg('g', { class: `finding ${severe ? 'error' : 'warn'}` },
    svg('rect', { x, y, width: 28, height: 17, rx: 8.5 }),
    svg('text', { x: x + 14, y: y + 12.5 }, `! ${findings.length}`), svg('title', {}, said));
}

function chevron(width, sign) {
  return svg('text', { class: 'chevron', x: width - 17, y: 20 }, sign);
}

function foldButtons(graph, box, width) {
  if (box.kind !== 'open') return [];
  const { name } = graph.doc.datasets[box.dataset];
  const button = (key, x, sign, label, className) => svg('g', {
    class: `fold ${className}`, role: 'button', tabindex: -1, 'data-expand': key, 'aria-label': label,
  }, svg('rect', { x, y: 5, width: 20, height: 20, rx: 4 }), svg('text', { x: x + 10, y: 19 }, sign),
  svg('title', {}, label));
  const buttons = [button(box.key, width - 25, '▾', `fold ${name}`, 'one')];
  if (box.groupKey) buttons.push(button(box.groupKey, width - 25, '«', `fold the group ${box.group}`, 'all'));
  buttons[1]?.setAttribute('transform', 'translate(0,18)');
  return buttons;
}

function drawLine(graph, box, line, l, width) {
  const y = HEAD_HEIGHT + (l - 1) * LINE_HEIGHT;
  if (line.kind === 'rows') return rowsLine(graph, box, y, width);
  if (line.kind === 'more') return moreLine(line, y, width);
  return line.kind === 'field' ? fieldLine(graph, line.id, y, width) : null;
}

function rowsLine(graph, box, y, width) {
  return svg('g', { class: 'rows', transform: `translate(0,${y})` },
    svg('rect', { class: 'hit', x: 1, width: width - 2, height: LINE_HEIGHT }),
    svg('text', { class: 'name', x: 14, y: 15 }, 'rows'),
    svg('title', {}, `which rows ${graph.doc.datasets[box.dataset].name} has: filters, joins and groups lead here`));
}

function moreLine(line, y, width) {
  const said = counted(line.ids.length, 'more column');
  return svg('g', {
    class: 'more', role: 'button', tabindex: -1, transform: `translate(0,${y})`, 'data-expand': line.key,
    'aria-expanded': false, 'aria-label': `show ${said}`,
  }, svg('rect', { class: 'hit', x: 1, width: width - 2, height: LINE_HEIGHT }),
  svg('text', { class: 'name', x: 14, y: 15 }, `… ${said}`), svg('text', { class: 'reach', x: width - 10, y: 15 }));
}

function fieldLine(graph, id, y, width) {
  const { dataset, field: place } = placeOf(graph.doc, id);
  const field = fieldAt(graph.doc, id);
  const chip = classOf(field);
  const chipWidth = chip ? Math.min(110, widthOf(chip.name, 'small') + 14) : 0;
  const found = (graph.doc.findingsOf.get(dataset) ?? []).filter((finding) => finding.column === field.name);
  const spoken = [field.name, field.type, chip && `${chip.name}${chip.declared ? '' : ', proposed'}`, field.word,
    found.length ? counted(found.length, 'finding') : null];
  return svg('g', {
    class: field.gone ? 'field gone' : 'field', role: 'button', tabindex: -1, transform: `translate(0,${y})`,
    'data-field': `${dataset}:${place}`, 'aria-pressed': false, 'aria-label': spoken.filter(Boolean).join(', '),
  },
  svg('rect', { class: 'hit', x: 1, width: width - 2, height: LINE_HEIGHT }),
  ...(found.length ? [svg('circle', { class: `flaw ${severity(found)}`, cx: 6.5, cy: 10.5, r: 2.5 })] : []),
  svg('text', { class: 'name', x: 14, y: 15 }, fitted(field.name, 'title', width - chipWidth - 34)),
  ...(chip ? [classChip(graph.doc, chip, width - chipWidth - 10, chipWidth)] : []),
  svg('title', {}, [field.name, field.type, field.word].filter(Boolean).join(' · ')));
}

function severity(findings) {
  return findings.some((finding) => finding.severity === 'ERROR') ? 'error' : 'warn';
}

/** A chip in the colour of the class's place in the lattice; dashed where it is proposed and not declared. */
function classChip(doc, { name, declared }, x, width) {
  const place = doc.classes.indexOf(name);
  const colour = place < 0 ? 0 : Math.round((place * (CHIP_COLOURS - 1)) / Math.max(1, doc.classes.length - 1));
  return svg('g', { class: `chip class-${colour} ${declared ? 'declared' : 'proposed'}` },
    svg('rect', { x, y: 3, width, height: 15, rx: 7.5 }),
    svg('text', { x: x + width / 2, y: 14 }, fitted(name, 'small', width - 10)),
    svg('title', {}, declared ? `declared ${name}` : `proposed ${name}, not declared`));
}

/** `3 columns`, `1 column`. */
export function counted(count, word) {
  return `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`;
}
