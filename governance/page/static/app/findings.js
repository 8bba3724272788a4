// What the rules found, the worst first, each with the way to its place.
import { byId, counting, longList, make, named } from './dom.js';
import { placeLink } from './words.js';

/** Shows all findings in their tab, and how many there are on it. */
export function drawFindings(page) {
  const { findings, part } = page.doc;
  const worst = [...findings].sort((a, b) => (a.severity === 'ERROR' ? 0 : 1) - (b.severity === 'ERROR' ? 0 : 1));
  const errors = findings.filter((it) => it.severity === 'ERROR').length;
  byId('tab-findings').replaceChildren(
    'Findings ',
    make('span', { class: errors ? 'count error' : 'count' }, String(findings.length)),
  );
  const shown = [
    make('h2', {}, 'Findings'),
    make('p', {}, findings.length ? saidOf(errors, findings.length - errors) : noneOf(part)),
    part?.findings ? make('p', { class: 'none' }, `${counting(part.findings, 'finding')} of tables that are not here.`) : null,
    longList(worst, (finding) => findingItem(page, finding), 100, { class: 'findings' }),
  ];
  byId('findings').replaceChildren(...shown.filter(Boolean));
}

function noneOf(part) {
  return part ? 'The rules found nothing about these tables.' : 'The rules found nothing.';
}

function saidOf(errors, warnings) {
  return [errors ? counting(errors, 'error') : null, warnings ? counting(warnings, 'warning') : null]
    .filter(Boolean)
    .join(', ');
}

/** One finding: what is wrong, where, and what to do. */
export function findingItem(page, { rule, severity, table, column, message, fix }) {
  const name = column ? `${table}.${column}` : table;
  const place = page.names.resolve(name) ?? page.names.resolve(table);
  return make(
    'li',
    { class: severity === 'ERROR' ? 'finding error' : 'finding warn' },
    make(
      'div',
      { class: 'what' },
      make('span', { class: 'severity' }, severity === 'ERROR' ? 'error' : 'warning'),
      ' ',
      make('code', {}, rule),
    ),
    make('div', {}, place ? placeLink(page, place, name) : named(name)),
    make('p', {}, named(message)),
    fix ? make('p', { class: 'fix' }, make('b', {}, 'Fix: '), named(fix)) : null,
  );
}
