// The lineage of what is selected as a nested list: all that the drawing shows, to be read or heard.
import { each, related } from './model.js';
import { make } from './dom.js';
import { fieldLink, kindWord, placeLink } from './words.js';

/** So many entries are listed; more are read better where they begin. */
const MOST = 400;
/** Of a step from a column to the rows of its own table. */
const OWN = 'own';

/** A section that makes its list when it is opened. */
export function lineageText(page, result, mode) {
  const section = make('details', { class: 'astext' }, make('summary', {}, 'Lineage as a list'));
  section.addEventListener('toggle', () => {
    if (!section.open || section.children.length > 1) return;
    const { own, start } = result;
    if (mode !== 'trace') section.append(make('h3', {}, 'Leads to'), treeOf(page, result, own, downSteps));
    if (mode !== 'impact') section.append(make('h3', {}, 'Comes from'), treeOf(page, result, [start.dataset], upSteps));
  });
  return section;
}

function treeOf(page, result, own, stepsOf) {
  const seen = new Set();
  const left = { count: MOST };
  const { dataset, field } = result.start;
  const { firstField, datasets } = page.doc;
  const roots =
    field !== null
      ? [{ id: firstField[dataset] + field }]
      : own.flatMap((d) => [{ rows: d }, ...datasets[d].fields.map((_, i) => ({ id: firstField[d] + i }))]);
  const lists = roots.map((root) => listOf(page, result, root, stepsOf, seen, left)).filter(Boolean);
  if (!lists.length) return make('p', { class: 'none' }, 'Nothing.');
  const all = make('div', { class: 'tree' }, ...lists);
  if (left.count <= 0) all.append(make('p', {}, 'More than is listed: select one of these to go on from there.'));
  return all;
}

/** A list of the steps from a place ({id} of a field, or {rows} of a dataset), each with its own; null: none. */
function listOf(page, result, place, stepsOf, seen, left) {
  seen.add(keyOf(place));
  const steps = stepsOf(page.graph, result, place);
  if (!steps.length || left.count <= 0) return null;
  const items = [];
  for (const step of steps) {
    if (left.count <= 0) break;
    left.count -= 1;
    const again = seen.has(keyOf(step));
    const inner = again ? null : listOf(page, result, step, stepsOf, seen, left);
    items.push(
      make(
        'li',
        {},
        ...wordsOf(page, step),
        again && hasSteps(page, result, step, stepsOf) ? make('span', { class: 'again' }, ' (listed already)') : null,
        inner,
      ),
    );
  }
  return make('ul', {}, ...items);
}

function hasSteps(page, result, step, stepsOf) {
  return stepsOf(page.graph, result, step).length > 0;
}

function keyOf({ id, rows }) {
  return id === undefined ? `rows ${rows}` : `field ${id}`;
}

function wordsOf(page, { id, rows, edge, by }) {
  const { doc, graph } = page;
  if (by === OWN) return ['the rows of ', placeLink(page, { dataset: rows, field: null }), ', which are shaped by'];
  const what =
    id === undefined ? ['every row of ', placeLink(page, { dataset: rows, field: null })] : [fieldLink(page, id)];
  const how =
    edge === undefined
      ? make('span', { class: 'kind indirect' }, by)
      : kindWord(doc, graph.kind[edge], graph.masking[edge]);
  return [...what, ' ', how];
}

function downSteps(graph, result, { id, rows }) {
  const steps = [];
  if (id === undefined) {
    each(graph.flowsFrom, rows, (f) => {
      if (result.flows[f]) steps.push({ rows: graph.flowTarget[f], by: 'ROWS' });
    });
    return once(steps);
  }
  for (const source of [id, ...related(graph.doc, id)]) {
    each(graph.edgesFrom, source, (e) => {
      if (result.edges[e])
        steps.push(graph.target[e] < 0 ? { rows: graph.into[e], edge: e } : { id: graph.target[e], edge: e });
    });
  }
  return steps;
}

function upSteps(graph, result, { id, rows }) {
  const steps = [];
  if (id === undefined) {
    each(graph.rowEdgesInto, rows, (e) => {
      if (result.edges[e]) steps.push({ id: graph.source[e], edge: e });
    });
    each(graph.flowsInto, rows, (f) => {
      if (result.flows[f]) steps.push({ rows: graph.flowSource[f], by: 'ROWS' });
    });
    return once(steps);
  }
  for (const target of [id, ...related(graph.doc, id)]) {
    each(graph.edgesInto, target, (e) => {
      if (result.edges[e]) steps.push({ id: graph.source[e], edge: e });
    });
  }
  const d = graph.doc.datasetOf[id];
  const shaped = upSteps(graph, result, { rows: d }).length > 0;
  return shaped ? [...steps, { rows: d, by: OWN }] : steps;
}

function once(steps) {
  const seen = new Set();
  return steps.filter((step) => {
    const key = `${keyOf(step)} ${step.edge ?? ''}`;
    return !seen.has(key) && seen.add(key);
  });
}
