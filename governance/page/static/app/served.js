// A page that a server gave asks it now and then whether there is something newer; a page in a file asks nobody.
import { byId, make } from './dom.js';
import { isServed } from './part.js';

const EVERY = 15_000;

/** Begins to ask, where the page says that it was served; a part may be of what was known before the server read anew. */
export function watchServer({ part, state: made }) {
  if (!isServed()) return;
  let first = part ? made : null;
  const ask = async () => {
    if (document.hidden) return;
    const state = await stateNow();
    first ??= state;
    if (state === null || state === first) return;
    clearInterval(asking);
    const said = notice(['There is newer lineage than this page shows.'], ['Reload'], () => location.reload());
    said.dataset.stays = 'yes';
  };
  const asking = setInterval(ask, EVERY);
  ask();
}

/** The digest that the server gives, or null while it does not answer. */
async function stateNow() {
  try {
    const answer = await fetch('version', { cache: 'no-store' });
    return answer.ok ? (await answer.json()).state : null;
  } catch (error) {
    // it was stopped, or restarts: it is asked again
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** Says something at the top of the page (pieces of text and elements), with one thing to do about it; what says the same
 * takes its place. Returns its element. */
export function notice(said, label = null, act = null) {
  const close = make('button', { type: 'button', 'aria-label': 'Close', onclick: () => it.remove() }, '×');
  const it = make(
    'div',
    { class: 'notice' },
    make('span', {}, ...said),
    label ? make('button', { type: 'button', onclick: act }, ...label) : null,
    close,
  );
  for (const other of byId('notices').children) if (other.textContent === it.textContent) other.remove();
  byId('notices').append(it);
  return it;
}

/** Takes away what was said of what is no longer looked at. */
export function clearNotices() {
  for (const it of document.querySelectorAll('#notices .notice:not([data-stays])')) it.remove();
}
