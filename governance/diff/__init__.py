"""What a change of pipelines does to what they write, judged before it ships: by text and by what events know."""

from governance.diff.around import Known
from governance.diff.compare import compare
from governance.diff.judge import judge, judge_told
from governance.diff.model import Change, ClassChange, Diff, Difference, Kind, Side
from governance.diff.told import told_by, told_differences

__all__ = [
    "Change",
    "ClassChange",
    "Diff",
    "Difference",
    "Kind",
    "Known",
    "Side",
    "compare",
    "judge",
    "judge_told",
    "told_by",
    "told_differences",
]
