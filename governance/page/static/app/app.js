// The page: one state, and everything that shows it.
import { foldedAll } from './groups.js';
import { readDocument, standing } from './model.js';
import { reach } from './walk.js';
import { createView } from './draw.js';
import { byId, moment, named } from './dom.js';
import { OPENING, alike, createStore, directionOf } from './state.js';
import { createNames, hashOf, readHash, short } from './link.js';
import { find, indexOf } from './find.js';
import { createSearch } from './search.js';
import { drawPanel } from './panel.js';
import { drawFindings } from './findings.js';
import { summaryOf } from './reached.js';
import { createTime } from './time.js';
import { createTools } from './tools.js';
import { listenKeys, showHelp } from './keys.js';
import { exportJson, exportPng, exportSvg } from './export.js';
import { createDivider } from './divider.js';
import { clearNotices, notice, watchServer } from './served.js';
import { leaveFor, showPart, toldSince } from './part.js';
import { remember, remembered, wasSent } from './remembered.js';

const WALKED = ['selected', 'mode', 'depth', 'hideIndirect', 'kinds', 'at'];
const LAID_OUT = ['at', 'grouping', 'expanded', 'focus', 'hideIndirect', 'kinds'];
const LISTED = [...WALKED, 'grouping', 'focus'];

start();

function start() {
  const doc = readOwn();
  const kept = { theme: remembered('headwater-theme') ?? OPENING.theme, keys: remembered('headwater-keys') !== 'off' };
  const store = createStore({ ...OPENING, ...kept });
  const page = { doc, store, names: createNames(doc), graph: null, result: null };
  document.title = `${doc.title} — lineage`;
  byId('name').append(
    'Lineage ',
    Object.assign(document.createElement('bdi'), { textContent: doc.title, title: doc.title }),
  );
  readAddress(page);
  openAround(page);
  page.graph = standing(doc, store.get().at);
  page.result = resultOf(page, store.get());
  const parts = { page, ...wire(page) };
  store.subscribe((state, before) => changed(parts, state, before));
  addEventListener('hashchange', () => followAddress(parts));
  addEventListener('popstate', () => followAddress(parts));
  showPart(page);
  showFirst(parts);
  watchServer(doc);
}

/** The document in this page; what is wrong with it is said, since nothing else can be shown. */
function readOwn() {
  try {
    return readDocument(byId('document').textContent);
  } catch (error) {
    notice([`This page's data cannot be read (${error.message}): make the page anew.`]);
    throw error;
  }
}

function wire(page) {
  const { doc, store } = page;
  const toggleKey = (key) => {
    const expanded = new Set(store.get().expanded);
    if (!expanded.delete(key)) expanded.add(key);
    store.set({ expanded });
  };
  const view = createView(byId('graph'), {
    onSelect: (dataset, field) => store.set({ selected: dataset === null ? null : { dataset, field } }),
    onExpand: toggleKey,
  });
  const go = (place) => {
    store.set({ selected: place, tab: 'details' });
    view.enter(place.dataset, place.field);
  };
  const search = createSearch(page, go);
  const divider = createDivider();
  const time = createTime(doc, store);
  const tools = createTools(doc, store, {
    svg: () => whenDrawn(view, (text) => exportSvg(page, text)),
    png: () =>
      whenDrawn(view, (text) =>
        exportPng(page, text).catch((error) => notice([`No picture was made: ${error.message}.`])),
      ),
    json: () => exportJson(page),
    help: () => showHelp(store),
    panel: divider.toggle,
    fold: () => store.set({ expanded: foldedAll(page.graph, store.get()) }),
    unfold: () => store.set({ expanded: new Set() }),
  });
  zoomButtons(view);
  tabs(store);
  listenKeys({ store, view, search, does: keyActions(page, view, time, divider) });
  return { view, search, time, tools, divider };
}

function whenDrawn(view, act) {
  if (view.drawing()) act(view.svgText());
  else notice(['The graph is not drawn yet: try again once it is.']);
}

function keyActions({ store }, view, time, divider) {
  const flip = (key) => store.set({ [key]: !store.get()[key] });
  return {
    i: () => store.set({ mode: 'impact' }),
    t: () => store.set({ mode: 'trace' }),
    b: () => store.set({ mode: 'both' }),
    h: () => flip('hideIndirect'),
    o: () => flip('focus'),
    f: view.fit,
    l: view.fitLit,
    '+': () => view.zoom(1.25),
    '-': () => view.zoom(0.8),
    '[': () => time.step(-1),
    ']': () => time.step(1),
    g() {
      const { selected } = store.get();
      byId('graph').querySelector('[tabindex="0"]')?.focus();
      if (selected) view.enter(selected.dataset, selected.field);
    },
    p: () => {
      divider.open();
      byId(store.get().tab).focus();
    },
  };
}

function zoomButtons(view) {
  for (const [text, label, act] of [
    ['+', 'Nearer', () => view.zoom(1.25)],
    ['−', 'Farther', () => view.zoom(0.8)],
    ['Fit', 'The whole graph in sight', view.fit],
    ['Fit lit', 'All that is lit in sight', view.fitLit],
  ]) {
    const button = Object.assign(document.createElement('button'), {
      type: 'button',
      textContent: text,
      title: label,
      onclick: act,
    });
    if (text.length === 1) button.setAttribute('aria-label', label);
    byId('zooming').append(button);
  }
}

function tabs(store) {
  const names = ['details', 'findings'];
  byId('tabs').addEventListener('click', ({ target }) => {
    const tab = target.closest('[role="tab"]');
    if (tab) store.set({ tab: tab.getAttribute('aria-controls') });
  });
  byId('tabs').addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    const tab = names[(names.indexOf(store.get().tab) + 1) % names.length];
    store.set({ tab });
    byId(`tab-${tab}`).focus();
  });
}

/** Shows all of the state: at first, and never again. */
async function showFirst(parts) {
  const { page, view } = parts;
  const state = page.store.get();
  showAround(parts, state);
  drawFindings(page);
  drawPanel(page);
  view.light(page.result);
  await drawGraph(parts);
  if (state.selected) view.reveal(state.selected.dataset, state.selected.field);
  // what was chosen among all tables has the focus, as what is chosen among those of one page has
  if (wasSent() && state.selected) view.enter(state.selected.dataset, state.selected.field);
  document.body.dataset.ready = 'yes';
}

function changed(parts, state, before) {
  const { page, view } = parts;
  const differs = (keys) => keys.some((key) => !alike(state[key], before[key]));
  if (state.at !== before.at) page.graph = standing(page.doc, state.at);
  if (differs(WALKED)) page.result = resultOf(page, state);
  const again = differs(LAID_OUT) || (state.focus && differs(WALKED));
  // until it is drawn anew the drawing is of another graph, whose edges have other numbers
  if (again)
    drawGraph(parts).then((done) => {
      if (done) view.light(page.result);
    });
  if (state.at === before.at && differs(WALKED)) view.light(page.result);
  if (differs(LISTED)) drawPanel(page);
  if (!differs(['selected']) || state.selected) clearNotices();
  showAround(parts, state);
  if (state.theme !== before.theme) remember('headwater-theme', state.theme);
  if (state.keys !== before.keys) remember('headwater-keys', state.keys ? 'on' : 'off');
  writeAddress(page, state, differs(['selected', 'mode', 'focus', 'grouping', 'tab']));
}

async function drawGraph({ page, view }) {
  const slow = setTimeout(() => {
    byId('drawing').hidden = false;
  }, 250);
  try {
    return await view.show(page.graph, page.store.get());
  } catch (error) {
    notice([`The graph cannot be drawn (${error.message}); the panel says the same in words.`]);
    throw error;
  } finally {
    clearTimeout(slow);
    byId('drawing').hidden = true;
  }
}

/** The toolbar, the tabs, the slider, the sentence below and the colours. */
function showAround({ page, tools, time }, state) {
  tools.show(state);
  time.show(state.at);
  const hidden = state.tab === 'details' ? 'findings' : 'details';
  const focused = byId(hidden).contains(document.activeElement);
  for (const name of ['details', 'findings']) {
    byId(name).hidden = state.tab !== name;
    byId(`tab-${name}`).setAttribute('aria-selected', String(state.tab === name));
    byId(`tab-${name}`).tabIndex = state.tab === name ? 0 : -1;
  }
  // what had the focus is hidden now
  if (focused) byId(state.tab).focus({ preventScroll: true });
  byId('summary').replaceChildren(...(page.result ? summaryOf(page, page.result, state.mode) : []));
  if (state.theme === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = state.theme;
}

function resultOf({ graph }, state) {
  return state.selected && reach(graph, state.selected, { ...state, direction: directionOf(state.mode) });
}

/** Takes the state from the address; what it names wrongly is said. */
function readAddress(page) {
  const { patch, wrong, missing, others } = readHash(page.doc, page.names, location.hash);
  const since = toldSince(page.doc);
  const early = since !== null && patch.at && Date.parse(patch.at) < Date.parse(since);
  page.store.set(early ? { ...patch, at: null } : patch);
  clearNotices();
  if (early) notice([`What stood at ${moment(patch.at)} is not in this part: it shows what stands now.`]);
  if (others.length) sayOthers(page, patch.selected, others);
  if (missing !== null && !leaveFor(page.doc, missing)) sayMissing(page, missing);
  wrong.forEach((sentence) => notice([named(sentence)]));
}

/** A part that was asked for by name alone is looked at there. */
function openAround({ doc, store }) {
  const asked = new URLSearchParams(location.search).has('around');
  if (doc.part && asked && !location.hash) store.set({ selected: { dataset: doc.part.around, field: null } });
}

/** Says that a name is of several tables, and offers the others. */
function sayOthers({ names }, shown, others) {
  for (const other of others)
    notice(
      ['Several tables have this name; this is ', named(names.nameOf(shown)), '.'],
      ['Go to ', named(names.nameOf(other))],
      () => {
        location.hash = encodeURIComponent(names.nameOf(other));
      },
    );
}

/** Says that a name leads nowhere, and offers the one that is most like it. */
function sayMissing({ doc, names }, name) {
  const [like] = find(indexOf(doc), name, 1);
  const said = ['No table or column here is called ', named(short(name)), '.'];
  if (!like) notice(said);
  else
    notice(said, ['Go to ', named(like.text)], () => {
      location.hash = encodeURIComponent(names.nameOf(like.place));
    });
}

function followAddress({ page, view }) {
  if (location.hash === hashOf(page.doc, page.names, page.store.get())) return;
  page.following = true;
  readAddress(page);
  page.following = false;
  const { selected } = page.store.get();
  if (selected) view.reveal(selected.dataset, selected.field);
}

/** Puts the state into the address: a step of the history for what one would go back to, in place of the last for the rest. */
function writeAddress(page, state, step) {
  if (page.following) return;
  const hash = hashOf(page.doc, page.names, state);
  if (hash === (location.hash || '#')) return;
  history[step ? 'pushState' : 'replaceState'](null, '', hash);
}
