// The search box: a combobox whose list is moved through by the arrow keys.
import { byId, make, named } from './dom.js';
import { find, indexOf } from './find.js';

/** Lets `choose` ({dataset, field}) be told what is picked. Answers {focus()}. */
export function createSearch(doc, choose) {
  const box = { input: byId('query'), list: byId('matches'), entries: null, found: [], active: -1 };
  const pick = (i) => {
    const entry = box.found[i];
    if (!entry) return;
    close(box);
    box.input.value = '';
    choose(entry.place);
  };
  const look = () => {
    box.entries ??= indexOf(doc);
    box.found = find(box.entries, box.input.value);
    box.active = box.found.length ? 0 : -1;
    drawMatches(doc, box);
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
        'No table or column has these letters',
      ),
    );
  }
  box.list.hidden = !typed;
  box.input.setAttribute('aria-expanded', String(!box.list.hidden));
  activate(box, box.active);
}

function option(doc, { place, text }, i) {
  const dataset = doc.datasets[place.dataset];
  const said = place.field === null ? 'table' : (dataset.fields[place.field].type ?? 'column');
  const inside = place.field === null ? dataset.namespace : dataset.name;
  const name = place.field === null ? text : dataset.fields[place.field].name;
  return make(
    'li',
    { role: 'option', id: `match-${i}`, 'data-place': i, 'aria-selected': 'false' },
    make('span', { class: 'name' }, named(name)),
    make('span', { class: 'in' }, named(inside)),
    make('span', { class: 'type' }, said),
  );
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
