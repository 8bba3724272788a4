"""What a change reaches: columns by value, columns and tables by population, and what cannot be told."""

from governance.impact.change import ADVICE, Advice, Change
from governance.impact.model import Hop, Impact, Reached, Touch
from governance.impact.rank import Facts, Ranked, ranked
from governance.impact.walk import impact

__all__ = ["ADVICE", "Advice", "Change", "Facts", "Hop", "Impact", "Ranked", "Reached", "Touch", "impact", "ranked"]
