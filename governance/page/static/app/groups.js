// Which boxes stand on the page: groups folded into one, datasets folded to their head, datasets with their columns.
// `state.expanded` holds the keys that were toggled away from how a page of that size opens.
import { LIT, reach } from './walk.js';

/** So many boxes are read at a glance; beyond it the page opens by groups. */
const FEW_BOXES = 60;
const FEW_COLUMNS = 900;
/** So many columns a box shows before its last line stands for the rest. */
const LONG_TABLE = 25;

/** The group that a dataset is in, as `grouping` ('schema', 'namespace', 'none') says; null: in none. */
export function groupOf(dataset, grouping) {
  if (grouping === 'none') return null;
  return grouping === 'namespace' ? dataset.namespace : dataset.group || dataset.namespace;
}

/** The boxes to show, in the document's order: [{kind: 'group' | 'folded' | 'open', key, group, datasets, lines}].
 *
 * A line is an end of edges: {kind: 'head'}, {kind: 'rows'}, {kind: 'field', id}, {kind: 'more', ids}. */
export function boxesOf(graph, state) {
  const shown = shownBy(graph, state);
  const groups = groupsOf(graph.doc, state.grouping, shown.datasets);
  return groups.flatMap(({ name, datasets }) => {
    const key = `group:${name}`;
    const folds = name !== null && datasets.length > 1;
    const open = !folds || shown.few !== Boolean(state.expanded?.has(key));
    if (!open) return [{ kind: 'group', key, group: name, datasets, dataset: -1, lines: [{ kind: 'head' }] }];
    return datasets.map((d) => datasetBox(graph, state, shown, d, folds ? key : null));
  });
}

/** The keys to toggle so that a dataset and, if it is named, its column are on the page. */
export function keysToReveal(graph, state, dataset, field) {
  const box = boxesOf(graph, state).find((it) => it.datasets.includes(dataset));
  if (!box) return [];
  if (box.kind === 'group') {
    const opened = { ...state, expanded: new Set(state.expanded) };
    toggle(opened.expanded, box.key);
    return [box.key, ...keysToReveal(graph, opened, dataset, field)];
  }
  if (field === null) return [];
  const id = graph.doc.firstField[dataset] + field;
  if (box.kind === 'folded') {
    const opened = { ...state, expanded: new Set(state.expanded) };
    toggle(opened.expanded, box.key);
    return [box.key, ...keysToReveal(graph, opened, dataset, field)];
  }
  return box.lines.some((line) => line.ids?.includes(id)) ? [`columns:${dataset}`] : [];
}

/** The toggles that fold every group, or every dataset where there are none. */
export function foldedAll(graph, state) {
  const bare = { ...state, expanded: new Set() };
  const keys = boxesOf(graph, bare).flatMap((box) => {
    if (state.grouping !== 'none' && box.groupKey) return [box.groupKey];
    return box.kind === 'open' ? [box.key] : [];
  });
  return new Set(keys);
}

function toggle(keys, key) {
  if (!keys.delete(key)) keys.add(key);
}

/** What the state lets be seen: the datasets, the fields (null: all), whether few enough to open them all. */
function shownBy(graph, state) {
  const { doc } = graph;
  if (!state.focus || !state.selected) {
    const all = doc.datasets.map((_, d) => d);
    const few = all.length <= FEW_BOXES;
    return { datasets: all, fields: null, few, columns: few && doc.fieldCount <= FEW_COLUMNS, keys: 'dataset' };
  }
  const found = reached(graph, state);
  const fields = fieldsReached(graph, state.selected, found);
  const tables = [...tablesReached(found), ...[...fields].map((id) => doc.datasetOf[id])];
  const datasets = [...new Set(tables)];
  const few = datasets.length <= FEW_BOXES;
  return { datasets: datasets.sort((a, b) => a - b), fields, few, columns: few, keys: 'focus' };
}

function reached(graph, { selected, mode, depth, hideIndirect, kinds }) {
  const direction = { impact: 'down', trace: 'up' }[mode] ?? 'both';
  return reach(graph, selected, { direction, depth, hideIndirect, kinds });
}

function fieldsReached(graph, { dataset, field }, found) {
  const { firstField, datasets } = graph.doc;
  const own =
    field === null
      ? found.own.flatMap((d) => datasets[d].fields.map((_, i) => firstField[d] + i))
      : [firstField[dataset] + field];
  const steering = [];
  // a column that only steers rows is no place that is reached, but the way leads over it
  found.edges.forEach((lit, e) => { if (lit !== LIT.none) steering.push(graph.source[e]); });
  const sets = [found.values, found.population, found.unknown, found.upValues, found.upPopulation];
  return new Set([...own, ...steering, ...sets.flatMap((set) => [...set])]);
}

function tablesReached(found) {
  const sets = [found.tables, found.unknownTables, found.upTables, found.upUnknownTables];
  return [...found.own, ...sets.flatMap((set) => [...set])];
}

function groupsOf(doc, grouping, datasets) {
  const groups = new Map();
  for (const d of datasets) {
    const name = groupOf(doc.datasets[d], grouping);
    // without a grouping each stands alone
    const key = name ?? `#${d}`;
    if (!groups.has(key)) groups.set(key, { name, datasets: [] });
    groups.get(key).datasets.push(d);
  }
  return [...groups.values()];
}

function datasetBox(graph, state, shown, d, groupKey) {
  const key = `${shown.keys}:${d}`;
  const box = { key, groupKey, group: groupOf(graph.doc.datasets[d], state.grouping), dataset: d, datasets: [d] };
  const open = shown.columns !== Boolean(state.expanded?.has(key));
  if (!open) return { ...box, kind: 'folded', lines: [{ kind: 'head' }] };
  const ids = columnsOf(graph, d).filter((id) => !shown.fields || shown.fields.has(id));
  const whole = ids.length <= LONG_TABLE + 1 || state.expanded?.has(`columns:${d}`);
  const listed = whole ? ids : ids.slice(0, LONG_TABLE);
  const lines = [{ kind: 'head' }];
  if (graph.written[d]) lines.push({ kind: 'rows' });
  lines.push(...listed.map((id) => ({ kind: 'field', id })));
  if (!whole) lines.push({ kind: 'more', ids: ids.slice(LONG_TABLE), key: `columns:${d}` });
  return { ...box, kind: 'open', lines };
}

function columnsOf(graph, d) {
  const { firstField } = graph.doc;
  const ids = [];
  for (let id = firstField[d]; id < firstField[d + 1]; id += 1) if (graph.present[id]) ids.push(id);
  return ids;
}
