// The panel: all that the document says of the table or column that is selected.
import { each, fieldAt, fieldId } from './model.js';
import { byId, counting, longList, make, moment, named } from './dom.js';
import { findingItem } from './findings.js';
import { makingOf, rowsPart, runFacts } from './made.js';
import { outsideNote } from './part.js';
import { overviewOf } from './overview.js';
import { reachedParts } from './reached.js';
import { lineageText } from './text.js';
import { chip, chipOf, facts, fieldLink, kindWord, part, placeLink } from './words.js';

const WORD_MEANS = {
  'pass-through': 'one column as it is, under its own name',
  renamed: 'one column as it is, under another name',
  derived: 'computed from other columns',
  source: 'from no column that is known here',
  unknown: 'its lineage is not known',
  outside: 'what it is made from is not in this part',
};
const ORIGIN_MEANS = {
  pipeline: 'built by a pipeline',
  source: 'a source: no known job writes it',
  unknown: 'unknown',
};

/** Shows the page's selection: `page` is {doc, names, store, graph, result}. */
export function drawPanel(page) {
  const { selected, at } = page.store.get();
  const panel = byId('details');
  const then = at ?? page.doc.as_of;
  const past =
    then &&
    make('p', { class: 'past' }, `Lineage as of ${moment(then)}; classes, findings and descriptions are the latest.`);
  const parts = !selected
    ? overviewOf(page)
    : selected.field === null
      ? datasetParts(page, selected.dataset)
      : fieldParts(page, selected);
  const focused = panel.contains(document.activeElement);
  panel.replaceChildren(...[past, ...parts].filter(Boolean));
  // what had the focus is no more
  if (focused) panel.focus({ preventScroll: true });
  panel.scrollTop = 0;
}

function fieldParts(page, { dataset, field }) {
  const { doc, graph } = page;
  const id = fieldId(doc, dataset, field);
  const it = fieldAt(doc, id);
  return [
    make('p', { class: 'crumb' }, 'column of ', placeLink(page, { dataset, field: null })),
    make('h2', { class: 'subject' }, named(it.name)),
    outsideNote(page, dataset),
    graph.present[id]
      ? null
      : make(
          'p',
          { class: 'warn' },
          it.gone
            ? 'Not in the table’s latest schema: this is what was.'
            : 'Not in the table at the time that is shown.',
        ),
    facts([
      ['Type', it.type && make('code', {}, named(it.type))],
      ['Description', it.description && named(it.description)],
      ['How made', make('span', { title: WORD_MEANS[it.word] ?? null }, it.word, unfedWords(page, id, it.word))],
      ['Class', classFacts(doc, it)],
      ['Owner', doc.datasets[dataset].owner && named(doc.datasets[dataset].owner)],
    ]),
    decidedPart(page, it),
    findingsPart(
      page,
      (doc.findingsOf.get(dataset) ?? []).filter((finding) => finding.column === it.name),
    ),
    ...makingOf(page, id),
    ...resultParts(page),
  ];
}

/** Why nothing is known to feed a column, in the words of `headwater trace`; empty where something does. */
function unfedWords({ doc, graph }, id, word) {
  const writes = graph.writes.filter((write) => write.dataset === doc.datasetOf[id]);
  if (word === 'source') return writes.length ? ' (no recorded input)' : ' (no further lineage)';
  if (word !== 'unknown') return '';
  return writes.some((write) => write.traced) ? ' (its column lineage leaves it out)' : ' (no column lineage was sent)';
}

function classFacts(doc, { declared, proposed }) {
  if (!declared && doc.part && !doc.part.proposed)
    return make('span', { class: 'none' }, 'none declared; what lineage proposes is not in this part');
  if (!declared && !proposed) return make('span', { class: 'none' }, 'neither declared nor proposed');
  const low = declared && proposed && doc.classes.indexOf(proposed) > doc.classes.indexOf(declared);
  return make(
    'span',
    { class: 'classes' },
    declared ? make('span', {}, chip(doc, declared), ' declared') : 'none declared',
    proposed ? make('span', {}, chip(doc, proposed, false), ' proposed') : null,
    low ? make('strong', { class: 'error' }, 'declared too low') : null,
  );
}

function decidedPart(page, { decided }) {
  if (!decided?.length) return null;
  const item = ({ source, kind, masking }) => {
    const place = page.names.resolve(source);
    return make(
      'li',
      {},
      place ? placeLink(page, place, source) : named(source),
      ' ',
      kindWord(page.doc, kind, masking),
    );
  };
  return make(
    'details',
    { class: 'decided', open: decided.length <= 3 },
    make('summary', {}, `The proposal is decided by ${counting(decided.length, 'input')}`),
    longList(decided, item, 12),
  );
}

function datasetParts(page, d) {
  const { doc, graph } = page;
  const it = doc.datasets[d];
  const writes = graph.writes.map((write, w) => ({ ...write, w })).filter((write) => write.dataset === d);
  return [
    make('p', { class: 'crumb' }, it.format ? `${it.format} files in ` : 'table in ', named(it.namespace)),
    make('h2', { class: 'subject' }, named(it.name)),
    outsideNote(page, d),
    it.stale ? make('p', { class: 'warn' }, 'The catalog has it no longer: its lineage is of what was.') : null,
    datasetFacts(doc, it),
    findingsPart(page, doc.findingsOf.get(d) ?? []),
    columnsPart(page, d),
    ...writes.map((write) => writtenPart(page, write)),
    readersPart(page, d),
    ...resultParts(page),
  ];
}

function datasetFacts(doc, it) {
  return facts([
    ['Description', it.description && named(it.description)],
    ['Owner', it.owner ? named(it.owner) : make('span', { class: 'none' }, 'nobody')],
    ['Criticality', it.criticality ?? make('span', { class: 'none' }, 'not stated')],
    ['Origin', ORIGIN_MEANS[it.origin] ?? it.origin],
    ['In Dagster', dagsterLink(doc, it)],
  ]);
}

/** The job that writes a table: its run, what it reads, what shapes the rows. */
function writtenPart(page, write) {
  const untold = write.traced ? null : make('p', { class: 'warn' }, 'This job told no column lineage.');
  return part('Written by', null, runFacts(write), untold, readsOf(page, write), rowsPart(page, write));
}

function readersPart(page, d) {
  const { graph } = page;
  const flows = [];
  each(graph.flowsFrom, d, (f) => flows.push(f));
  if (!flows.length) return null;
  const item = (f) =>
    make(
      'li',
      {},
      make('div', { class: 'table' }, placeLink(page, { dataset: graph.flowTarget[f], field: null })),
      make('div', { class: 'none' }, 'by job ', named(graph.writes[graph.flowWrite[f]].job)),
    );
  return part('Read into', flows.length, longList(flows, item, 20, { class: 'tables' }));
}

function readsOf(page, write) {
  if (!write.inputs.length) return null;
  return make(
    'p',
    { class: 'reads' },
    'reads ',
    ...write.inputs.flatMap((d, i) => [i ? ', ' : '', placeLink(page, { dataset: d, field: null })]),
  );
}

function columnsPart(page, d) {
  const { doc, graph } = page;
  const ids = doc.datasets[d].fields.map((_, i) => doc.firstField[d] + i);
  const item = (id) => {
    const field = fieldAt(doc, id);
    return make(
      'li',
      { class: graph.present[id] ? null : 'absent' },
      fieldLink(page, id, false),
      field.type ? make('code', { class: 'type' }, named(field.type)) : null,
      chipOf(doc, field),
    );
  };
  return part('Columns', ids.length, longList(ids, item, 60, { class: 'schema' }));
}

/** The asset's page in Dagster; only an address that is one of the web is made a link. */
function dagsterLink(doc, { asset }) {
  if (!asset || !doc.dagster || !/^https?:\/\//.test(doc.dagster)) return null;
  const path = asset.map((step) => encodeURIComponent(step)).join('/');
  return make(
    'a',
    { href: `${doc.dagster.replace(/\/$/, '')}/assets/${path}`, target: '_blank', rel: 'noopener noreferrer' },
    'asset ',
    named(asset.join(' / ')),
  );
}

function findingsPart(page, findings) {
  if (!findings.length) return null;
  const list = longList(findings, (finding) => findingItem(page, finding), 10, { class: 'findings' });
  return make(
    'details',
    { class: 'found', open: findings.length <= 2 },
    make('summary', {}, counting(findings.length, 'finding')),
    list,
  );
}

function resultParts(page) {
  const { mode } = page.store.get();
  return [...reachedParts(page, page.result, mode), lineageText(page, page.result, mode)];
}
