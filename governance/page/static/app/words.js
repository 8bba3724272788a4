// The small pieces that every list of the panel is made of.
import { fieldAt, placeOf } from './model.js';
import { make, named } from './dom.js';
import { hashOf } from './link.js';

const CLASS_COLOURS = 4;
const LEARNED = {
  parsed: 'parsed: from the SQL, confirmed by its run',
  emitted: 'emitted by the engine as it ran',
  declared: 'declared by hand',
  observed: 'observed in a query log',
  scanned: 'scanned in a catalog',
};

/** A link to a place, all else left as it is; `label` in place of its whole name. */
export function placeLink(page, place, label = page.names.nameOf(place)) {
  const state = { ...page.store.get(), selected: place, tab: 'details' };
  return make('a', { href: hashOf(page.doc, page.names, state), class: 'place' }, named(label));
}

/** A link to a field id: its table and column, or the column alone. */
export function fieldLink(page, id, whole = true) {
  const place = placeOf(page.doc, id);
  return whole ? placeLink(page, place) : placeLink(page, place, fieldAt(page.doc, id).name);
}

/** A chip of a class; dashed where it is only proposed. */
export function chip(doc, name, declared = true) {
  const rank = doc.classes.indexOf(name);
  const colour = rank < 0 ? 0 : Math.round((rank * (CLASS_COLOURS - 1)) / Math.max(1, doc.classes.length - 1));
  return make(
    'span',
    {
      class: `chip class-${colour} ${declared ? 'declared' : 'proposed'}`,
      title: declared ? 'declared' : 'proposed by lineage',
    },
    named(name),
  );
}

/** The chip of the class that a field is taken to have, or null. */
export function chipOf(doc, field) {
  if (field.declared) return chip(doc, field.declared);
  return field.proposed ? chip(doc, field.proposed, false) : null;
}

/** How an edge is used, in words of its own colour; said where its value is masked. */
export function kindWord(doc, kind, masking) {
  const word = make(
    'span',
    { class: doc.direct[kind] ? 'kind direct' : 'kind indirect' },
    doc.kinds[kind].replace('_', ' '),
  );
  return make(
    'span',
    {},
    word,
    masking ? make('span', { class: 'masked', title: 'through a masking function' }, ' masked') : null,
  );
}

/** How lineage came to be known. */
export function learnedWord(learned) {
  return LEARNED[learned] ?? learned;
}

/** A list of terms and what they say; entries whose value is null are left out. */
export function facts(entries) {
  const shown = entries.filter(([, value]) => value !== null && value !== undefined && value !== '');
  return make(
    'dl',
    { class: 'facts' },
    ...shown.flatMap(([term, value]) => [make('dt', {}, term), make('dd', {}, value)]),
  );
}

/** A section of the panel with its heading, a count beside it where there is one. */
export function part(title, count, ...children) {
  const said = count === null ? [title] : [title, ' ', make('span', { class: 'count' }, count.toLocaleString('en'))];
  return make('section', {}, make('h3', {}, ...said), ...children);
}
