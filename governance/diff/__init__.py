"""What a change of pipelines does to what they write, judged before it ships: by text and by what events know."""

from governance.diff.compare import compare
from governance.diff.judge import Known, judge
from governance.diff.model import Change, ClassChange, Diff, Difference, Kind, Side

__all__ = ["Change", "ClassChange", "Diff", "Difference", "Kind", "Known", "Side", "compare", "judge"]
