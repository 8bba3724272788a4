// What this browser keeps of an earlier visit; a browser can refuse to keep anything.

const SENT = 'headwater-sent';

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

/** Says to the next page of this tab that somebody comes to it by their own choice. */
export function sendOn() {
  try {
    sessionStorage.setItem(SENT, 'yes');
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
  }
}

/** Whether the page before this one sent somebody here; answers so once. */
export function wasSent() {
  try {
    const sent = sessionStorage.getItem(SENT) !== null;
    sessionStorage.removeItem(SENT);
    return sent;
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    return false;
  }
}
