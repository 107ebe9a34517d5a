"""Connections to a Dask cluster, by address or started here."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress

CONNECT_SECONDS = 30  # How long a scheduler may take to answer, and workers to be there.
LOCAL = "local"


class NoCluster(ConnectionError):
    """There is no cluster at this address, or no Dask to reach it."""


@contextmanager
def connected(address: str) -> Iterator[int]:
    """Make the cluster the one that collections and files are read on; how many threads its workers
    have. `address` is that of a scheduler, such as tcp://10.0.0.1:8786, or local:4 for four
    workers on this machine, which end afterwards."""
    kind, _, number = address.partition(":")
    if kind == LOCAL and not (number.isdigit() and int(number) > 0):
        raise NoCluster(f"the cluster must be local:WORKERS or tcp://HOST:PORT, got {address!r}.")
    try:
        from distributed import Client, LocalCluster, default_client
    except ImportError as wrong:
        raise NoCluster(
            "a cluster needs Dask, which is not installed: pip install 'certo[cluster]'."
        ) from wrong
    workers = None
    before = _silenced()  # What breaks is said by `ClusterLost`, in words.
    try:
        if kind == LOCAL:
            workers = LocalCluster(
                n_workers=int(number), threads_per_worker=1, dashboard_address=None
            )
        try:
            client = Client(workers or address, timeout=CONNECT_SECONDS)
            client.wait_for_workers(1, timeout=CONNECT_SECONDS)
        except (OSError, TimeoutError, ValueError) as wrong:
            with suppress(ValueError):  # What could not connect would be waited for ever after.
                default_client().close(timeout=1)
            raise NoCluster(
                f"no Dask scheduler with a worker answered at {address} within {CONNECT_SECONDS} "
                "seconds. Start them with: dask scheduler, and dask worker ADDRESS."
            ) from wrong
        try:
            yield sum(client.nthreads().values())
        finally:
            client.close(timeout=1)
    finally:
        if workers is not None:
            workers.close(timeout=10)
        for logger, level in before:
            logger.setLevel(level)


def _silenced() -> list[tuple[logging.Logger, int]]:
    """Dask's loggers, some of which have levels of their own, are silent; and what they were."""
    names = ["distributed", *logging.root.manager.loggerDict]
    found = [logging.getLogger(name) for name in names if name.split(".")[0] == "distributed"]
    before = [(logger, logger.level) for logger in dict.fromkeys(found)]
    for logger in found:
        logger.setLevel(logging.CRITICAL)
    return before
