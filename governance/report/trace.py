"""What a column comes from, as an indented tree in text and Markdown."""

from governance.dataset import Dataset
from governance.graph import Edge
from governance.report.table import markdown, markdown_table, plain
from governance.trace import Hop, Step, Trace

HEAD = ("Comes from", "Word", "Used as", "Job", "Run", "Learned")


def trace_text(trace: Trace) -> str:
    """Return a line a step, indented by its depth, then the sources at the ends."""
    lines = [plain(line) if step.depth == 0 else "  " * step.depth + plain(line) for step, line in _lines(trace)]
    return "\n".join([*lines, "", _ends(trace)])


def trace_markdown(trace: Trace) -> str:
    """Return a row a step, its depth as leading dots, then the sources at the ends."""
    rows = [
        (
            "· " * step.depth + _what(step),
            _word(step, trace),
            ", ".join(map(_use, step.by)),
            ", ".join(dict.fromkeys(hop.job for hop in step.by)),
            ", ".join(dict.fromkeys(hop.run_id for hop in step.by)),
            ", ".join(dict.fromkeys(hop.learned.value for hop in step.by)),
        )
        for step in trace.steps
    ]
    return f"{markdown_table(HEAD, rows)}\n\n{markdown(_ends(trace))}"


def _lines(trace: Trace) -> list[tuple[Step, str]]:
    return [(step, f"{_what(step)}  {_word(step, trace)}{_told(step)}") for step in trace.steps]


def _what(step: Step) -> str:
    return f"rows of {step.what}" if isinstance(step.what, Dataset) and step.depth else str(step.what)


def _word(step: Step, trace: Trace) -> str:
    marks = [step.word] if step.word != "rows" else ["table"]
    marks += ["stale: dropped"] if step.dataset in trace.stale else []
    marks += ["see above"] if step.repeated else []
    return ", ".join(marks)


def _told(step: Step) -> str:
    if not step.by:
        return ""
    jobs = dict.fromkeys((hop.job, hop.run_id, hop.learned.value) for hop in step.by)
    said = "; ".join(f"job {job}, run {run or 'none'}, {learned}" for job, run, learned in jobs)
    return f"  {', '.join(dict.fromkeys(map(_use, step.by)))}  [{said}]"


def _use(hop: Hop) -> str:
    return f"{hop.how} masked" if isinstance(hop, Edge) and hop.masking else hop.how


def _ends(trace: Trace) -> str:
    if not trace.origins:
        return "No source was found among the runs whose events were read."
    return f"Sources, among the runs whose events were read: {', '.join(map(str, trace.origins))}"
