// The address of what is looked at: #crm.learners.email?mode=impact&at=2026-11-30T02:00:00Z&depth=2
import { OPENING } from './state.js';

const MODES = ['impact', 'trace', 'both'];
const GROUPINGS = ['schema', 'namespace', 'none'];
const PARTS = ['mode', 'depth', 'at', 'kinds', 'without', 'indirect', 'group', 'only', 'show', 'column'];
/** So many letters of what an address says are said again. */
const LONGEST = 80;

/** Where names lead: resolve(text) → {dataset, field: index or null} or null; nameOf(place) → the text that leads there;
 * othersOf(text) → the other places that a text may mean. */
export function createNames(doc) {
  const places = new Map();
  doc.datasets.forEach(({ namespace, name, asset }, d) => {
    // of tables that share a name the project's own has it
    if (!places.has(name) || (asset && !doc.datasets[places.get(name)].asset)) places.set(name, d);
    if (!places.has(`${namespace}/${name}`)) places.set(`${namespace}/${name}`, d);
  });
  const fieldOf = (dataset, name) => doc.datasets[dataset].fields.findIndex((field) => field.name === name);
  const resolve = (text) => {
    if (places.has(text)) return { dataset: places.get(text), field: null };
    for (let end = text.lastIndexOf('.'); end > 0; end = text.lastIndexOf('.', end - 1)) {
      const dataset = places.get(text.slice(0, end));
      const field = dataset === undefined ? -1 : fieldOf(dataset, text.slice(end + 1));
      if (field >= 0) return { dataset, field };
    }
    return null;
  };
  // of several tables of one name none has it for itself, unless it alone is the project's own
  const namesakes = (d) => (doc.shared.has(doc.datasets[d].name) ? sameName(doc, d) : [d]);
  const isVague = (d) => {
    const same = namesakes(d);
    return same.length > 1 && same.filter((it) => doc.datasets[it].asset).length !== 1;
  };
  const tableOf = (d) => {
    const { namespace, name } = doc.datasets[d];
    return places.get(name) === d && !isVague(d) ? name : `${namespace}/${name}`;
  };
  const nameOf = ({ dataset, field }) =>
    field === null ? tableOf(dataset) : `${tableOf(dataset)}.${doc.datasets[dataset].fields[field].name}`;
  const othersOf = (text) => {
    const found = resolve(text);
    if (!found || !isVague(found.dataset) || text.startsWith(doc.datasets[found.dataset].namespace)) return [];
    const column = found.field === null ? null : doc.datasets[found.dataset].fields[found.field].name;
    return namesakes(found.dataset)
      .filter((d) => d !== found.dataset)
      .map((dataset) => ({ dataset, field: column === null ? null : fieldOf(dataset, column) }))
      .filter(({ field }) => field !== -1);
  };
  return {
    resolve,
    othersOf,
    nameOf,
    fieldOf,
    datasetOf: (name) => places.get(name),
    /** The table's name, with its namespace where another has the same. */
    tableOf,
  };
}

function sameName(doc, d) {
  return [...doc.datasets.keys()].filter((it) => doc.datasets[it].name === doc.datasets[d].name);
}

/** The hash of a state; what is as the page opens is left out. */
export function hashOf(doc, names, state) {
  const query = new URLSearchParams();
  const put = (key, value, usual) => {
    if (value !== usual) query.set(key, value);
  };
  const { selected } = state;
  let target = selected ? names.nameOf(selected) : '';
  const back = selected && names.resolve(target);
  if (selected && (back?.dataset !== selected.dataset || back.field !== selected.field)) {
    target = names.tableOf(selected.dataset);
    query.set('column', doc.datasets[selected.dataset].fields[selected.field].name);
  }
  put('mode', state.mode, OPENING.mode);
  put('at', state.at, null);
  put('depth', state.depth, null);
  put('indirect', state.hideIndirect ? 'hidden' : 'shown', 'shown');
  for (const [key, kinds] of kindsSaid(doc, state.kinds)) put(key, kinds, null);
  put('group', state.grouping, OPENING.grouping);
  put('only', state.focus ? 'reached' : 'all', 'all');
  put('show', state.tab, OPENING.tab);
  // both may stand in a fragment as they are
  const options = query.toString().replaceAll('%2C', ',').replaceAll('%3A', ':');
  return `#${encodeURIComponent(target)}${options ? `?${options}` : ''}`;
}

/** The kinds that are followed, or those that are not where these are fewer. */
function kindsSaid(doc, kinds) {
  if (!kinds) return [];
  const words = (all) => all.map((k) => doc.kinds[k].replace(' ', '-')).join(',');
  const every = [...doc.kinds.keys()];
  const without = every.filter((k) => !kinds.has(k));
  return without.length < kinds.size ? [['without', words(without)]] : [['kinds', words(every.filter((k) => kinds.has(k)))]];
}

/** What a hash asks for: {patch, wrong: what it says that cannot be, as sentences, missing: the name that leads nowhere, or
 * null, others: what else the name may mean}. Never fails. */
export function readHash(doc, names, hash) {
  const text = hash.replace(/^#/, '');
  const cut = text.indexOf('?');
  const query = new URLSearchParams(cut < 0 ? '' : text.slice(cut + 1));
  const wrong = [];
  const one = (key, allowed, usual) => {
    if (!query.has(key) || allowed.includes(query.get(key))) return query.get(key) ?? usual;
    wrong.push(`${key} can be ${allowed.join(', ')}, not ${short(query.get(key))}.`);
    return usual;
  };
  const target = decoded(cut < 0 ? text : text.slice(0, cut));
  const selected = targetOf(names, target, query.get('column'));
  const missing = target && !selected ? [target, query.get('column')].filter(Boolean).join('.') : null;
  for (const key of new Set(query.keys()))
    if (!PARTS.includes(key)) wrong.push(`${short(key)} is no part of an address here: there are ${PARTS.join(', ')}.`);
  const patch = {
    selected,
    mode: one('mode', MODES, OPENING.mode),
    at: instantOf(query.get('at'), wrong),
    depth: depthOf(query.get('depth'), wrong),
    hideIndirect: one('indirect', ['shown', 'hidden'], 'shown') === 'hidden',
    kinds: kindsOf(doc, query, wrong),
    grouping: one('group', GROUPINGS, OPENING.grouping),
    focus: one('only', ['all', 'reached'], 'all') === 'reached',
    tab: one('show', ['details', 'findings'], 'details'),
  };
  return { patch, wrong, missing, others: names.othersOf(target) };
}

/** The beginning of a text that somebody wrote, however long it is. */
export function short(text) {
  const letters = [...text];
  return letters.length > LONGEST ? `${letters.slice(0, LONGEST).join('')}…` : text;
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return text;
  }
}

function targetOf(names, text, column) {
  const found = text ? names.resolve(text) : null;
  if (!found || column === null) return found;
  const field = names.fieldOf(found.dataset, column);
  return field < 0 ? null : { dataset: found.dataset, field };
}

function instantOf(text, wrong) {
  if (text === null) return null;
  const at = new Date(text);
  if (!Number.isNaN(at.getTime())) return at.toISOString();
  wrong.push(`${short(text)} is no time: at is an instant such as 2026-11-30T02:00:00Z.`);
  return null;
}

function depthOf(text, wrong) {
  if (text === null) return null;
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  wrong.push(`depth is a number of hops from 1 on, not ${short(text)}.`);
  return null;
}

function kindsOf(doc, query, wrong) {
  const found = namedKinds(doc, query.get('kinds'), wrong);
  const without = namedKinds(doc, query.get('without'), wrong);
  if (!without) return found;
  return new Set([...(found ?? doc.kinds.keys())].filter((k) => !without.has(k)));
}

function namedKinds(doc, text, wrong) {
  if (text === null) return null;
  const found = new Set();
  for (const word of text.split(',').filter(Boolean)) {
    const kind = doc.kinds.indexOf(word.replace('-', ' '));
    if (kind < 0) wrong.push(`${short(word)} is no kind of edge.`);
    else found.add(kind);
  }
  return found;
}
