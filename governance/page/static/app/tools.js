// The toolbar: every switch has its name beside it.
import { byId, make } from './dom.js';

const CHOICES = [
  [
    'mode',
    'Direction',
    [
      ['both', 'Both ways'],
      ['impact', 'Impact (down)'],
      ['trace', 'Trace (up)'],
    ],
  ],
  [
    'depth',
    'Depth',
    [
      ['', 'All hops'],
      ['1', '1 hop'],
      ['2', '2 hops'],
      ['3', '3 hops'],
      ['5', '5 hops'],
    ],
  ],
  [
    'grouping',
    'Group by',
    [
      ['schema', 'Schema'],
      ['namespace', 'Namespace'],
      ['none', 'Nothing'],
    ],
  ],
];
const THEMES = [
  ['auto', 'As the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];
const SWITCHES = [
  ['hideIndirect', 'Hide INDIRECT'],
  ['focus', 'Only what is reached'],
];

/** Draws the toolbar; `does` holds what its buttons do: {svg, png, json, help, fold, unfold, panel}. Answers {show(state)}. */
export function createTools(doc, store, does) {
  const choices = CHOICES.map(([key, label, options]) => choice(store, key, label, options));
  const switches = SWITCHES.map(([key, label]) => toggleSwitch(store, key, label));
  const kinds = doc.kinds.map((kind, k) => kindSwitch(doc, store, kind, k));
  const theme = choice(store, 'theme', 'Colours', THEMES);
  const button = (label, act, attributes = {}) =>
    make('button', { type: 'button', onclick: act, ...attributes }, label);
  byId('tools').append(
    ...choices.map((it) => it.label),
    ...switches.map((it) => it.label),
    menu(
      'Edges',
      make('fieldset', {}, make('legend', {}, 'Kinds of edges that are followed'), ...kinds.map((it) => it.label)),
      button('All kinds', () => store.set({ kinds: null })),
    ),
  );
  byId('acts').append(
    menu('View', button('Fold all', does.fold), button('As it opened', does.unfold), theme.label),
    menu(
      'Export',
      button('Picture (SVG)', does.svg),
      button('Picture (PNG)', does.png),
      button('Data (JSON)', does.json),
    ),
    button('Panel', does.panel, { id: 'panel', 'aria-controls': 'side', 'aria-expanded': 'true' }),
    button('?', does.help, { 'aria-label': 'Keys and help' }),
  );
  closeMenus();
  return { show: (state) => [...choices, ...switches, ...kinds, theme].forEach((it) => it.show(state)) };
}

function choice(store, key, label, options) {
  const select = make('select', {}, ...options.map(([value, text]) => make('option', { value }, text)));
  const read = (value) => (key === 'depth' ? (value ? Number(value) : null) : value);
  select.addEventListener('change', () => store.set({ [key]: read(select.value) }));
  return {
    label: make('label', {}, make('span', {}, label), select),
    show(state) {
      const value = String(state[key] ?? '');
      // an address can ask for a depth that is not on offer
      if (![...select.options].some((option) => option.value === value))
        select.append(make('option', { value }, `${value} hops`));
      select.value = value;
    },
  };
}

function toggleSwitch(store, key, label) {
  const box = make('input', { type: 'checkbox' });
  box.addEventListener('change', () => store.set({ [key]: box.checked }));
  return {
    label: make('label', { class: 'switch' }, box, label),
    show(state) {
      box.checked = state[key];
    },
  };
}

function kindSwitch(doc, store, kind, k) {
  const box = make('input', { type: 'checkbox' });
  box.addEventListener('change', () => {
    const kinds = new Set(store.get().kinds ?? doc.kinds.keys());
    if (box.checked) kinds.add(k);
    else kinds.delete(k);
    store.set({ kinds: kinds.size === doc.kinds.length ? null : kinds });
  });
  return {
    label: make('label', { class: 'switch' }, box, kind.replace('_', ' ')),
    show({ kinds, hideIndirect }) {
      box.checked = (!kinds || kinds.has(k)) && (doc.direct[k] || !hideIndirect);
      box.disabled = hideIndirect && !doc.direct[k];
    },
  };
}

function menu(title, ...content) {
  return make('details', { class: 'menu' }, make('summary', {}, title), make('div', { class: 'drop' }, ...content));
}

/** An open menu closes when something else is pressed, and by Escape, which gives the focus back. */
function closeMenus() {
  const open = () => document.querySelectorAll('details.menu[open]');
  document.addEventListener('pointerdown', (event) => {
    for (const it of open()) if (!it.contains(event.target)) it.open = false;
  });
  byId('top').addEventListener('keydown', (event) => {
    const it = event.target.closest('details.menu[open]');
    if (event.key !== 'Escape' || !it) return;
    event.stopPropagation();
    it.open = false;
    it.querySelector('summary').focus();
  });
  byId('top').addEventListener(
    'toggle',
    ({ target }) => {
      if (target.open) for (const it of open()) if (it !== target) it.open = false;
    },
    true,
  );
}
