// What is seen, as files: the drawing as SVG or PNG, the selection's lineage and the document as JSON.
import { make } from './dom.js';
import { impactOf } from './impact.js';

const SHARPNESS = 2;
/** Browsers draw no canvas wider or higher than this. */
const LARGEST = 16000;

/** Gives the reader a file to keep. */
function keep(name, blob) {
  const address = URL.createObjectURL(blob);
  make('a', { href: address, download: name }).click();
  // once the browser has taken it
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** A name for files of this page's selection: letters that every file system takes. */
function fileName(page, ending) {
  const { selected } = page.store.get();
  const name = selected ? page.names.nameOf(selected) : page.doc.title;
  return `lineage-${name.replace(/[^\w.-]+/g, '-').slice(0, 80)}.${ending}`;
}

/** The drawing as an SVG file with its styles in it. */
export function exportSvg(page, text) {
  keep(fileName(page, 'svg'), new Blob([text], { type: 'image/svg+xml' }));
}

/** The drawing as a PNG of twice its size, or of as much as a canvas can hold. */
export async function exportPng(page, text) {
  const address = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const scale = Math.min(SHARPNESS, LARGEST / image.naturalWidth, LARGEST / image.naturalHeight);
    const picture = make('canvas', {
      width: Math.round(image.naturalWidth * scale),
      height: Math.round(image.naturalHeight * scale),
    });
    picture.getContext('2d').drawImage(image, 0, 0, picture.width, picture.height);
    const blob = await new Promise((answer) => {
      picture.toBlob(answer, 'image/png');
    });
    if (!blob) throw new Error('the browser could not draw a picture of this size: export it as SVG');
    keep(fileName(page, 'png'), blob);
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** {"impact": what `headwater impact --format json` says of the selection, or null, "document": the page's document}. */
export function exportJson(page) {
  const { selected } = page.store.get();
  const data = { impact: selected ? impactOf(page) : null, document: page.doc.raw };
  keep(fileName(page, 'json'), new Blob([`${JSON.stringify(data, null, 1)}\n`], { type: 'application/json' }));
}
