// The panel's width, by pointer or arrow keys, and whether it is there at all.
import { byId } from './dom.js';

const NARROW = 260;
const WIDE = 900;
const NUDGE = 24;

/** Answers {toggle(), open()}. */
export function createDivider() {
  const divider = byId('divider');
  const root = document.documentElement;
  let width = 400;
  const set = (wanted) => {
    width = Math.round(Math.min(WIDE, Math.max(NARROW, Math.min(wanted, root.clientWidth - 320))));
    root.style.setProperty('--side', `${width}px`);
    divider.setAttribute('aria-valuenow', String(width));
  };
  divider.addEventListener('pointerdown', (event) => divider.setPointerCapture(event.pointerId));
  divider.addEventListener('pointermove', (event) => {
    if (divider.hasPointerCapture(event.pointerId)) set(root.clientWidth - event.clientX);
  });
  divider.addEventListener('keydown', (event) => {
    const steps = { ArrowLeft: NUDGE, ArrowRight: -NUDGE };
    if (!(event.key in steps)) return;
    event.preventDefault();
    set(width + steps[event.key]);
  });
  const show = (open) => {
    byId('side').hidden = !open;
    byId('panel').setAttribute('aria-expanded', String(open));
  };
  return {
    toggle: () => show(byId('side').hidden),
    open() {
      if (byId('side').hidden) show(true);
    },
  };
}
