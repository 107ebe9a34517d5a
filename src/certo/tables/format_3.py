"""Machines of model files of format 3, in which supports were a list for each output."""

from __future__ import annotations

from typing import Any

import numpy as np

from certo.estimators._kernel import spread


def upgrade_supports(machine: Any) -> None:
    """Make of a machine as format 3 has it what its fit leaves now: one array of supports for all
    outputs, and tables over it.

    The class of a support is known where it is positive in the output of one class, or negative in
    those of all others. That of the others is -1: they have a place in no other array of the file.
    """
    state = vars(machine)
    if "n_support_" not in state:  # It has no supports.
        return
    machine._set_supports(state["support_"], state["dual_coef_"])
    signs = machine.dual_coef_
    if "_updated" in state:
        machine._updated = spread(state["_updated"], machine._in_output)
    if "_sums" in state:
        machine._sums = spread(state["_sums"], machine._in_output)
        signs = machine._sums[:, 0]
    if len(signs) == 1:
        signs = np.concatenate([-signs, signs])
    is_known = np.any(signs > 0, axis=0) | (np.sum(signs < 0, axis=0) == len(signs) - 1)
    machine._support_classes = np.where(is_known, np.argmax(signs, axis=0), -1)
    del state["n_support_"]
