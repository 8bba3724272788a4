// The drawing as a file of its own: its styles are in it, its colours those that are seen.

const MARGIN_OUT = 16;

/** The drawing (the svg, its moving layer, its size) as the text of an SVG file. */
export function svgFile(canvas, layer, { width, height }) {
  const copy = canvas.cloneNode(false);
  for (const name of ['style', 'tabindex', 'id']) copy.removeAttribute(name);
  const moved = layer.cloneNode(true);
  moved.removeAttribute('transform');
  const styles = document.createElementNS('http://www.w3.org/2000/svg', 'style');
  styles.textContent = rulesFor(canvas);
  const ground = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  const box = { x: -MARGIN_OUT, y: -MARGIN_OUT, width: width + 2 * MARGIN_OUT, height: height + 2 * MARGIN_OUT };
  for (const [name, value] of Object.entries({ ...box, class: 'ground' })) ground.setAttribute(name, value);
  const defs = canvas.querySelector('defs').cloneNode(true);
  copy.setAttribute('viewBox', `${box.x} ${box.y} ${box.width} ${box.height}`);
  copy.setAttribute('width', box.width);
  copy.setAttribute('height', box.height);
  copy.classList.remove('far');
  copy.append(styles, defs, ground, moved);
  return new XMLSerializer().serializeToString(copy);
}

/** The graph's own rules, each custom property replaced by what it is now: other programs know none. */
function rulesFor(canvas) {
  const computed = getComputedStyle(canvas);
  const found = [];
  for (const sheet of document.styleSheets) {
    for (const rule of sheet.cssRules) if (rule.selectorText?.startsWith('.graph')) found.push(rule.cssText);
  }
  return found.join('\n').replace(/var\((--[\w-]+)\)/g, (_, name) => computed.getPropertyValue(name).trim());
}
