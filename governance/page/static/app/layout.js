// Where the boxes stand: the layered algorithm of ELK, in a worker made from the page's own inert block of text.
// That block is elkjs 0.12.1, unchanged, under the Eclipse Public License 2.0. Source: https://github.com/kieler/elkjs
import { lineMiddle, sizeOf } from './measure.js';

/** Above so many lines those between two boxes share one way. */
const MANY_LINES = 400;
/** A shared way begins and ends so far from the boxes. */
const ROOM = 48;

const OPTIONS = {
  'elk.algorithm': 'layered',
  'elk.direction': 'RIGHT',
  'elk.edgeRouting': 'POLYLINE',
  'elk.layered.spacing.nodeNodeBetweenLayers': '140',
  'elk.layered.spacing.edgeNodeBetweenLayers': '24',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '4',
  'elk.spacing.nodeNode': '28',
  'elk.spacing.edgeNode': '14',
  'elk.spacing.edgeEdge': '5',
  'elk.spacing.componentComponent': '32',
  'elk.spacing.portPort': '4',
  'elk.layered.nodePlacement.strategy': 'BRANDES_KOEPF',
  'elk.layered.nodePlacement.bk.fixedAlignment': 'BALANCED',
  'elk.layered.nodePlacement.favorStraightEdges': 'false',
  'elk.layered.polyline.slopedEdgeZoneWidth': '0',
  'elk.padding': '[top=24,left=24,bottom=24,right=24]',
};

// started as the page is read: it compiles beside the reading of the document
const layoutWorker = startWorker();

function startWorker() {
  const text = document.getElementById('elk').textContent;
  const address = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
  const started = new Worker(address);
  URL.revokeObjectURL(address);
  return started;
}

/** A long chain of many boxes is broken into lines, as text is: one line of them would be too small to read. */
const WRAPPED = {
  'elk.layered.wrapping.strategy': 'MULTI_EDGE',
  'elk.layered.wrapping.additionalEdgeSpacing': '24',
  'elk.layered.wrapping.correctionFactor': '2.2',
};
const MANY_BOXES = 16;

/** Beyond this a quick layout is better than a good one. */
const VERY_MANY_BOXES = 250;
const QUICK = {
  'elk.layered.thoroughness': '1',
  'elk.layered.nodePlacement.strategy': 'SIMPLE',
  'elk.layered.crossingMinimization.greedySwitch.type': 'OFF',
};

/** A function that lays out: ({doc, boxes, ends, bundles}, width over height) → Promise of {boxes: [{x, y, width,
 * height}], routes: [points of each bundle]}. Of calls that come while one runs only the last is run; the others
 * answer null. */
export function createLayout() {
  const waiting = new Map();
  let next = null;
  let sent = 0;
  layoutWorker.postMessage({ id: sent, cmd: 'register', algorithms: ['layered'] });
  layoutWorker.onmessage = ({ data }) => {
    const settle = waiting.get(data.id);
    waiting.delete(data.id);
    if (settle && data.error) settle.reject(new Error(String(data.error.message ?? data.error)));
    else settle?.resolve(data.data);
    if (next && !waiting.size) send();
  };
  layoutWorker.onerror = (event) => {
    for (const call of [...waiting.values(), next]) call?.reject(new Error(`the layout stopped: ${event.message}`));
    waiting.clear();
    next = null;
  };
  const send = () => {
    sent += 1;
    waiting.set(sent, next);
    layoutWorker.postMessage({ id: sent, cmd: 'layout', graph: next.graph, layoutOptions: {}, options: {} });
    next = null;
  };
  return (picture, aspect) => new Promise((resolve, reject) => {
    next?.resolve(null);
    const ways = waysOf(picture);
    const settle = (laid) => resolve(laid && placedOf(picture, ways, laid));
    next = { graph: elkGraph(picture, ways, aspect), resolve: settle, reject };
    if (!waiting.size) send();
  });
}

function elkGraph({ doc, boxes, ends, bundles }, ways, aspect) {
  const ports = boxes.map(() => new Map());
  const port = (end, side) => {
    const { box, line } = ends[end];
    ports[box].set(`${side}${end}`, { side, y: lineMiddle(line) });
    return `${side}${end}`;
  };
  const edges = [...new Set(ways)].map((i) => ({
    id: `e${i}`, sources: [port(bundles[i].from, 'E')], targets: [port(bundles[i].to, 'W')],
  }));
  const children = boxes.map((box, b) => elkBox(b, sizeOf(doc, box), ports[b]));
  const layoutOptions = { ...OPTIONS, ...optionsFor(boxes.length), 'elk.aspectRatio': String(aspect) };
  return { id: 'all', layoutOptions, children, edges };
}

function optionsFor(count) {
  if (count > VERY_MANY_BOXES) return QUICK;
  return count > MANY_BOXES ? WRAPPED : {};
}

function elkBox(b, { width, height }, ports) {
  return {
    id: `b${b}`, width, height,
    // what is connected stands before what stands alone
    layoutOptions: { 'elk.portConstraints': 'FIXED_POS', 'elk.priority': String(ports.size) },
    ports: [...ports].map(([id, { side, y }]) => ({
      id, x: side === 'E' ? width : 0, y, width: 0, height: 0,
      layoutOptions: { 'elk.port.side': side === 'E' ? 'EAST' : 'WEST' },
    })),
  };
}

/** For each bundle the one whose way it takes: its own, or that of the middle one between the same two boxes where one
 * of them is folded or there are many. */
function waysOf({ boxes, ends, bundles }) {
  const between = new Map();
  const shared = bundles.map(({ from, to }, i) => {
    const [source, target] = [ends[from].box, ends[to].box];
    const open = boxes[source].kind === 'open' && boxes[target].kind === 'open';
    if (source === target || (open && bundles.length <= MANY_LINES)) return null;
    const key = `${source} ${target}`;
    between.set(key, [...(between.get(key) ?? []), i]);
    return key;
  });
  return shared.map((key, i) => (key === null ? i : middle(between.get(key))));
}

function middle(list) {
  return list[list.length >> 1];
}

function placedOf({ ends, bundles }, ways, laid) {
  const boxes = laid.children.map(({ x, y, width, height }) => ({ x, y, width, height }));
  const sections = new Map(laid.edges.map(({ id, sections: [section] }) => [Number(id.slice(1)), section]));
  const routes = bundles.map(({ from, to }, i) => {
    const { startPoint, bendPoints = [], endPoint } = sections.get(ways[i]);
    if (ways[i] === i) return [startPoint, ...bendPoints, endPoint];
    const [start, end] = [portPoint(ends[from], boxes, 'E'), portPoint(ends[to], boxes, 'W')];
    return [start, ...apartFrom(start, end, bendPoints), end];
  });
  return { boxes, routes };
}

/** The points of a shared way that leave room to turn towards an end of one's own. */
function apartFrom(start, end, points) {
  if (start.x > end.x) return points;
  return points.filter(({ x }) => x > start.x + ROOM && x < end.x - ROOM);
}

function portPoint({ box, line }, boxes, side) {
  const { x, y, width } = boxes[box];
  return { x: side === 'E' ? x + width : x, y: y + lineMiddle(line) };
}
