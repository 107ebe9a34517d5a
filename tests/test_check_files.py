"""The files that a check needs, in reading order."""

from __future__ import annotations

from certo.check_files import main, module_of, modules_needed


def test_files_are_listed_after_those_they_import(capsys):
    needed = modules_needed(module_of("SupportBound"))
    assert needed.index("certo.numbers.exact") < needed.index("certo.certificates.spaces.space")
    assert needed[-1] == module_of("SupportBound")
    assert main(["SupportBound"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("SupportBound: ")
    assert said.endswith("certo/certificates/risk/support_bound.py\n")
    assert main(["Support"]) == 2
