// What is reached, as lists by table: by value, with the rows, and what cannot be told.
import { counting, longList, make, named } from './dom.js';
import { fieldLink, part, placeLink } from './words.js';

/** The sections on where it leads to and where it comes from, as the mode asks. */
export function reachedParts(page, result, mode) {
  const down = [
    part('Changes values of', result.values.size, byTable(page, result.values, result.hops, 'No column takes its value from this.')),
    part('Changes rows or steers', result.population.size, byTable(page, result.population, result.hops, 'No column changes with rows that this decides.')),
    part('Tables whose rows change', result.tables.size, tables(page, result.tables, 'No table’s rows depend on this.')),
    unknownPart(page, 'Unknown, for want of column lineage', result.unknown, result.unknownTables),
  ];
  const up = [
    part('Takes its value from', result.upValues.size, byTable(page, result.upValues, result.hops, 'From no other column.')),
    part('Rows decided or steered by', result.upPopulation.size, byTable(page, result.upPopulation, result.hops, 'By no other column.')),
    part('Tables whose rows it follows', result.upTables.size, tables(page, result.upTables, 'None.')),
    unknownPart(page, 'Unknown upstream', new Set(), result.upUnknownTables),
  ];
  const [impact, trace] = [down, up].map((parts) => parts.filter(Boolean));
  return { impact: [group('Downstream', 'value', impact)], trace: [group('Upstream', 'value', trace)] }[mode] ?? [group('Downstream', 'down', impact), group('Upstream', 'up', trace)];
}

function group(title, className, parts) {
  return make('div', { class: `reached ${className}` }, make('h2', {}, title), ...parts);
}

/** One sentence for those who do not see the graph. */
export function summaryOf(page, result, mode) {
  const subject = page.names.nameOf(result.start);
  const tablesOf = (sets) => new Set(sets.flatMap((ids) => [...ids].map((id) => page.doc.datasetOf[id])));
  const down = [counting(result.values.size, 'column') + ' by value', `${result.population.size.toLocaleString('en')} by rows`,
    `in ${counting(new Set([...tablesOf([result.values, result.population]), ...result.tables]).size, 'table')}`];
  const unknown = result.unknown.size + result.unknownTables.size;
  if (unknown) down.push(`${unknown.toLocaleString('en')} unknown`);
  const up = [counting(result.upValues.size, 'column') + ' by value', `${result.upPopulation.size.toLocaleString('en')} by rows`];
  const said = [];
  if (mode !== 'trace') said.push(`reaches ${down.join(', ')}`);
  if (mode !== 'impact') said.push(`comes from ${up.join(', ')}`);
  return `${subject} ${said.join('; ')}.`;
}

/** Columns under their tables, the nearest table first, each with its owner. */
function byTable(page, ids, hops, none) {
  if (!ids.size) return make('p', { class: 'none' }, none);
  const byDataset = new Map();
  for (const id of ids) {
    const d = page.doc.datasetOf[id];
    if (!byDataset.has(d)) byDataset.set(d, []);
    byDataset.get(d).push(id);
  }
  const near = (list) => list.reduce((least, id) => Math.min(least, hops(id) ?? Infinity), Infinity);
  const groups = [...byDataset].map(([d, list]) => ({ d, list, near: near(list) }));
  groups.sort((a, b) => a.near - b.near || (page.doc.datasets[a.d].name < page.doc.datasets[b.d].name ? -1 : 1));
  return longList(groups, ({ d, list }) => make('li', {}, tableLine(page, d),
    longList(list.sort((a, b) => a - b), (id) => make('li', {}, fieldLink(page, id, false)), 30, { class: 'columns' })), 20, { class: 'tables' });
}

function tables(page, datasets, none) {
  if (!datasets.size) return make('p', { class: 'none' }, none);
  return longList([...datasets].sort((a, b) => a - b), (d) => make('li', {}, tableLine(page, d)), 30, { class: 'tables' });
}

function tableLine(page, d) {
  const { owner } = page.doc.datasets[d];
  return make('div', { class: 'table' }, placeLink(page, { dataset: d, field: null }), make('span', { class: 'owner' }, owner ? named(owner) : 'no owner'));
}

function unknownPart(page, title, fields, datasets) {
  if (!fields.size && !datasets.size) return null;
  return part(title, fields.size + datasets.size, datasets.size ? tables(page, datasets, '') : null, fields.size ? byTable(page, fields, () => null, '') : null);
}
