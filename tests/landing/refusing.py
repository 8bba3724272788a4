"""Beginnings of sources.toml to make mistakes in, and the mistake that is told."""

from tomllib import loads

import pytest

from governance.errors import PolicyError
from governance.policy_file import Section
from governance.sources import sources_in

LANDING = '[locations.landing]\nat = "landing"\n'
A = '["landing/a.csv"]\n'
X = 'columns.x = "bigint"\n'
T = '["landing/p.txt"]\nformat = "fixed"\n'
R = '["landing/p.txt"]\nformat = "fixed"\nrecord_type = [1, 1]\n'
J = '["landing/b.json"]\nrows = "r"\ncolumns.x = "bigint"\n'
H = 'records.h = { value = "H", columns = { k = { type = "bigint", at = [2, 3] } } }\n'


def refused(text: str) -> PolicyError:
    with pytest.raises(PolicyError) as caught:
        sources_in(Section("sources.toml", "", loads(text)))
    assert caught.value.fix
    return caught.value
