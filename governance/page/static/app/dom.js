// HTML elements from data. Text is only ever set as text, and a name keeps its own direction of writing.

/** An HTML element with attributes (true: present, false and null: absent; `on…` a listener) and children. */
export function make(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, '');
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

/** The element of the page with that id. */
export function byId(id) {
  return document.getElementById(id);
}

/** A name out of the document: it can hold anything. */
export function named(text) {
  return make('bdi', { title: text.length > 60 ? text : null }, text);
}

/** "1 column", "2 columns". */
export function counting(count, word, many = `${word}s`) {
  return `${count.toLocaleString('en')} ${count === 1 ? word : many}`;
}

/** An instant of the document as people read it: UTC, to the second. */
export function moment(at) {
  return `${at.slice(0, 10)} ${at.slice(11, 19)} UTC`;
}

/** A list of which the first `most` are made, and the rest when it is asked for. */
export function longList(items, draw, most = 40, attributes = {}) {
  const list = make('ul', attributes, ...items.slice(0, most).map(draw));
  if (items.length <= most) return list;
  const more = make(
    'li',
    {},
    make(
      'button',
      {
        type: 'button',
        class: 'plain',
        onclick: () => {
          const rest = items.slice(most).map(draw);
          more.replaceWith(...rest);
          rest[0].querySelector('a, button')?.focus();
        },
      },
      `Show ${(items.length - most).toLocaleString('en')} more`,
    ),
  );
  list.append(more);
  return list;
}
