"""What a world is: a distribution of examples, its best predictor, and the risk of any other."""

from __future__ import annotations

import abc
from collections.abc import Callable
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy import special

from certo.facts import InputError
from certo.words import points as sentences
from certo.worlds.quadrature import (
    adaptive_integral,
    integral,
    side_changes,
    sides_integral,
)

RISK_TOLERANCE = 1e-6  # Of integrals in which a rule changes its side, or a function has kinks.
POINTS_OF_A_LINE = 257  # At which a rule is asked for its side, between the points of the world.
POINTS_OF_THE_ONLY_LINE = 8193  # The same, where the world has one coordinate.
LINES_ACROSS = 9  # Along the second coordinate, on which changes of the side are looked for.
PANELS_OF_A_FUNCTION = 512  # Whose nodes are at most a 3500th of the interval apart.
SMOOTH_PANELS = 64


class Draw(NamedTuple):
    """Examples, as `fit` takes them: `machine.fit(*world.draw(100))`."""

    X: np.ndarray
    y: Any  # labels −1 and +1, or numbers, or None where there is nothing to predict


class Axis(NamedTuple):
    """One coordinate: its density, and between which points it lies (up to less than 1e-18)."""

    density: Callable[[np.ndarray], np.ndarray]
    low: float
    high: float

    def panels(self, breaks=()) -> np.ndarray:
        """Points that cut the line into panels; the breaks are among them."""
        return np.union1d(np.linspace(self.low, self.high, SMOOTH_PANELS + 1), breaks)


class World(abc.ABC):
    """A distribution of examples that is known. Worlds are frozen values.

    Attributes
    ----------
    n_features : number of columns of X
    bayes_risk : the least risk that any function has
    """

    n_features: int

    def draw(self, m: int, rng=None) -> Draw:
        """m independent examples.

        Parameters
        ----------
        m : number of examples
        rng : a NumPy generator, a seed, or None for fresh randomness

        Returns
        -------
        Draw(X, y) : X of shape (m, n_features); y is None where there is nothing to predict
        """
        if not (isinstance(m, (int, np.integer)) and m >= 0):
            raise InputError(sentences.no_example_count, self, m)
        return self._draw(int(m), np.random.default_rng(rng))

    @abc.abstractmethod
    def _draw(self, m: int, rng: np.random.Generator) -> Draw: ...

    @property
    @abc.abstractmethod
    def bayes_risk(self) -> float:
        """The least risk that any function has."""

    @abc.abstractmethod
    def risk(self, model) -> float:
        """The risk of a fitted machine, or of a function of X; never below `bayes_risk`."""

    def _points(self, X) -> np.ndarray:
        X = np.asarray(X, dtype=np.float64)
        if X.ndim != 2 or X.shape[1] != self.n_features:
            raise InputError(sentences.not_of_the_world, self, self.n_features, X.shape)
        return X


def answers(model, X: np.ndarray, names: tuple[str, ...], what: str) -> np.ndarray:
    """What a machine, or a function, says of X: an array of numbers, one for each row."""
    for name in names:
        if hasattr(model, name):
            model = getattr(model, name)
            break
    if not callable(model) or isinstance(model, type):
        raise TypeError(
            f"the risk needs a fitted machine with {' or '.join(names)}, or a function of X that "
            f"returns {what}, and {model!r} is neither."
        )
    found = np.asarray(model(X))
    if found.shape != (len(X),):
        raise InputError(sentences.other_answers, what, len(X), found.shape)
    return found


class ClassWorld(World):
    """Two classes, y = −1 and y = +1, and η(x) = Pr(y = +1 | x).

    The Bayes classifier answers +1 where η(x) ≥ ½, and its risk is E min(η, 1 − η). Any other
    rule h has the risk

        R(h) = bayes_risk + E |2η(x) − 1| · 1[h(x) differs from the Bayes classifier],

    which is how `risk` computes it: the second term is nowhere negative.
    """

    discrete: ClassVar[bool] = False  # Whether the same few points occur again and again.

    @abc.abstractmethod
    def _eta(self, *x: np.ndarray) -> np.ndarray:
        """η, of arrays of coordinates."""

    def eta(self, X) -> np.ndarray:
        """η(x) = Pr(y = +1 | x) for each row of X."""
        return self._eta(*self._points(X).T)

    def bayes(self, X) -> np.ndarray:
        """The Bayes classifier, sgn(2η(x) − 1) with sgn(0) = +1, for each row of X."""
        return np.where(self.eta(X) >= 0.5, 1, -1)

    def risk(self, model) -> float:
        """The probability of an error.

        Parameters
        ----------
        model : a fitted machine with `predict`, or a function of X, whose answers are −1 and +1

        Returns
        -------
        float
            Within about 1e-6, if the boundary of the rule crosses no line more than once
            between points that are a 256th of the breadth of the world apart (an 8192nd in a world
            of one coordinate).
        """
        return self.bayes_risk + self._excess(lambda X: self._says_yes(model, X))

    def hyperplane_risk(self, coef, intercept: float = 0.0) -> float:
        """The risk of h(x) = sgn(w·x + b), sgn(0) = +1, with w = `coef` and b = `intercept`."""
        w, b = self._weights(coef, intercept)
        return self.risk(lambda X: np.where(X @ w + b >= 0, 1, -1))

    def _weights(self, coef, intercept) -> tuple[np.ndarray, float]:
        w = np.asarray(coef, dtype=np.float64)
        if w.shape != (self.n_features,):
            raise InputError(sentences.other_weights, self, self.n_features, w.shape)
        return w, float(intercept)

    @abc.abstractmethod
    def _excess(self, rule: Callable[[np.ndarray], np.ndarray]) -> float:
        """E |2η − 1| where the rule, True for +1, differs from the Bayes classifier."""

    def _says_yes(self, model, X: np.ndarray) -> np.ndarray:
        found = answers(model, X, ("predict",), "labels -1 and +1")
        yes = found == 1
        if not np.all(yes | (found == -1)):
            strange = found[~(yes | (found == -1))].tolist()[0]
            raise InputError(sentences.no_sign, self, strange)
        return yes


class ContinuousClassWorld(ClassWorld):
    """Classes on a line or in a plane whose coordinates are independent of each other."""

    @property
    @abc.abstractmethod
    def _axes(self) -> tuple[Axis, ...]:
        """The coordinates that η depends on: at most the first and the second."""

    @property
    def ends(self) -> tuple[float, float]:
        """Between which values the first coordinate lies, but for a probability below 1e-18."""
        return self._axes[0].low, self._axes[0].high

    def _breaks(self, line: np.ndarray) -> np.ndarray:
        """Values of the first coordinate, (lines, n), at which η jumps, has a kink or is ½, for
        each value of the second one."""
        return np.empty((line.size, 0))

    @cached_property
    def bayes_risk(self) -> float:
        """E min(η, 1 − η), by quadrature to 1e-10; halving all panels must change nothing."""
        first, *others = self._axes

        def of_lines(line: np.ndarray) -> np.ndarray:
            flat = line.ravel()
            panels = np.broadcast_to(first.panels(), (flat.size, SMOOTH_PANELS + 1))
            edges = np.sort(np.concatenate([panels, self._breaks(flat)], axis=1), axis=1)
            place = flat[:, None, None]

            def least(x: np.ndarray) -> np.ndarray:
                eta = self._eta(*np.broadcast_arrays(x, place)[: len(self._axes)])
                return first.density(x) * np.minimum(eta, 1 - eta)

            return integral(least, edges).reshape(line.shape)

        if not others:
            return float(of_lines(np.zeros(1))[0])
        (second,) = others
        edges = second.panels(self._outer_breaks())
        return float(integral(lambda x: second.density(x) * of_lines(x), edges))

    def _outer_breaks(self) -> tuple[float, ...]:
        """Values of the second coordinate at which the integral along the first has a kink."""
        return ()

    def _excess(self, rule: Callable[[np.ndarray], np.ndarray]) -> float:
        if self.n_features != len(self._axes):
            raise InputError(sentences.no_risk_in_the_plane, self, self.n_features)
        first, *others = self._axes
        asked = POINTS_OF_A_LINE if others else POINTS_OF_THE_ONLY_LINE
        inner = first.panels(np.linspace(first.low, first.high, asked))

        def side(x: np.ndarray, place: np.ndarray) -> np.ndarray:
            columns = [x, place][: self.n_features]
            asked = np.stack([column.ravel() for column in columns], axis=1)
            return np.asarray(rule(asked)).reshape(x.shape)

        def of_lines(line: np.ndarray) -> np.ndarray:
            flat = line.ravel()
            breaks = self._breaks(flat)
            points = np.broadcast_to(inner, (flat.size, inner.size))
            points = np.sort(np.concatenate([points, breaks], axis=1), axis=1)

            def excess(x: np.ndarray, yes: np.ndarray, place: np.ndarray) -> np.ndarray:
                eta = self._eta(*np.broadcast_arrays(x, place)[: self.n_features])
                differs = (eta >= 0.5) != yes
                return first.density(x) * np.abs(2 * eta - 1) * differs

            return sides_integral(excess, side, points, flat).reshape(line.shape)

        if not others:
            return float(of_lines(np.zeros(1))[0])
        (second,) = others
        # A boundary that is nearly level crosses all lines along the first coordinate in a narrow
        # band of the second, which the integral over this one must not miss.
        across = np.linspace(first.low, first.high, LINES_ACROSS)
        along = np.linspace(second.low, second.high, POINTS_OF_A_LINE)
        points = np.broadcast_to(along, (LINES_ACROSS, along.size))
        turns = side_changes(lambda x, place: side(place, x), points, across).low
        return adaptive_integral(
            lambda x: second.density(x) * of_lines(x), second.low, second.high, RISK_TOLERANCE,
            breaks=turns,
        )  # fmt: skip


class LineWorld(World):
    """Examples on an interval."""

    n_features = 1

    @property
    @abc.abstractmethod
    def _axis(self) -> Axis: ...

    @property
    def ends(self) -> tuple[float, float]:
        """Between which values the first coordinate lies, but for a probability below 1e-18."""
        return self._axis.low, self._axis.high


class NumberWorld(LineWorld):
    """A number y to predict from x on a line: y = g(x) + noise, of mean 0 and known variance.

    The regression function g(x) = E[y | x] has the least squared risk, the variance of the noise.
    Any other function f has the risk

        R(f) = bayes_risk + E (f(x) − g(x))² .
    """

    noise: float  # standard deviation of y around g(x)

    @abc.abstractmethod
    def _draw_x(self, m: int, rng: np.random.Generator) -> np.ndarray: ...

    @abc.abstractmethod
    def _g(self, x: np.ndarray) -> np.ndarray: ...

    def _draw(self, m: int, rng: np.random.Generator) -> Draw:
        x = self._draw_x(m, rng)
        return Draw(x[:, None], self._g(x) + rng.normal(0.0, self.noise, m))

    def regression_function(self, X) -> np.ndarray:
        """g(x) = E[y | x] for each row of X."""
        return self._g(self._points(X)[:, 0])

    @property
    def bayes_risk(self) -> float:
        """The variance of the noise: E (y − g(x))²."""
        return self.noise**2

    def risk(self, model) -> float:
        """The squared risk E (y − f(x))².

        Parameters
        ----------
        model : a fitted machine with `predict`, or a function of X

        Returns
        -------
        float
            Within about 1e-6, if no jump back and forth of the function is narrower than a
            3500th of the interval
        """
        axis = self._axis

        def excess(x: np.ndarray) -> np.ndarray:
            found = answers(model, x.reshape(-1, 1), ("predict",), "numbers").reshape(x.shape)
            return axis.density(x) * (found - self._g(x)) ** 2

        return self.bayes_risk + adaptive_integral(
            excess, axis.low, axis.high, RISK_TOLERANCE, panels=PANELS_OF_A_FUNCTION
        )


class DensityWorld(LineWorld):
    """Examples x on an interval, and their density p(x).

    Under the loss −log q(x) the density itself has the least risk, its entropy. Any other density
    q has the risk bayes_risk + E log(p(x)/q(x)), Kullback and Leibler's divergence more.
    """

    @abc.abstractmethod
    def _log_density(self, x: np.ndarray) -> np.ndarray: ...

    def log_density(self, X) -> np.ndarray:
        """log p(x) for each row of X; −inf where there are no examples."""
        return self._log_density(self._points(X)[:, 0])

    @cached_property
    def bayes_risk(self) -> float:
        """−E log p(x), the entropy, by quadrature to 1e-10; halving all panels changes nothing."""
        axis = self._axis
        edges = axis.panels(_towards_the_ends(axis))
        return float(integral(lambda x: special.entr(axis.density(x)), edges))

    def risk(self, model) -> float:
        """The risk −E log q(x).

        Parameters
        ----------
        model : a fitted density with `score_samples`, or a function of X, that returns log q(x)

        Returns
        -------
        float
            Within about 1e-6, if no jump back and forth of q is narrower than a 3500th of the
            interval; +inf if q is 0 where there are examples
        """
        axis = self._axis

        def excess(x: np.ndarray) -> np.ndarray:
            said = answers(model, x.reshape(-1, 1), ("score_samples",), "log q(x)")
            p = axis.density(x)
            # Where p is rounded to 0, so is what q adds, even if q is 0 there as well.
            said = np.where(p > 0, said.reshape(x.shape), 0.0)
            return -special.entr(p) - p * said

        more = adaptive_integral(
            excess, axis.low, axis.high, RISK_TOLERANCE, panels=PANELS_OF_A_FUNCTION
        )
        if more < -RISK_TOLERANCE * 10:
            raise ValueError(
                f"{self!r}: −E log q(x) is {self.bayes_risk + more:.6g}, and no density has less "
                f"than {self.bayes_risk:.6g}: the integral of q is larger than 1."
            )
        # The divergence is never negative, but its computed integral may be.
        return self.bayes_risk + max(more, 0.0)


def _towards_the_ends(axis: Axis) -> np.ndarray:
    """Panels that shrink towards both ends, where a logarithm may have a pole."""
    shrinking = 0.5 ** np.arange(7, 60) * (axis.high - axis.low)
    return np.concatenate([axis.low + shrinking, axis.high - shrinking])
