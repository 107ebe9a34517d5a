"""Which machines are compared on a table."""

from __future__ import annotations

from certo.tables.candidates import candidates
from certo.tables.settings import machine


def named(*sizes, learns="classes"):
    return {one.name: one for one in candidates(learns, *sizes, seed=3)}


def test_every_machine_of_certo_is_made_as_the_command_line_makes_it():
    for learns in ("classes", "numbers"):
        some = candidates(learns, 100, 2, 4, seed=3)
        own = [one for one in some if one.kind == "certo"]
        assert len(own) in (2, 8)
        for one in own:
            made = machine(one.command, one.settings)
            if "random_state" in made.get_params():
                made.set_params(random_state=3)
            assert repr(made) == repr(one.estimator)
        assert [one.kind for one in some].count("outsider") == 1
        assert len({one.name for one in some}) == len(some)


def test_slow_machines_are_for_small_tables_and_say_so():
    small, large = named(100, 2, 4), named(40_000, 2, 4)
    assert not any(one.unsuitable for one in small.values())
    wrong = [one.name for one in large.values() if one.unsuitable]
    assert wrong == ["min-disagreement", "kernel-perceptron"]
    assert large["min-disagreement"].unsuitable == "only for up to 2,000 training rows"
    assert named(100, 3, 4)["min-disagreement"].unsuitable == "only for two classes"


def test_kernels_depend_on_the_columns_and_not_on_the_rows():
    settings = [one.settings for one in candidates("classes", 100, 2, 6, 0)]
    assert ("kernel=Gaussian(variance=3.0)",) in settings
    assert settings == [one.settings for one in candidates("classes", 40_000, 3, 6, 0)]
