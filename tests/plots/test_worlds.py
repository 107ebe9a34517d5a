"""Pictures of known distributions."""

import pytest

from certo import plots, worlds
from tests.plots.scenes import drawn


@pytest.mark.parametrize("name", worlds.__all__)
def test_every_world_is_drawn_with_its_least_risk(name):
    world = getattr(worlds, name)()
    ax = drawn(plots.world(world, world.draw(30, rng=1)))
    assert f"{world.bayes_risk:.4g}" in ax.get_title()
    assert ax.get_legend() is not None


def test_more_than_two_features_are_refused():
    with pytest.raises(ValueError, match="one or two features"):
        plots.world(worlds.GaussianClasses(d=3))
