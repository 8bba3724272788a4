// Pan and zoom: the pointer drags, the wheel zooms at the pointer.

const NEAREST = 2.5;
const FARTHEST = 0.02;
const DRAG = 4;
/** What is smaller than this is brought to a size that can be read. */
const SMALL = 0.6;
const READABLE = 0.9;
const MARGIN = 24;

/** Moves `layer`, a group within `canvas` (the svg). Answers {fit, resize, zoom, hold, bring, dragged}. */
export function createZoom(canvas, layer) {
  const at = { x: 0, y: 0, scale: 1 };
  const size = { width: 1, height: 1 };
  let moved = 0;
  const apply = () => {
    layer.setAttribute('transform', `translate(${at.x.toFixed(2)},${at.y.toFixed(2)}) scale(${at.scale.toFixed(4)})`);
    canvas.classList.toggle('far', at.scale < 0.45);
  };
  const moving = (move) => (...args) => { move(at, roomOf(canvas), ...args); apply(); };
  listenWheel(canvas, moving((_, __, ...args) => zoomAt(at, ...args)));
  listenDrag(canvas, (dx, dy, far) => {
    moved = far;
    if (far > DRAG) { at.x += dx; at.y += dy; apply(); }
  });
  return {
    /** Shows all of a drawing of that size, not magnified. */
    fit: moving((_, room, width = size.width, height = size.height) => {
      Object.assign(size, { width, height });
      Object.assign(at, fitting(size, room));
    }),
    /** Remembers the size of a drawing without moving. */
    resize: (width, height) => { Object.assign(size, { width, height }); },
    zoom: moving((_, room, factor) => zoomAt(at, factor, room.width / 2, room.height / 2)),
    /** Moves so that a point of the drawing that stood at `before` is seen where it was. */
    hold: moving((_, room, before, after) => {
      at.x += (before.x - after.x) * at.scale;
      at.y += (before.y - after.y) * at.scale;
    }),
    /** Moves as little as brings a rectangle of the drawing into sight; near enough to be read. */
    bring: moving(bringInto),
    /** Whether the press that ends now was a drag, not a click. */
    dragged: () => moved > DRAG,
  };
}

function roomOf(canvas) {
  return { width: canvas.clientWidth || 1, height: canvas.clientHeight || 1 };
}

/** Zooms by a factor; the point (x, y) of the canvas stays where it is. */
function zoomAt(at, factor, x, y) {
  const scale = Math.min(NEAREST, Math.max(FARTHEST, at.scale * factor));
  at.x = x - ((x - at.x) * scale) / at.scale;
  at.y = y - ((y - at.y) * scale) / at.scale;
  at.scale = scale;
}

function fitting({ width, height }, room) {
  const scale = Math.max(FARTHEST, Math.min((room.width - MARGIN) / width, (room.height - MARGIN) / height, 1));
  return { scale, x: (room.width - width * scale) / 2, y: (room.height - height * scale) / 2 };
}

function bringInto(at, room, { x, y, width, height }) {
  const middle = { x: at.x + (x + width / 2) * at.scale, y: at.y + (y + height / 2) * at.scale };
  if (at.scale < SMALL) zoomAt(at, READABLE / at.scale, middle.x, middle.y);
  at.x += inward(at.x + x * at.scale, width * at.scale, room.width);
  at.y += inward(at.y + y * at.scale, height * at.scale, room.height);
}

function inward(start, length, room) {
  const before = MARGIN - start;
  const after = start + length + MARGIN - room;
  if (before > 0) return before;
  return after > 0 ? -Math.min(after, -before) : 0;
}

function listenWheel(canvas, zoom) {
  canvas.addEventListener('wheel', (event) => {
    event.preventDefault();
    const { left, top } = canvas.getBoundingClientRect();
    const step = event.deltaMode === 1 ? event.deltaY * 16 : event.deltaY;
    zoom(Math.exp(-Math.max(-200, Math.min(200, step)) * (event.ctrlKey ? 0.01 : 0.002)),
      event.clientX - left, event.clientY - top);
  }, { passive: false });
}

function listenDrag(canvas, move) {
  let from = null;
  canvas.addEventListener('pointerdown', (event) => {
    if (event.button === 0) from = { x: event.clientX, y: event.clientY, far: 0 };
    move(0, 0, 0);
  });
  canvas.addEventListener('pointermove', (event) => {
    if (!from) return;
    const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
    const far = from.far + Math.abs(dx) + Math.abs(dy);
    from = { x: event.clientX, y: event.clientY, far };
    if (far > DRAG && !canvas.hasPointerCapture(event.pointerId)) canvas.setPointerCapture(event.pointerId);
    move(dx, dy, far);
  });
  const end = () => { from = null; };
  canvas.addEventListener('pointerup', end);
  canvas.addEventListener('pointercancel', end);
}
