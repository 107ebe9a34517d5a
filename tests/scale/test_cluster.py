"""Clusters by address: those that are not there, and one that is started for a command."""

from __future__ import annotations

import logging
import sys

import pytest

from certo.scale import cluster
from certo.scale.cluster import NoCluster, connected

distributed = pytest.importorskip("distributed", reason="the extra certo[cluster] is not installed")

# Dask leaves sockets and loops to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("address", ["local", "local:0", "local:many"])
def test_a_number_of_workers_is_needed(address):
    with pytest.raises(NoCluster, match="local:WORKERS"), connected(address):
        pass


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense://127.0.0.1:1"])
def test_a_scheduler_that_is_not_there(address, monkeypatch):
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 1)
    missing = pytest.raises(NoCluster, match="no Dask scheduler with a worker answered")
    with missing, connected(address):
        pass
    with pytest.raises(ValueError, match="No clients found"):  # None is left to be waited for.
        distributed.default_client()


def test_without_dask_it_is_said_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    missing = pytest.raises(NoCluster, match=r"pip install 'certo\[cluster\]'")
    with missing, connected("local:1"):
        pass


def test_loggers_with_levels_of_their_own_are_silent_too(monkeypatch):
    """Dask gives `distributed.client` one, and it writes a traceback when a scheduler dies."""
    own = logging.getLogger("distributed.client")
    monkeypatch.setattr(own, "level", logging.WARNING)
    before = cluster._silenced()
    assert not own.isEnabledFor(logging.ERROR)
    assert (own, logging.WARNING) in before
    for logger, level in before:
        logger.setLevel(level)
    assert own.isEnabledFor(logging.ERROR)
