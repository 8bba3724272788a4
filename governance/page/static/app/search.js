// The search box: a combobox whose list is moved through by the arrow keys.
import { byId, counting, make, named } from './dom.js';
import { find, indexOf } from './find.js';
import { askNames, isServed, partAt } from './part.js';
import { sendOn } from './remembered.js';

/** Milliseconds for which nothing more is typed before the server is asked. */
const TYPING = 150;

/** Lets `choose` ({dataset, field}) be told what is picked. Answers {focus()}. */
export function createSearch(page, choose) {
  const { doc } = page;
  const box = { input: byId('query'), list: byId('matches'), entries: null, found: [], active: -1, more: 0, said: null };
  const pick = (i) => {
    const entry = box.found[i];
    if (!entry) return;
    close(box);
    box.input.value = '';
    if (entry.place) choose(entry.place);
    else {
      sendOn();
      location.assign(entry.href);
    }
  };
  const further = doc.part && isServed() ? createFurther(page, box) : null;
  const look = () => {
    box.entries ??= indexOf(doc);
    box.found = find(box.entries, box.input.value);
    box.active = box.found.length ? 0 : -1;
    box.more = 0;
    box.said = further ? 'Looking among all tables …' : doc.part ? 'No table or column of this part has these letters' : null;
    drawMatches(doc, box);
    further?.(box.input.value);
  };
  box.input.addEventListener('input', look);
  box.input.addEventListener('focus', () => {
    if (box.input.value) look();
  });
  box.input.addEventListener('blur', () => close(box));
  box.input.addEventListener('keydown', (event) => move(box, event, pick));
  // before the input loses the focus, which closes the list
  box.list.addEventListener('pointerdown', (event) => {
    event.preventDefault();
    const option = event.target.closest('[role="option"]');
    if (option?.dataset.place) pick(Number(option.dataset.place));
  });
  return {
    focus() {
      box.input.focus();
      box.input.select();
    },
  };
}

function move(box, event, pick) {
  const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 };
  if (event.key in steps && box.found.length) {
    event.preventDefault();
    const last = box.found.length - 1;
    const next = box.active + steps[event.key];
    const round = Math.abs(steps[event.key]) === 1 && (next < 0 || next > last);
    activate(box, round ? last - box.active : Math.min(last, Math.max(0, next)));
  } else if (event.key === 'Enter') {
    event.preventDefault();
    pick(box.active);
  } else if (event.key === 'Escape') {
    event.stopPropagation();
    if (box.list.hidden) {
      box.input.value = '';
      box.input.blur();
    } else close(box);
  }
}

function drawMatches(doc, box) {
  const typed = box.input.value.trim();
  box.list.replaceChildren(...box.found.map((entry, i) => option(doc, entry, i)));
  if (typed && !box.found.length) {
    box.list.append(
      make(
        'li',
        { role: 'option', 'aria-disabled': 'true', 'aria-selected': 'false', class: 'none' },
        box.said ?? 'No table or column has these letters',
      ),
    );
  } else if (box.more || box.lost) {
    const said = box.lost ?? `and ${counting(box.more, 'more', 'more')}: add letters to find them`;
    box.list.append(
      make('li', { role: 'option', 'aria-disabled': 'true', 'aria-selected': 'false', class: 'none' }, said),
    );
  }
  box.list.hidden = !typed;
  box.input.setAttribute('aria-expanded', String(!box.list.hidden));
  activate(box, box.active);
}

/** Asks the server, which knows all tables, once nothing more is typed; its answer takes the place of what is listed. */
function createFurther({ doc, names }, box) {
  let waiting = null;
  return (typed) => {
    clearTimeout(waiting);
    box.lost = null;
    if (!typed.trim()) return;
    waiting = setTimeout(async () => {
      const answer = await askNames(typed);
      if (box.input.value !== typed) return;
      if (answer) {
        box.found = answer.found.map((it) => elsewhere(names, it));
        box.more = answer.more;
        box.said = null;
      } else {
        box.lost = 'The server does not answer: these are of this part alone';
        box.said = 'The server does not answer, and this part has no such name';
      }
      box.active = box.found.length ? Math.max(0, Math.min(box.active, box.found.length - 1)) : -1;
      drawMatches(doc, box);
    }, TYPING);
  };
}

/** An entry out of the server's answer; what is in this part has its place here. */
function elsewhere(names, { name, around, table, namespace, column }) {
  const label = { name: column ?? table, inside: column === null ? namespace : table, said: column === null ? 'table' : 'column' };
  return { place: names.resolve(name), text: name, label, href: partAt(around, name) };
}

function option(doc, entry, i) {
  const { name, inside, said } = entry.label ?? labelOf(doc, entry);
  return make(
    'li',
    { role: 'option', id: `match-${i}`, 'data-place': i, 'aria-selected': 'false' },
    make('span', { class: 'name' }, named(name)),
    make('span', { class: 'in' }, named(inside)),
    make('span', { class: 'type' }, said),
  );
}

function labelOf(doc, { place, text }) {
  const dataset = doc.datasets[place.dataset];
  const said = place.field === null ? 'table' : (dataset.fields[place.field].type ?? 'column');
  const inside = place.field === null ? dataset.namespace : dataset.name;
  const name = place.field === null ? text : dataset.fields[place.field].name;
  return { name, inside, said };
}

function activate(box, i) {
  box.active = i;
  box.list.querySelector('[aria-selected="true"]')?.setAttribute('aria-selected', 'false');
  const active = i >= 0 ? box.list.children[i] : null;
  active?.setAttribute('aria-selected', 'true');
  active?.scrollIntoView({ block: 'nearest' });
  if (active) box.input.setAttribute('aria-activedescendant', active.id);
  else box.input.removeAttribute('aria-activedescendant');
}

function close(box) {
  box.list.hidden = true;
  box.input.setAttribute('aria-expanded', 'false');
  box.input.removeAttribute('aria-activedescendant');
}
