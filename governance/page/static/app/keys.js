// The keyboard: what each key does, and the help that says so.
import { byId, make } from './dom.js';

const KEYS = [
  ['/', 'find a column or table'],
  ['↑ ↓', 'in the graph: the column above or below'],
  ['← →', 'in the graph: along an edge, to where it comes from or leads'],
  ['Enter', 'select, open or fold what has the focus'],
  ['Esc', 'close what is open; then: nothing selected'],
  ['g', 'go to the graph'],
  ['p', 'go to the panel'],
  ['i', 'impact: only what is downstream'],
  ['t', 'trace: only what is upstream'],
  ['b', 'both ways'],
  ['h', 'hide INDIRECT, or show it'],
  ['o', 'only what is reached, or all'],
  ['[  ]', 'the run before or after'],
  ['f', 'the whole graph in sight'],
  ['l', 'all that is lit in sight'],
  ['+  −', 'nearer, farther'],
  ['?', 'this help'],
];

/** Opens the help. */
export function showHelp(store) {
  const help = byId('help');
  if (!help.children.length) {
    help.append(
      make('h2', { id: 'help-title' }, 'Keys'),
      make(
        'table',
        {},
        make(
          'tbody',
          {},
          ...KEYS.map(([key, does]) =>
            make(
              'tr',
              {},
              make('th', { scope: 'row' }, ...key.split(/\s+/).flatMap((it, i) => [i ? ' ' : '', make('kbd', {}, it)])),
              make('td', {}, does),
            ),
          ),
        ),
      ),
      make(
        'p',
        {},
        'Drag to move, turn the wheel to zoom. The address says what is selected, how far, as of when and by which edges: ',
        'copy it to share it. What is folded and how near it is are not in it.',
      ),
      make('p', {}, keysSwitch(store)),
      make('form', { method: 'dialog' }, make('button', { autofocus: true }, 'Close')),
    );
  }
  help.showModal();
}

/** Letters that do something are in the way of those who speak to their computer, or whose hand slips. */
function keysSwitch(store) {
  const box = make('input', { type: 'checkbox', checked: store.get().keys });
  box.addEventListener('change', () => store.set({ keys: box.checked }));
  return make('label', { class: 'switch' }, box, 'Keys of one letter or sign do something');
}

/** Listens to the keyboard; `does` maps a key to what it does. */
export function listenKeys({ store, view, search, does }) {
  byId('graph').addEventListener('keydown', (event) => arrows(event, view));
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || byId('help').open) return;
    if (event.key === 'Escape') {
      store.set({ selected: null });
      return;
    }
    if (!store.get().keys || event.target.closest('input:not([type="checkbox"], [type="range"]), select')) return;
    const act = { '/': () => search.focus(), '?': () => showHelp(store), ...does }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}

function arrows(event, view) {
  if (!event.key.startsWith('Arrow') || event.ctrlKey || event.metaKey || event.altKey) return;
  const from = placeUnder(event.target);
  const to = from && view.neighbour(from, event.key);
  if (!to) return;
  event.preventDefault();
  view.focus(to);
}

/** The place of the element that has the focus, as the drawing's own marks say it. */
function placeUnder(target) {
  const field = target.closest('[data-field]');
  if (field) {
    const [dataset, place] = field.dataset.field.split(':').map(Number);
    return { dataset, field: place };
  }
  const box = target.closest('[data-key]');
  if (!box) return null;
  const { dataset, key } = box.dataset;
  return dataset === undefined ? { dataset: -1, field: null, key } : { dataset: Number(dataset), field: null };
}
