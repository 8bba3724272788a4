// Which tables and columns a few letters mean.

/** All names to look among, small letters beside them: made once, since there can be fifty thousand. */
export function indexOf(doc) {
  const entries = [];
  doc.datasets.forEach((dataset, d) => {
    entries.push({
      place: { dataset: d, field: null },
      text: dataset.name,
      own: dataset.name.slice(dataset.group.length).toLowerCase(),
    });
    dataset.fields.forEach((field, f) => {
      if (!field.gone)
        entries.push({
          place: { dataset: d, field: f },
          text: `${dataset.name}.${field.name}`,
          own: field.name.toLowerCase(),
        });
    });
  });
  for (const entry of entries) {
    entry.small = entry.text.toLowerCase();
    entry.own = entry.own.replace(/^[./]/, '');
  }
  return entries;
}

/** The best `most` entries for what was typed, best first: every word is in the name; where no name has them, its letters
 * are in that order. */
export function find(entries, typed, most = 40) {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  const scoredBy = (scoring) => {
    const found = [];
    for (const entry of entries) {
      const score = scoreOf(entry, words, scoring);
      if (score !== null) found.push([score, entry]);
    }
    return found;
  };
  const whole = scoredBy(wordScore);
  const scored = whole.length ? whole : scoredBy((entry, word) => wordScore(entry, word) ?? inOrder(entry.small, word));
  scored.sort(
    ([a, one], [b, other]) => a - b || one.small.length - other.small.length || (one.small < other.small ? -1 : 1),
  );
  return scored.slice(0, most).map(([, entry]) => entry);
}

/** Less is better; null: no match. */
function scoreOf(entry, words, scoring) {
  let score = entry.place.field === null ? 0 : 1;
  for (const word of words) {
    const step = scoring(entry, word);
    if (step === null) return null;
    score += step;
  }
  return score;
}

function wordScore({ small, own }, word) {
  if (small === word) return -10;
  if (own === word) return 0;
  if (own.startsWith(word)) return 10;
  const inOwn = own.indexOf(word);
  if (inOwn > 0) return /[\w]/.test(own[inOwn - 1]) ? 25 : 15;
  if (small.startsWith(word)) return 20;
  if (small.includes(word)) return 30;
  return null;
}

/** Letters in that order: the fewer that stand between them the better. */
function inOrder(text, word) {
  let at = -1;
  let first = -1;
  for (const letter of word) {
    at = text.indexOf(letter, at + 1);
    if (at < 0) return null;
    if (first < 0) first = at;
  }
  const loose = at - first + 1 - word.length;
  return loose > 3 * word.length ? null : 60 + loose;
}
