"""Values that are made in great number and stay are not looked through by the collector, nor right after."""

import gc

from governance.uncollected import uncollected

MANY = 100_000


def test_what_was_made_counts_as_old_at_once() -> None:
    gc.unfreeze()
    with uncollected():
        assert not gc.isenabled()
        made = [[number] for number in range(MANY)]
    assert gc.isenabled()
    assert len(gc.get_objects(generation=0)) < MANY / 10
    assert len(made) == MANY


def test_what_held_still_before_holds_still_after() -> None:
    gc.freeze()
    try:
        still = gc.get_freeze_count()
        with uncollected():
            made = [[number] for number in range(MANY)]
        assert gc.get_freeze_count() >= still - len(made) / 10
    finally:
        gc.unfreeze()


def test_a_collector_that_rests_goes_on_resting() -> None:
    gc.disable()
    try:
        with uncollected():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
