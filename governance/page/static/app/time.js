// The slider: the graph as of a run. Its last stop is now.
import { byId, counting, make, moment } from './dom.js';
import { toldSince } from './part.js';

/** Draws the slider where there is a past to look at. Answers {show(at), step(by)}. */
export function createTime(doc, store) {
  const since = toldSince(doc);
  const stops = stopsOf(doc).filter(({ at }) => since === null || at >= since);
  const room = byId('time');
  if (!stops.length) {
    const before = doc.as_of ? `${moment(doc.as_of)}: before the first run` : 'No run is recorded.';
    const none = doc.runs.length ? last(doc) : before;
    room.append(make('span', { class: 'none' }, none));
    return { show() {}, step() {} };
  }
  const said = make('output', { id: 'when', for: 'moment' });
  const slider = make('input', {
    id: 'moment',
    type: 'range',
    min: 0,
    max: stops.length,
    step: 1,
    'aria-describedby': 'when',
  });
  const go = (i) => store.set({ at: i >= stops.length ? null : stops[Math.max(0, i)].at });
  const now = make('button', { type: 'button', onclick: () => store.set({ at: null }) }, 'Now');
  slider.addEventListener('input', () => go(Number(slider.value)));
  room.append(make('label', { for: 'moment' }, 'As of'), slider, now, said);
  const time = {
    show(at) {
      const i = at === null ? stops.length : lastUpTo(stops, at);
      slider.value = String(Math.max(0, i));
      now.disabled = at === null;
      said.replaceChildren(
        make('bdi', {}, at === null ? last(doc) : words(stops, i, at, doc.runs.length)),
      );
      slider.setAttribute('aria-valuetext', said.textContent);
    },
    step(by) {
      go(Number(slider.value) + by);
    },
  };
  time.show(store.get().at);
  return time;
}

function last(doc) {
  return `${doc.as_of ? moment(doc.as_of) : 'now'}: ${counting(doc.runs.length, 'run')}`;
}

function words(stops, i, at, runs) {
  if (i < 0) return `${moment(at)}: before the first run`;
  const { jobs, changed } = stops[i];
  const shown = jobs.length > 2 ? `${jobs.slice(0, 2).join(', ')} and ${jobs.length - 2} more` : jobs.join(', ');
  const what = runs === stops.length ? 'run' : 'moment';
  return `${what} ${i + 1} of ${stops.length} · ${moment(stops[i].at)} · ${shown}${changed ? ' · new lineage' : ''}`;
}

/** One stop for each instant at which runs ended: [{at, jobs, changed: whether a job said what it had not said before}]. */
function stopsOf(doc) {
  const stops = [];
  const latest = new Map();
  for (const { version, at } of doc.runs) {
    const { slot, job } = doc.versions[version];
    if (stops.at(-1)?.at !== at) stops.push({ at, jobs: [], changed: false });
    const stop = stops.at(-1);
    if (!stop.jobs.includes(job)) stop.jobs.push(job);
    stop.changed ||= latest.get(slot) !== version;
    latest.set(slot, version);
  }
  return stops;
}

function lastUpTo(stops, at) {
  const limit = Date.parse(at);
  return stops.findLastIndex((stop) => Date.parse(stop.at) <= limit);
}
