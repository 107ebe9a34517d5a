"""Pictures of neurons."""

import pytest

from certo import Neuron, plots
from tests.plots.scenes import drawn

AND, OR = Neuron([1.0, 1.0], -1.5), Neuron([1.0, 1.0], -0.5)


def words(ax):
    return [text.get_text() for text in ax.texts]


def test_a_neuron_shows_its_weights_its_bias_and_its_rule():
    shown = words(drawn(plots.neuron(Neuron([1.5, -2.0], bias=0.5, zero_sign=-1))))
    assert {"x1", "x2", "+1", "+1.5", "-2", "+0.5", "Σ"} <= set(shown)
    assert any("v > 0" in text for text in shown)
    assert any("v ≥ 0" in text for text in words(plots.neuron(OR, names=["left", "right"])))
    assert "left" in words(plots.neuron(OR, names=["left", "right"]))
    many = words(drawn(plots.neuron(Neuron(range(20)))))
    assert "…" in many
    assert "x9" not in many


def test_a_network_has_a_node_for_each_neuron_with_its_bias():
    ax = drawn(plots.network([[OR, Neuron([-1.0, -1.0], 1.5)], [AND]]))
    shown = words(ax)
    assert {"-0.5", "+1.5", "-1.5", "x1", "x2"} <= set(shown)
    assert len(ax.patches) == 5
    with pytest.raises(ValueError, match="has 2 weights, but 1 inputs"):
        plots.network([[OR], [AND]])
