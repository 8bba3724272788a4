// What the panel says while nothing is selected: how much there is, what the signs mean, where to begin.
import { counting, make, moment, named } from './dom.js';
import { svg } from './svg.js';
import { chip, facts, part } from './words.js';

const LINES = [
  ['direct', 'DIRECT: the value flows'],
  ['indirect', 'INDIRECT: it steers values, or decides which rows there are'],
  ['rowsonly', 'the table is read, and no column says how'],
  ['untold', 'its job told no column lineage'],
];
const COLOURS = [
  ['start', 'what is selected'],
  ['value', 'its value flows there, or comes from there'],
  ['population', 'rows change, or it is steered'],
  ['unknown', 'cannot be told'],
];

/** The sections. */
export function overviewOf(page) {
  const { doc, graph } = page;
  const columns = doc.datasets.reduce((sum, it) => sum + it.fields.filter((field) => !field.gone).length, 0);
  return [
    make('h2', { class: 'subject' }, named(doc.title)),
    doc.versions.length || doc.as_of
      ? null
      : make(
          'p',
          { class: 'warn' },
          'No run is recorded: build a table in Dagster or by headwater run, or name events with --events.',
        ),
    make(
      'p',
      {},
      'Click a column to light all that it reaches and all that it comes from; press ',
      make('kbd', {}, '/'),
      ' to find one, ',
      make('kbd', {}, '?'),
      ' for the keys.',
    ),
    facts([
      ['Tables', doc.datasets.length.toLocaleString('en')],
      ['Tables in all', doc.part && doc.part.of.toLocaleString('en')],
      ['Columns', columns.toLocaleString('en')],
      ['Edges', graph.source.length.toLocaleString('en')],
      ['Jobs', new Set(graph.writes.map((it) => it.job)).size.toLocaleString('en')],
      [
        'Runs',
        `${counting(doc.runs.length, 'run')}${doc.runs.length ? `, the last at ${moment(doc.runs.at(-1).at)}` : ''}`,
      ],
      ['As of', doc.as_of && moment(doc.as_of)],
      ['Made', moment(doc.generated)],
    ]),
    ...legends(),
    part(
      'Classes',
      null,
      make('p', { class: 'classes' }, ...doc.classes.map((name) => chip(doc, name))),
      make('p', {}, 'A dashed chip is what lineage proposes where nothing is declared.'),
    ),
  ];
}

function legends() {
  return [
    part(
      'Lines',
      null,
      make(
        'ul',
        { class: 'legend' },
        ...LINES.map(([kind, means]) => make('li', {}, line(kind), make('span', {}, means))),
      ),
    ),
    part(
      'Colours',
      null,
      make(
        'ul',
        { class: 'legend' },
        ...COLOURS.map(([word, means]) =>
          make('li', {}, make('span', { class: `swatch ${word}` }), make('span', {}, means)),
        ),
      ),
    ),
  ];
}

function line(kind) {
  return svg(
    'svg',
    { class: 'graph sample', width: 56, height: 14, 'aria-hidden': true },
    svg(
      'g',
      { class: `link ${kind}` },
      svg('path', { class: 'line', d: 'M2 7H44' }),
      svg('path', { class: 'arrow', d: 'M54 7L44 3V11Z' }),
    ),
  );
}
