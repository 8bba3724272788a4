"""The graph alone on a page: the view with the smallest of apps around it, written as one file."""

import json
import re
from pathlib import Path
from typing import Any

STATIC = Path(__file__).parents[2] / "governance/page/static"
MODULES = (
    "model.js",
    "walk.js",
    "groups.js",
    "bundles.js",
    "measure.js",
    "ground.js",
    "layout.js",
    "svg.js",
    "boxes.js",
    "routes.js",
    "light.js",
    "zoom.js",
    "neighbour.js",
    "svgtext.js",
    "draw.js",
)
APP = """
const asOpened = () => ({
  at: null, selected: null, mode: 'both', depth: null, hideIndirect: false, kinds: null, grouping: 'schema',
  expanded: new Set(), focus: false,
});
const lab = {state: asOpened(), chosen: [], toggled: [], tools: {
  readDocument, reach, standing, boxesOf, bundlesOf, endsOf, foldedAll, keysToReveal, pathOf, fitted, widthOf, LIT}};
lab.find = (known, name) => {
  const dataset = known.datasets.findIndex((it) => it.name === name || name.startsWith(`${it.name}.`));
  const field = known.datasets[dataset].fields.findIndex((it) => `${known.datasets[dataset].name}.${it.name}` === name);
  return {dataset, field: field < 0 ? null : field};
};
const direction = () => ({impact: 'down', trace: 'up'}[lab.state.mode] ?? 'both');
lab.light = () => {
  const {state, graph, view} = lab;
  view.light(state.selected && reach(graph, state.selected, {...state, direction: direction()}));
};
lab.show = () => { lab.showing = lab.view.show(lab.graph, lab.state); return lab.showing; };
lab.set = (patch) => {
  Object.assign(lab.state, patch);
  lab.graph = standing(lab.doc, lab.state.at);
  lab.light();
  return lab.show();
};
lab.open = async (raw) => {
  Object.assign(lab, {doc: readDocument(raw), state: asOpened(), chosen: [], toggled: []});
  await lab.set({});
  lab.view.fit();
};
lab.view = createView(document.getElementById('graph'), {
  onSelect(dataset, field) {
    lab.chosen.push([dataset, field]);
    lab.state.selected = dataset === null ? null : {dataset, field};
    lab.light();
  },
  onExpand(key) {
    lab.toggled.push(key);
    if (!lab.state.expanded.delete(key)) lab.state.expanded.add(key);
    lab.show();
  },
});
lab.drawing = () => lab.view.drawing();
globalThis.lab = lab;
lab.open(document.getElementById('document').textContent).then(
  () => requestAnimationFrame(() => requestAnimationFrame(() => {
    performance.mark('painted');
    document.body.dataset.ready = 'yes';
  })));
"""


def code() -> str:
    """The graph's modules as one."""
    texts = (STATIC.joinpath("app", name).read_text("utf-8") for name in MODULES)
    return "\n".join(re.sub(r"^export |^import .*$", "", text, flags=re.MULTILINE) for text in texts)


def write_page(folder: Path, document: dict[str, Any]) -> str:
    """Write the page of ``document`` and return its address."""
    data = json.dumps(document).replace("<", "\\u003c")
    path = folder / "graph.html"
    path.write_text(
        "<!doctype html><html lang='en'><head><meta charset='utf-8'><title>graph</title>"
        f"<style>{STATIC.joinpath('graph.css').read_text('utf-8')}"
        "body{margin:0}#graph{display:block;width:100vw;height:100vh}</style></head><body>"
        "<svg id='graph' role='group' aria-label='Lineage'></svg>"
        f"<script type='application/json' id='document'>{data}</script>"
        f"<script type='text/plain' id='elk'>{STATIC.joinpath('vendor/elk-worker.min.js').read_text('utf-8')}</script>"
        f"<script type='module'>{code()}{APP}</script></body></html>",
        "utf-8",
    )
    return path.as_uri()
