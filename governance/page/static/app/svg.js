// SVG elements from data. Text is only ever set as text.

const SVG = 'http://www.w3.org/2000/svg';

/** An SVG element with attributes and children: elements, or strings as text. */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** A text element; `title` adds the whole of what is cut. */
export function svgLabel(className, x, y, shown, whole = shown) {
  const label = svg('text', { class: className, x, y }, shown);
  if (shown !== whole) label.append(svg('title', {}, whole));
  return label;
}
