"""What a group of examples has together, shared out among them."""

from __future__ import annotations

from certo.compiled._jit import jit


@jit
def fill_up(alpha, members, starts, costs, out):
    """out of a group's members: what its alpha is, in turn, as much as their costs allow."""
    for group in range(starts.size):
        left = alpha[group]
        stop = starts[group + 1] if group + 1 < starts.size else members.size
        for t in members[starts[group] : stop]:
            out[t] = min(left, costs[t])
            left -= out[t]
