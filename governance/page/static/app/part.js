// A page that shows a part of a large graph: what is left out is said, and the way there is through the server.
import { byId, counting, make, moment, named } from './dom.js';

const PASTS = [[7, '7 days'], [30, '30 days'], [365, 'year']];

/** Whether a server gave this page, which can be asked for more. */
export function isServed() {
  return document.querySelector('meta[name="headwater-served"]') !== null;
}

/** Says above all else what the part is, and what is not in it. */
export function showPart({ doc, names }) {
  if (!doc.part) return;
  const { part } = doc;
  const around = named(names.nameOf({ dataset: part.around, field: null }));
  const left = [
    part.latest ? 'Of each job its latest run alone is here.' : null,
    part.since ? `All runs since ${moment(part.since)} are here, and of earlier ones those that stand.` : null,
    part.proposed ? null : 'Proposed classes are left out: headwater propose has them.',
    part.findings ? `${counting(part.findings, 'finding')} of other tables are left out: headwater check has them.` : null,
    isServed() ? 'The search box finds all tables.' : 'headwater report --around TABLE shows those around another.',
  ];
  const said = make(
    'section',
    { id: 'part', 'aria-label': 'What of the graph is here' },
    make('strong', {}, `${part.tables.toLocaleString('en')} of ${counting(part.of, 'table')}: `),
    ...extent(part, around),
    ' ',
    left.filter(Boolean).join(' '),
    ...(isServed() && (part.latest || part.since) ? earlierLinks(names.nameOf({ dataset: part.around, field: null })) : []),
  );
  byId('notices').before(said);
}

/** The ways to the same part with the runs of more days: they are read when they are asked for. */
function earlierLinks(around) {
  const link = ([days, said]) => {
    const href = `?around=${encodeURIComponent(around)}&past=${days}`;
    const go = (event) => {
      event.preventDefault();
      location.assign(`${href}${location.hash}`);
    };
    return [' ', make('a', { href, onclick: go }, said)];
  };
  return [' Runs of the last', ...PASTS.flatMap(link), '.'];
}

/** The moment before which the page does not tell what stood; null where it tells all. */
export function toldSince({ part, generated }) {
  if (!part) return null;
  return part.latest ? generated : (part.since ?? null);
}

function extent({ hops, cut }, around) {
  if (hops === null) return ['all that leads to ', around, ' or comes from it.'];
  const near = hops ? ['all that is within ', counting(hops, 'hop'), ' of ', around] : ['', around, ' and what it reads'];
  if (!cut) return [...near, hops ? ' and what that reads; all beyond is left out.' : '; all beyond is left out.'];
  const next = counting(hops + 1, 'hop');
  const left = `${counting(cut, 'table')} there ${cut === 1 ? 'is' : 'are'} left out, and all beyond.`;
  return [...near, `, and some of what is ${next} away: ${left}`];
}

/** The address of the part around a table, at a place in it. */
export function partAt(around, name) {
  return `?around=${encodeURIComponent(around)}#${encodeURIComponent(name)}`;
}

/** Goes to the part in which a name is that is not in this one; answers whether there may be such a part. */
export function leaveFor(doc, name) {
  if (!doc.part || !isServed() || new URLSearchParams(location.search).get('around') === name) return false;
  location.replace(`?around=${encodeURIComponent(name)}${location.hash}`);
  return true;
}

/** How many tables next to one are left out, and the way to them; null where none is. */
export function outsideNote({ doc, names }, dataset) {
  const { outside } = doc.datasets[dataset];
  if (!outside) return null;
  const [above, below] = outside;
  const said = [
    above ? `${counting(above, 'table')} that it reads` : null,
    below ? `${counting(below, 'table')} that ${below === 1 ? 'reads' : 'read'} it` : null,
  ];
  const name = names.nameOf({ dataset, field: null });
  return make(
    'p',
    { class: 'warn outside' },
    `Not in this part: ${said.filter(Boolean).join(', and ')}. `,
    isServed() && dataset !== doc.part.around ? make('a', { href: partAt(name, name) }, 'Show the part around it') : null,
  );
}

/** Whether what is reached goes on, or may, where the part ends: `datasets` are those reached. */
export function leadsOut(doc, datasets, side) {
  return Boolean(doc.part) && [...datasets].some((d) => doc.datasets[d].outside?.[side] > 0);
}

/** Asks the server for names; answers {found, more}, or null where it does not answer. */
export async function askNames(typed) {
  try {
    const answer = await fetch(`find?q=${encodeURIComponent(typed)}`, { cache: 'no-store' });
    return answer.ok ? await answer.json() : null;
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}
