"""Help for someone who has not read anything else."""

from __future__ import annotations

import pytest

from certo.tables.settings import commands

COMMANDS = ("fit", "curve", "separable", "predict", "verify", "proof")


@pytest.mark.parametrize("command", [(), *((name,) for name in COMMANDS)], ids=str)
def test_every_help_has_an_example(certo, command):
    said = certo(*command, "--help")
    assert said.code == 0
    assert " ".join(["Example: certo", *(command or ["fit"])]) in " ".join(said.out.split())


def test_help_names_every_machine(certo):
    said = " ".join(certo("fit", "-h").out.split()).replace("- ", "-")
    for name, known in commands().items():
        assert name in said
        learns = "To predict a number:" if known.learns == "numbers" else "To predict a class:"
        assert learns in said


def test_help_of_curve_names_the_machines_with_a_kernel(certo):
    said = " ".join(certo("curve", "--help").out.split())
    named = said.partition("Machine to fit: ")[2].partition(".")[0].split(", ")
    assert set(named) == {name for name, known in commands().items() if known.takes_kernel}
