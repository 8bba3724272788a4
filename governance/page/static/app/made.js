// How a column is made: of each job that writes it, the SQL of its expression and every input with its kind.
import { each } from './model.js';
import { counting, longList, make, moment, named } from './dom.js';
import { facts, fieldLink, kindWord, learnedWord, part } from './words.js';

/** The sections on what a column is made from and what shapes its table's rows. */
export function makingOf(page, id) {
  const { doc, graph } = page;
  const dataset = doc.datasetOf[id];
  const own = [];
  each(graph.edgesInto, id, (e) => own.push(e));
  const writes = graph.writes.map((write, w) => ({ ...write, w })).filter((write) => write.dataset === dataset);
  return writes.map((write) => {
    const edges = own.filter((e) => graph.write[e] === write.w);
    return part(
      writes.length > 1 ? `Made by ${write.job}` : 'Made from',
      edges.length,
      ...made(page, id, write, edges),
    );
  });
}

function made(page, id, write, edges) {
  const said = [runFacts(write)];
  if (!write.traced)
    said.unshift(
      make('p', { class: 'warn' }, 'Its job told no column lineage: where this column comes from is unknown.'),
    );
  else if (write.gaps.includes(id))
    said.unshift(make('p', { class: 'warn' }, 'Its job told nothing of this column: where it comes from is unknown.'));
  else if (!edges.length)
    said.unshift(make('p', {}, 'From no column: a literal, a count of rows, or the time of the run.'));
  return [...inputsWithText(page, write, edges), ...said, rowsPart(page, write)];
}

/** Job, run, snapshot, how it was learned and when it was confirmed. */
export function runFacts(write) {
  return facts([
    ['Job', named(write.job)],
    ['Run', write.run && make('code', {}, write.run)],
    ['Snapshot', write.snapshot && make('code', {}, write.snapshot)],
    ['Files read', write.files && filesOf(write.files)],
    ['Learned', learnedWord(write.learned)],
    ['Confirmed', write.at && moment(write.at)],
  ]);
}

/** How many files a run read, and the names of the first of them. */
function filesOf({ count, names }) {
  const left = count - names.length;
  const more = names.length && left > 0 ? ` and ${left.toLocaleString('en')} more` : '';
  return make('span', {}, `${counting(count, 'file')}${names.length ? ': ' : ''}`, named(names.join(', ')), more);
}

/** Inputs as a list, and before it the pieces of SQL that name them; whoever points at an input sees where it is named. */
function inputsWithText(page, write, edges) {
  if (!edges.length) return [];
  const pieces = piecesOf(page.graph, write, edges);
  const shown = pieces.map(({ expression, marks }) => textWithMarks(write.version.expressions[expression], marks));
  const point = (e, on) => {
    for (const text of shown)
      for (const it of text.querySelectorAll('mark'))
        it.classList.toggle('lit', on && it.dataset.edges.split(' ').includes(String(e)));
  };
  const list = longList(
    edges,
    (e) =>
      make(
        'li',
        {
          onpointerenter: () => point(e, true),
          onpointerleave: () => point(e, false),
          onfocusin: () => point(e, true),
          onfocusout: () => point(e, false),
        },
        fieldLink(page, page.graph.source[e]),
        ' ',
        kindWord(page.doc, page.graph.kind[e], page.graph.masking[e]),
      ),
    30,
    { class: 'inputs' },
  );
  return [...shown, list];
}

/** Which pieces of SQL made the edges: [{expression, marks: [[start, end, edge]]}], in the order of the SQL. */
function piecesOf(graph, write, edges) {
  const pieces = new Map();
  for (const e of edges) {
    const use = graph.use[e] < 0 ? null : write.version.uses[graph.use[e]];
    for (const { expression, marks } of use ? [use, ...(use.through ?? [])] : []) {
      if (!pieces.has(expression)) pieces.set(expression, []);
      pieces.get(expression).push(...marks.map(([start, end]) => [start, end, e]));
    }
  }
  return [...pieces].sort(([a], [b]) => a - b).map(([expression, marks]) => ({ expression, marks }));
}

/** SQL with its marked ranges; where ranges overlap the text is cut, so that each piece knows all that it names. */
function textWithMarks({ text, line, template }, marks) {
  const cuts = [...new Set([0, text.length, ...marks.flatMap(([start, end]) => [start, end])])].sort((a, b) => a - b);
  const code = make('code');
  cuts.slice(0, -1).forEach((from, i) => {
    const to = cuts[i + 1];
    const here = marks.filter(([start, end]) => start <= from && to <= end).map(([, , e]) => e);
    code.append(
      here.length ? make('mark', { 'data-edges': here.join(' ') }, text.slice(from, to)) : text.slice(from, to),
    );
  });
  const said = template ? `written by line ${template} of its template` : `line ${line}`;
  const where = line === null || line === undefined ? null : make('span', { class: 'line' }, said);
  return make(
    'figure',
    { class: 'sql' },
    where && make('figcaption', {}, where),
    make('pre', { tabindex: 0, role: 'group', 'aria-label': 'Expression in the SQL' }, code),
  );
}

/** What decides which rows its table has: closed at first, since it is the same for all columns of a table. */
export function rowsPart(page, write) {
  const { doc, graph } = page;
  const edges = [];
  each(graph.rowEdgesInto, write.dataset, (e) => {
    if (graph.write[e] === write.w) edges.push(e);
  });
  if (!edges.length) return null;
  return make(
    'details',
    { class: 'rowsof' },
    make(
      'summary',
      {},
      `Its rows are shaped by ${counting(new Set(edges.map((e) => graph.source[e])).size, 'column')}`,
    ),
    ...inputsWithText(
      page,
      write,
      edges.sort(
        (a, b) => graph.kind[a] - graph.kind[b] || doc.datasetOf[graph.source[a]] - doc.datasetOf[graph.source[b]],
      ),
    ),
  );
}
