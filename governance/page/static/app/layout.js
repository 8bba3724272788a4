// Where the boxes stand: the layered algorithm of ELK, in a worker made from the page's own inert block of text.
import { lineMiddle, sizeOf } from './measure.js';

/** Above so many lines the routes are drawn from end to end, and only the boxes are laid out. */
const MANY_LINES = 1200;

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
    const settle = (placed) => resolve(placed && placedOf(picture, placed));
    next = { graph: elkGraph(picture, aspect), resolve: settle, reject };
    if (!waiting.size) send();
  });
}

function elkGraph({ doc, boxes, ends, bundles }, aspect) {
  const drawn = bundles.length > MANY_LINES ? pairs(ends, bundles) : bundles;
  const ports = boxes.map(() => new Map());
  const port = (end, side) => {
    const { box, line } = ends[end];
    ports[box].set(`${side}${end}`, { end, side, y: lineMiddle(line) });
    return `${side}${end}`;
  };
  const edges = drawn.map((bundle, i) => ({
    id: `e${i}`, sources: [port(bundle.from, 'E')], targets: [port(bundle.to, 'W')],
  }));
  const children = boxes.map((box, b) => elkBox(b, sizeOf(doc, box), ports[b]));
  const layoutOptions = { ...OPTIONS, ...(boxes.length > MANY_BOXES ? WRAPPED : {}), 'elk.aspectRatio': String(aspect) };
  return { id: 'all', layoutOptions, children, edges };
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

/** One bundle for each pair of boxes: enough to place them. */
function pairs(ends, bundles) {
  const seen = new Map();
  for (const bundle of bundles) {
    const key = `${ends[bundle.from].box} ${ends[bundle.to].box}`;
    if (!seen.has(key)) seen.set(key, bundle);
  }
  return [...seen.values()];
}

function placedOf({ ends, bundles }, laid) {
  const boxes = laid.children.map(({ x, y, width, height }) => ({ x, y, width, height }));
  const routed = laid.edges.length === bundles.length;
  const routes = bundles.map((bundle, i) => (routed ? sectionPoints(laid.edges[i]) : straight(ends, boxes, bundle)));
  return { boxes, routes };
}

function sectionPoints({ sections }) {
  const [{ startPoint, bendPoints = [], endPoint }] = sections;
  return [startPoint, ...bendPoints, endPoint];
}

function straight(ends, boxes, { from, to }) {
  const [source, target] = [ends[from], ends[to]];
  return [
    { x: boxes[source.box].x + boxes[source.box].width, y: boxes[source.box].y + lineMiddle(source.line) },
    { x: boxes[target.box].x, y: boxes[target.box].y + lineMiddle(target.line) },
  ];
}
