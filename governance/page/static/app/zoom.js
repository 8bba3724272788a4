// Pan and zoom: the pointer drags, the wheel zooms at the pointer.

const NEAREST = 2.5;
const FARTHEST = 0.02;
const DRAG = 4;
/** What is smaller than this is brought to a size that can be read. */
const SMALL = 0.6;
const READABLE = 0.9;
const MARGIN = 24;

/** Moves `layer`, a group within `canvas` (the svg). Answers {fit, resize, zoom, hold, bring, frame, dragged}. */
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
    /** Moves as little as brings a rectangle of the drawing into sight, near enough to be read, and with it `around`,
     * which holds it: all of that where there is room, else as much of it as there is room for. */
    bring: moving(bringInto),
    /** Shows all of a rectangle of the drawing, not magnified. */
    frame: moving((_, room, rect) => Object.assign(at, fitting(rect, room))),
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

function fitting({ x = 0, y = 0, width, height }, room) {
  const scale = Math.max(FARTHEST, Math.min((room.width - MARGIN) / width, (room.height - MARGIN) / height, 1));
  return { scale, x: room.width / 2 - (x + width / 2) * scale, y: room.height / 2 - (y + height / 2) * scale };
}

function bringInto(at, room, rect, around = rect) {
  const { x, y, width, height } = rect;
  const middle = { x: at.x + (x + width / 2) * at.scale, y: at.y + (y + height / 2) * at.scale };
  zoomAt(at, scaleFor(at.scale, room, around) / at.scale, middle.x, middle.y);
  for (const [axis, length] of [['x', 'width'], ['y', 'height']]) {
    const on = (it) => [at[axis] + it[axis] * at.scale, it[length] * at.scale, room[length]];
    if (around[length] * at.scale + 2 * MARGIN <= room[length]) at[axis] += inward(...on(around));
    else {
      at[axis] += inward(...on(rect));
      at[axis] += outward(...on(around));
    }
  }
}

/** The scale at which a rectangle is read: as it is, or less where all of it is then seen and can still be read. */
function scaleFor(scale, room, { width, height }) {
  const whole = Math.min((room.width - 2 * MARGIN) / width, (room.height - 2 * MARGIN) / height);
  const wanted = scale < SMALL ? READABLE : scale;
  return whole < SMALL ? wanted : Math.min(wanted, whole);
}

/** How far to move so that no ground beside a thing longer than the room is in sight. */
function outward(start, length, room) {
  const end = start + length;
  if (start > MARGIN) return MARGIN - start;
  return end < room - MARGIN ? room - MARGIN - end : 0;
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
