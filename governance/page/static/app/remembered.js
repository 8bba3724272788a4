// What this browser keeps of an earlier visit; a browser can refuse to keep anything.

/** What was kept under a key, or null. */
export function remembered(key) {
  try {
    return localStorage.getItem(key);
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    return null;
  }
}

/** Keeps a text under a key. */
export function remember(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
  }
}
