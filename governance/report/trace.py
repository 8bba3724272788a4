"""What a column comes from, as an indented tree in text and Markdown."""

from governance.dataset import Dataset, Field
from governance.graph import Edge
from governance.report.table import markdown, markdown_table, plain
from governance.trace import NO_INPUT, Hop, Step, Trace

HEAD = ("Comes from", "Word", "Used as", "Job", "Run", "Learned")


def trace_text(trace: Trace) -> str:
    """Return a line a step, indented by its depth, then the sources at the ends."""
    lines = [plain(line) if step.depth == 0 else "  " * step.depth + plain(line) for step, line in _lines(trace)]
    return "\n".join([*lines, "", ends_text(trace)])


def trace_markdown(trace: Trace) -> str:
    """Return a row a step, its depth as leading dots, then the sources at the ends."""
    rows = [
        (
            "· " * step.depth + what_text(step),
            word_text(step, trace),
            ", ".join(map(use_text, step.by)),
            ", ".join(dict.fromkeys(hop.job for hop in step.by)),
            ", ".join(dict.fromkeys(hop.run_id for hop in step.by)),
            ", ".join(dict.fromkeys(hop.learned.value for hop in step.by)),
        )
        for step in trace.steps
    ]
    return f"{markdown_table(HEAD, rows)}\n\n{markdown(ends_text(trace))}"


def _lines(trace: Trace) -> list[tuple[Step, str]]:
    return [(step, f"{what_text(step)}  {word_text(step, trace)}{_told(step)}") for step in trace.steps]


def what_text(step: Step) -> str:
    """Return the column or table of a step; a table stands for its rows where it was not asked for."""
    return f"rows of {step.what}" if isinstance(step.what, Dataset) and step.depth else str(step.what)


def word_text(step: Step, trace: Trace) -> str:
    """Return how the step's column came about, and what else is to be known of it."""
    word = step.word if step.word != "rows" else _kind_of(step.dataset)
    marks = [f"{word} ({step.note})" if step.note else word]
    marks += ["stale: dropped"] if step.dataset in trace.stale else []
    marks += ["see above"] if step.repeated else []
    return ", ".join(marks)


def _kind_of(dataset: Dataset) -> str:
    """Return what a dataset is, by its name: one of files has a path's, ``landing/orders.csv``."""
    if "/" not in dataset.name:
        return "table"
    return "dataset of files" if any(char in dataset.name for char in "*?[") else "file"


def told_by(step: Step) -> str:
    """Return which jobs and runs said so, and how they know."""
    jobs = dict.fromkeys((hop.job, hop.run_id, hop.learned.value) for hop in step.by)
    return "; ".join(f"job {job}, run {run or 'none'}, {learned}" for job, run, learned in jobs)


def use_text(hop: Hop) -> str:
    """Return ``DIRECT IDENTITY`` and the like, with whether it is masked."""
    return f"{hop.how} masked" if isinstance(hop, Edge) and hop.masking else hop.how


def _told(step: Step) -> str:
    return f"  {', '.join(dict.fromkeys(map(use_text, step.by)))}  [{told_by(step)}]" if step.by else ""


def ends_text(trace: Trace) -> str:
    """Return the sources at the ends in one sentence."""
    columns = [step for step in trace.steps if isinstance(step.what, Field)]
    if trace.steps and not columns:
        return "No event says which columns it has, or what feeds them."
    if columns and all(step.note == NO_INPUT for step in columns):
        return "No column feeds it, as its job says itself: so it is with constants, counts of rows and times of runs."
    if not trace.origins:
        return "No source was found among the runs whose events were read."
    return f"Sources, among the runs whose events were read: {', '.join(map(str, trace.origins))}"
