"""Hostile templates end in an error, soon and in little memory, and at the same place on every machine."""

import subprocess
import sys
import time

import pytest

from governance.errors import PipelineError
from tests.template.given import made, sql

GROW = "{% set ns = namespace(x='xx', l=[1]) %}{% for i in range(100) %}BODY{% endfor %}{{ ns.x }}{{ ns.l }}"

HOSTILE = {
    "nested loops": "{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}",
    "loops that pass over all": "{% for i in range(9999) %}{% for j in range(99999) if 0 %}{% endfor %}{% endfor %}",
    "a loop that writes": "{% for i in range(100000) %}" + "x" * 1000 + "{% endfor %}",
    "a macro that writes": "{% macro m() %}{% for i in range(99999) %}"
    + "x" * 999
    + "{% endfor %}{% endmacro %}{{ m() }}",
    "a great range": "{{ range(10**9) | list }}",
    "ranges in a loop": "{% for i in range(100000) %}{% set x = range(100000) | list %}{% endfor %}",
    "select in a loop": "{% for i in range(99999) %}{% set x = range(99999) | select('eq', -1) | list %}{% endfor %}",
    "map in a loop": "{% for i in range(99999) %}{% set x = range(99999) | map('string') | list %}{% endfor %}",
    "a text times": "{{ 'x' * 10**9 }}",
    "times a text": "{{ 10**9 * 'x' }}",
    "a list times": "{{ [1] * 10**9 }}",
    "a great power": "{{ 10 ** (10 ** 9) }}",
    "squares": GROW.replace("BODY", "{% set ns.x = 3 if i == 0 else ns.x * ns.x %}"),
    "doubled by ~": GROW.replace("BODY", "{% set ns.x = ns.x ~ ns.x %}"),
    "doubled by +": GROW.replace("BODY", "{% set ns.x = ns.x + ns.x %}"),
    "doubled by a block": GROW.replace("BODY", "{% set y %}{{ ns.x }}{{ ns.x }}{% endset %}{% set ns.x = y %}"),
    "doubled by replace": GROW.replace("BODY", "{% set ns.x = ns.x | replace('x', 'xx') %}"),
    "doubled by the method": GROW.replace("BODY", "{% set ns.x = ns.x.replace('x', 'xx') %}"),
    "doubled by join": GROW.replace("BODY", "{% set ns.x = [ns.x, ns.x] | join %}"),
    "doubled by its method": GROW.replace("BODY", "{% set ns.x = ns.x.join(['a', 'b', ns.x]) %}"),
    "doubled by format": GROW.replace("BODY", "{% set ns.x = '{0}{0}'.format(ns.x) %}"),
    "doubled by percent": GROW.replace("BODY", "{% set ns.x = '%s%s' % (ns.x, ns.x) %}"),
    "a doubled list": GROW.replace("BODY", "{% set ns.l = ns.l + ns.l %}"),
    "a list that extends itself": GROW.replace("BODY", "{% do ns.l.extend(ns.l) %}"),
    "a list of itself twice": GROW.replace("BODY", "{% set ns.l = [ns.l, ns.l] %}"),
    "appended to itself": "{% set x = [] %}{% do x.append(x) %}{{ x }}",
    "appended to itself and joined": "{% set x = [] %}{% do x.append(x) %}{{ x | join }}",
    "appended in a loop": "{% set x = [] %}{% for i in range(99999) %}{% do x.append('x' * 999) %}{% endfor %}",
    "put in front in a loop": "{% set x = [] %}{% for i in range(99999) %}{% do x.insert(0, 1) %}{% endfor %}",
    "dicts in a loop": "{% set x = [] %}{% for i in range(99999) %}{% do x.append({'a': {'b': 1}}) %}{% endfor %}",
    "cut in a loop": "{% set x = 'x' * 999999 %}{% for i in range(99999) %}{% set y = x[1:] %}{% endfor %}",
    "searched in a loop": "{% set x = 'x' * 999999 %}{% for i in range(99999) %}{{ 'xxy' in x }}{% endfor %}",
    "split in a loop": "{% set x = 'a ' * 99999 %}{% for i in range(99999) %}{% set y = x.split() %}{% endfor %}",
    "great texts kept": "{% set x = [] %}{% for i in range(999) %}{% do x.append('\U0001f600' * 99999) %}{% endfor %}",
    "many great texts": "".join(f"{{% set a{i} = 'x' * 999999 %}}" for i in range(1000)),
    "many great texts by ~": "".join(f"{{% set a{i} = 'x' * 499999 ~ 'x' * 499999 %}}" for i in range(1000)),
    "many great lists": "{% set x = 'x' * 999999 %}" + "".join(f"{{% set a{i} = x | list %}}" for i in range(1000)),
    "many great blocks": "".join(f"{{% set a{i} %}}{{{{ 'x' * 999999 }}}}{{% endset %}}" for i in range(1000)),
    "center": "{{ 'x' | center(10**9) }}",
    "center as a method": "{{ 'x'.center(10**9) }}",
    "zfill": "{{ 'x'.zfill(10**9) }}",
    "indent": "{{ 'a\\nb' | indent(10**9) }}",
    "batch": "{{ [1] | batch(10**9, 'x') | list }}",
    "slice": "{{ [1] | slice(10**9) | list }}",
    "round": "{{ 1.5 | round(10**9, 'floor') }}",
    "a wide format": "{{ '{:1000000000}'.format(1) }}",
    "a wide format by a value": "{{ '{:{}}'.format(1, 10**9) }}",
    "a wide percent": "{{ '%1000000000d' % 1 }}",
    "a wide percent as a filter": "{{ '%1000000000d' | format(1) }}",
    "a wide percent by a value": "{{ '%*d' % (10**9, 1) }}",
    "a macro that calls itself": "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "macros that call each other": "{{ ping() }}",
    "a file that includes itself": "{% include 'money.j2' %}{% macro m() %}{{ m() ~ m() }}{% endmacro %}{{ m() }}",
    "a loop that calls itself": "{% for a in [1] recursive %}{{ loop([1]) }}{% endfor %}",
    "deep parentheses": "{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}",
    "a long sum": "{{ 1" + "+1" * 9000 + " }}",
    "deep loops": "{% for a in [1] %}" * 300 + "{% endfor %}" * 300,
    "deep ifs": "{% if 1 %}" * 2000 + "{% endif %}" * 2000,
    "very many expressions": "{{ 1 }}" * 14_000,
    "a very long list": "{{ [" + "1," * 40_000 + "] }}",
    "a very long file": "x" * 100_001,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_template_ends_in_an_error_soon(text: str) -> None:
    begun = time.process_time()
    with pytest.raises(PipelineError) as caught:
        made(text)
    assert time.process_time() - begun < 2
    assert caught.value.where() == "pipelines/gold/daily.sql.j2:1"
    assert caught.value.fix


def test_all_hostile_templates_together_take_little_memory() -> None:
    script = (
        "import resource\n"
        "from tests.template.given import made\n"
        "from tests.template.test_bounds import HOSTILE, PipelineError\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "for text in HOSTILE.values():\n"
        "    try: made(text)\n"
        "    except PipelineError: pass\n"
        "print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 200


def test_what_people_write_is_far_from_the_bounds() -> None:
    columns = [f"column_{number}" for number in range(2000)]
    text = (
        f"{{% set columns = {columns!r} %}}"
        "{% for c in columns %}coalesce({{ c | lower }}, 0) as {{ c ~ '_x' }}{{ ', ' if not loop.last }}{% endfor %}"
    )
    assert sql(text).count("coalesce") == len(columns)
