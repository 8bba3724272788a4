// What is reached, as lists by table: by value, with the rows, and what cannot be told.
import { isNamed } from './model.js';
import { leadsOut } from './part.js';
import { counting, longList, make, named } from './dom.js';
import { fieldLink, part, placeLink } from './words.js';

const NOTHING_HERE = 'Nothing that is in this part.';
const LEADS_OUT = 'It may go on beyond this part: headwater impact and headwater lineage have all of it.';

/** Whether what is reached goes on, or may, beyond the part that the page shows: {down, up}. */
function leaving(doc, result) {
  const own = result.start.dataset;
  const of = (...sets) => sets.flatMap((ids) => [...ids].map((id) => doc.datasetOf[id]));
  const down = [own, ...of(result.values, result.population, result.unknown), ...result.tables, ...result.unknownTables];
  const up = [own, ...of(result.upValues, result.upPopulation), ...result.upTables, ...result.upUnknownTables];
  return { down: leadsOut(doc, down, 1), up: leadsOut(doc, up, 0) };
}

/** The sections on where it leads to and where it comes from, as the mode asks. */
export function reachedParts(page, result, mode) {
  const leaves = leaving(page.doc, result);
  const untold = isNamed(page.doc, result.start) ? [] : [make('p', { class: 'warn' }, unnamedWords(result.start))];
  const down = () =>
    group('Downstream', leaves.down ? NOTHING_HERE : 'Nothing: no column and no table is known to depend on it.', [
      leaves.down ? make('p', { class: 'warn' }, LEADS_OUT) : null,
      columnsReached(page, 'value', 'Values change', result.values),
      columnsReached(page, 'population', 'Rows change, or it is steered', result.population),
      rowsReached(page, 'Tables whose rows change', result.tables),
      unknownPart(page, 'Unknown, for want of column lineage', result.unknown, result.unknownTables),
    ]);
  const up = () =>
    group('Upstream', leaves.up ? NOTHING_HERE : 'Nothing: it comes from no column or table that is known here.', [
      leaves.up ? make('p', { class: 'warn' }, LEADS_OUT) : null,
      columnsReached(page, 'value', 'Its value comes from', result.upValues),
      columnsReached(page, 'population', 'Its rows or steering come from', result.upPopulation),
      rowsReached(page, 'Tables whose rows it follows', othersUp(result)),
      unknownPart(page, 'Unknown, for want of column lineage', new Set(), result.upUnknownTables),
    ]);
  return [...untold, ...(mode === 'trace' ? [] : [down()]), ...(mode === 'impact' ? [] : [up()])];
}

/** That no event names a place is not the same as that nothing depends on it. */
function unnamedWords({ field }) {
  return field === null
    ? 'No event names this table: files or the catalog have it, and what reads or writes it is not known.'
    : 'No event names this column: files or the catalog have it, and no run that was read says what uses it.';
}

/** The tables upstream by their rows; that a column follows the rows of its own table goes without saying. */
function othersUp({ upTables, start: { dataset } }) {
  return new Set([...upTables].filter((d) => d !== dataset));
}

function group(title, none, parts) {
  const shown = parts.filter(Boolean);
  return make(
    'div',
    { class: 'reached' },
    make('h2', {}, title),
    ...(shown.length ? shown : [make('p', { class: 'none' }, none)]),
  );
}

function columnsReached(page, touch, title, ids) {
  return ids.size ? marked(touch, part(title, ids.size, byTable(page, ids, page.result.hops))) : null;
}

function rowsReached(page, title, datasets) {
  return datasets.size ? marked('population', part(title, datasets.size, tables(page, datasets))) : null;
}

function marked(touch, section) {
  section.classList.add(touch);
  return section;
}

/** One sentence for those who do not see the graph, as pieces of text and elements. */
export function summaryOf(page, result, mode) {
  const datasetsOf = (...sets) => sets.flatMap((ids) => [...ids].map((id) => page.doc.datasetOf[id]));
  const down = counts(
    result.values,
    result.population,
    [...datasetsOf(result.values, result.population), ...result.tables],
    result.unknown.size + result.unknownTables.size,
  );
  const up = counts(
    result.upValues,
    result.upPopulation,
    [...datasetsOf(result.upValues, result.upPopulation), ...othersUp(result)],
    result.upUnknownTables.size,
  );
  const leaves = leaving(page.doc, result);
  const on = (leads) => (leads ? ' in this part, and may go on beyond it' : '');
  const said = [
    ...(mode === 'trace' ? [] : [`reaches ${down}${on(leaves.down)}`]),
    ...(mode === 'impact' ? [] : [`comes from ${up}${on(leaves.up)}`]),
  ];
  const which = isNamed(page.doc, result.start) ? '' : ', which no event names,';
  return [named(page.names.nameOf(result.start)), `${which} ${said.join('; ')}.`];
}

function counts(values, population, datasets, unknown) {
  const said = [
    values.size && `${counting(values.size, 'column')} by value`,
    population.size && `${population.size.toLocaleString('en')} by rows`,
    datasets.length && counting(new Set(datasets).size, 'table'),
    unknown && `${unknown.toLocaleString('en')} unknown`,
  ];
  return said.filter(Boolean).join(', ') || 'nothing that is known';
}

/** Columns under their tables, the nearest table first, each with its owner. */
function byTable(page, ids, hops) {
  const byDataset = new Map();
  for (const id of ids) {
    const d = page.doc.datasetOf[id];
    if (!byDataset.has(d)) byDataset.set(d, []);
    byDataset.get(d).push(id);
  }
  const near = (list) => list.reduce((least, id) => Math.min(least, hops(id) ?? Infinity), Infinity);
  const groups = [...byDataset].map(([d, list]) => ({ d, list, near: near(list) }));
  groups.sort((a, b) => a.near - b.near || (page.doc.datasets[a.d].name < page.doc.datasets[b.d].name ? -1 : 1));
  return longList(
    groups,
    ({ d, list }) =>
      make(
        'li',
        {},
        tableLine(page, d),
        longList(
          list.sort((a, b) => a - b),
          (id) => make('li', {}, fieldLink(page, id, false)),
          30,
          { class: 'columns' },
        ),
      ),
    20,
    { class: 'tables' },
  );
}

function tables(page, datasets) {
  return longList(
    [...datasets].sort((a, b) => a - b),
    (d) => make('li', {}, tableLine(page, d)),
    30,
    { class: 'tables' },
  );
}

function tableLine(page, d) {
  const { owner } = page.doc.datasets[d];
  return make(
    'div',
    { class: 'table' },
    placeLink(page, { dataset: d, field: null }),
    make('span', { class: 'owner' }, owner ? named(owner) : 'no owner'),
  );
}

function unknownPart(page, title, fields, datasets) {
  if (!fields.size && !datasets.size) return null;
  return marked(
    'unknown',
    part(
      title,
      fields.size + datasets.size,
      datasets.size ? tables(page, datasets) : null,
      fields.size ? byTable(page, fields, () => null) : null,
    ),
  );
}
