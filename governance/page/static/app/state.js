// What is looked at, in one place. Whoever shows it subscribes; whoever changes it sets a patch.

/** How the page opens. `expanded` holds keys toggled away from that; `kinds` null stands for all of them. */
export const OPENING = {
  at: null,
  selected: null,
  mode: 'both',
  depth: null,
  hideIndirect: false,
  kinds: null,
  grouping: 'schema',
  expanded: new Set(),
  focus: false,
  theme: 'auto',
  keys: true,
  tab: 'details',
};

/** A store of one state: get(), set(patch), subscribe(listener(state, before)); listeners hear of changes only. */
export function createStore(opening = OPENING) {
  let state = { ...opening };
  const listeners = new Set();
  return {
    get: () => state,
    set(patch) {
      const before = state;
      const after = { ...state, ...patch };
      if (Object.keys(after).every((key) => alike(after[key], before[key]))) return;
      state = after;
      for (const listener of listeners) listener(state, before);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Whether two values of a state are the same: places and sets by what they hold. */
export function alike(one, other) {
  if (one === other) return true;
  if (one === null || other === null || typeof one !== 'object' || typeof other !== 'object') return false;
  if (one instanceof Set)
    return other instanceof Set && one.size === other.size && [...one].every((it) => other.has(it));
  return one.dataset === other.dataset && one.field === other.field;
}

/** The direction in which `reach` walks for a mode. */
export function directionOf(mode) {
  return { impact: 'down', trace: 'up' }[mode] ?? 'both';
}
