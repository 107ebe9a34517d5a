"""Whether an estimate exists: verdicts on indicators as they are and standardised."""

import contextlib
import signal
import warnings

import numpy as np
import pytest
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler

from certo import HardMarginSVM, LogisticRegression, Separated, SeparationWarning
from certo.certificates import LogisticExcess, NoEstimate
from certo.estimators._logistic import existence
from certo.solvers.interrupt import Stopped, Watch
from certo.solvers.recession import decide_recession, guessed_recession


def indicators(m=300, levels=(3, 4, 2, 5), classes=2, noise=1.0, seed=0):
    """Indicators of categorical variables, and classes that depend on them, with noise."""
    random = np.random.default_rng(seed)
    values = np.column_stack([random.integers(0, n, m) for n in levels])
    X = OneHotEncoder(sparse_output=False).fit_transform(values)
    scores = 2 * X @ random.standard_normal((X.shape[1], classes))
    return X, np.argmax(scores + noise * random.gumbel(size=(m, classes)), axis=1)


def standardised(X):
    return StandardScaler().fit_transform(X)


@pytest.mark.parametrize("classes", [2, 3])
def test_standardised_indicators_stay_exactly_dependent(classes):
    """Each has two values, so that a categorical variable's columns keep their relation, with
    other coefficients: an estimate that exists is proved to exist."""
    X, y = indicators(classes=classes)
    raw, scaled = LogisticRegression().fit(X, y), LogisticRegression().fit(standardised(X), y)
    assert raw.estimate_exists_ is True
    assert scaled.estimate_exists_ is True
    assert scaled.rank_ == raw.rank_ == 10
    assert scaled.risk_ == pytest.approx(raw.risk_, abs=raw.gap_ + scaled.gap_)
    assert scaled.certificate_.verify(standardised(X), y)


LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def endgames():
    """The 958 boards on which a game of tic-tac-toe ends, x moving first, one indicator for each
    state of each square, and whether x has won."""
    found, seen = {}, set()

    def play(board, player):
        if board in seen:
            return
        seen.add(board)
        won = {p: any(all(board[i] == p for i in line) for line in LINES) for p in "xo"}
        if won["x"] or won["o"] or "b" not in board:
            found[board] = won["x"]
            return
        for i in range(9):
            if board[i] == "b":
                play(board[:i] + player + board[i + 1 :], "o" if player == "x" else "x")

    play("b" * 9, "x")
    X = np.array([[float(c == state) for c in board for state in "box"] for board in found])
    return X, np.array(list(found.values()))


def nearly_separated(m=240, d=6, classes=4, seed=2):
    """Normal distributions that overlap a little, in some pairs: what separates the other pairs
    has ties, and is found by exact arithmetic alone."""
    random = np.random.default_rng(seed)
    y = np.arange(m) % classes
    return 2.2 * random.standard_normal((classes, d))[y] + random.standard_normal((m, d)), y


@pytest.mark.filterwarnings("ignore::certo.SeparationWarning")
class TestSensibleWeights:
    """Whatever separates the examples, the weights are of a length that float64 carries."""

    @pytest.mark.parametrize("scale", [None, StandardScaler, MinMaxScaler])
    def test_endgames(self, scale):
        X, y = endgames()
        X = X if scale is None else scale().fit_transform(X)
        model = LogisticRegression().fit(X, y)
        assert model.score(X, y) > 0.98
        assert np.linalg.norm(model.coef_) < 1e4
        assert model.estimate_exists_ is False
        assert model.gap_ <= 1e-9
        assert model.infimum_ == pytest.approx(0.0401128, abs=1e-6)
        assert [type(claim) for claim in model.certificate_] == [LogisticExcess, NoEstimate]
        assert model.certificate_.verify(X, y)

    def test_an_exact_direction_is_short(self):
        """What moves no score is not part of it, although the exact relations of standardised
        indicators have coefficients of 1e16 beside 1."""
        X, y = endgames()
        found = decide_recession(standardised(X), y.astype(int), 2, True)[0]
        sizes = [abs(float(c)) for c in found.coef[0]]
        assert found.strict.sum() == 880
        assert max(sizes) < 1e3

    def test_two_equal_rows_of_two_classes_among_separated_ones(self):
        """Of rare indicators rounding leaves something on the rows that are left, where they are
        0: those rows alone tell that they are constant."""
        random = np.random.default_rng(5)
        X = OneHotEncoder(sparse_output=False).fit_transform(random.integers(0, 6, (120, 20)))
        y = random.integers(0, 3, 120)
        X, y = np.vstack([X, X[:1]]), np.append(y, (y[0] + 1) % 3)
        model = LogisticRegression().fit(X, y)
        assert model.infimum_ == pytest.approx(2 * np.log(2) / 121, rel=1e-6)
        assert model.gap_ <= 1e-8
        assert model.certificate_.verify(X, y)


@pytest.mark.filterwarnings("ignore::certo.SeparationWarning")
class TestTheFitComesFirst:
    def test_weights_do_not_wait_for_the_verdict(self):
        X, y = nearly_separated()
        model = LogisticRegression(existence_time_limit=1e-9).fit(X, y)
        assert model.estimate_exists_ is None
        assert model.converged_
        assert model.gap_ <= 1e-8
        assert model.certificate_.verify(X, y)
        assert model.certificate_.claims[0].numbers["attained"] == "not proved by this claim"
        assert "of its infimum" in model.status_
        assert "Whether an estimate exists is not decided" in model.status_
        assert "smallest" not in model.status_
        assert model.standard_errors_ is None
        assert "it is not decided whether an estimate exists" in repr(model.summary())

    def test_decide_existence_decides_after_the_fit(self):
        X, y = nearly_separated()
        model = LogisticRegression(existence_time_limit=1e-9).fit(X, y)
        coef = model.coef_.copy()
        assert model.decide_existence(X, y, time_limit=1e-9) is None
        assert model.separation_ is None
        assert model.decide_existence(X, y) is False
        assert model.estimate_exists_ is False
        assert model.separation_.verify(X, y)
        assert "columns together separate some classes" in model.status_
        assert "not decided" not in model.status_
        np.testing.assert_array_equal(model.coef_, coef)
        again = LogisticRegression(existence_time_limit=None).fit(X, y)
        np.testing.assert_array_equal(again.coef_, coef)
        assert again.estimate_exists_ is False
        assert model.decide_existence(X, y) is False  # nothing is left to be done

    def test_only_with_the_examples_of_the_fit(self):
        X, y = nearly_separated()
        model = LogisticRegression(existence_time_limit=1e-9).fit(X, y)
        with pytest.raises(ValueError, match="must be those of the fit"):
            model.decide_existence(X + 1.0, y)
        with pytest.raises(ValueError, match="time_limit must be a positive number"):
            model.decide_existence(X, y, time_limit=-1)

    @pytest.mark.slow
    def test_other_rows_are_refused_even_where_all_weights_are_zero(self):
        """The risk of weights that are 0 is the same on any rows."""
        random = np.random.default_rng(4)
        X, y = random.normal(size=(400, 10)), random.integers(0, 4, 400)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = LogisticRegression(existence_time_limit=1e-9, max_iter=1).fit(X, y)
        model.coef_[:], model.intercept_[:] = 0.0, 0.0
        model.risk_ = np.log(4)
        moved = X.copy()
        moved[0] += 1.0
        for rows in ((X[:60], y[:60]), (X[::-1], y[::-1]), (moved, y)):
            with pytest.raises(ValueError, match="all 400 rows in the same order"):
                model.decide_existence(*rows)
        assert model.estimate_exists_ is None
        assert model.decide_existence(X, y) is True
        with pytest.raises(ValueError, match="all 400 rows in the same order"):
            model.decide_existence(moved, y)

    @pytest.mark.parametrize("limit", [0, -1.0, "soon", True, np.nan])
    def test_limits_that_are_none(self, limit):
        with pytest.raises(ValueError, match="existence_time_limit must be a positive number"):
            LogisticRegression(existence_time_limit=limit).fit([[0.0], [1.0]], [0, 1])

    def test_a_false_alarm_needs_no_linear_program(self, monkeypatch):
        """Newton's steps are slow at first where classes are nearly separated: they go on before
        anything else is tried."""

        def programs(*args, **kwargs):
            raise AssertionError("linear programs were asked")

        monkeypatch.setattr("certo.estimators._logistic.decide_recession", programs)
        random = np.random.default_rng(0)
        y = random.integers(0, 10, 1500)
        centres = random.uniform(0, 100, (10, 3, 8))
        X = centres[y, random.integers(0, 3, 1500)] + 12 * random.standard_normal((1500, 8))
        model = LogisticRegression().fit(X, y)
        assert model.estimate_exists_ is True

    @pytest.mark.parametrize("kind", ["raise", "ridge"])
    def test_a_verdict_that_is_not_reached_is_no_separation(self, kind):
        X, y = nearly_separated()
        model = LogisticRegression(on_separation=kind, existence_time_limit=1e-9).fit(X, y)
        assert model.estimate_exists_ is None
        assert model.ridge_ == 0
        with pytest.raises(Separated) if kind == "raise" else contextlib.nullcontext():
            LogisticRegression(on_separation=kind, existence_time_limit=None).fit(X, y)

    def test_ctrl_c_ends_the_search_and_keeps_the_weights(self, monkeypatch):
        def interrupted(problem, weights, watch):
            signal.raise_signal(signal.SIGINT)
            return existence(problem, weights, watch)

        monkeypatch.setattr("certo.estimators.logistic_regression.existence", interrupted)
        X, y = nearly_separated()
        model = LogisticRegression(existence_time_limit=None).fit(X, y)
        assert model.converged_
        assert model.estimate_exists_ is None

    def test_programs_stop_when_asked(self):
        X, y = nearly_separated()
        with pytest.raises(Stopped):
            decide_recession(X, y, 4, True, watch=Watch(seconds=0.0))
        calls = []

        def third_time():
            calls.append(None)
            return len(calls) > 3

        with pytest.raises(Stopped):
            decide_recession(X, y, 4, True, watch=Watch(third_time))
        assert decide_recession(X, y, 4, True, watch=Watch(seconds=1e9))[0].strict.any()


class TestClassesApart:
    def test_classes_are_told_from_others_at_once(self):
        """Two classes overlap, a third lies apart: the mean of the two against the third, without
        any program, although no weights separate all."""
        random = np.random.default_rng(2)
        y = np.arange(120) % 3
        X = random.standard_normal((120, 2)) + 20.0 * (y == 2)[:, None]
        guess = np.array([[-1.0, -1.1, 30.0], [-1.2, -0.9, 30.0], [2.2, 2.0, -30.0]])
        found = guessed_recession(X, y, 3, True, guess=guess)
        assert np.array_equal(found.strict[:, 2], y != 2)
        assert np.array_equal(found.strict[:, :2].all(axis=1), y == 2)
        assert not found.strict[y == 0, 1].any()
        assert found.coef[0] == found.coef[1]

    def test_guess_finds_no_separation_in_noise(self):
        random = np.random.default_rng(2)
        X, y = random.standard_normal((90, 2)), np.arange(90) % 3
        assert guessed_recession(X, y, 3, True, guess=np.eye(3)) is None


@pytest.mark.filterwarnings("ignore::certo.SeparationWarning")
@pytest.mark.parametrize("scale", [StandardScaler, MinMaxScaler])
@pytest.mark.parametrize("noise", [1.0, 0.1])
@pytest.mark.parametrize("drop", [None, "first"])
def test_scaling_indicators_and_counts_does_not_change_the_verdict(scale, noise, drop):
    random = np.random.default_rng(3)
    levels = np.column_stack([random.integers(0, n, 80) for n in (3, 4)])
    levels = OneHotEncoder(sparse_output=False, drop=drop).fit_transform(levels)
    X = np.column_stack([levels, random.poisson(2, 80)])
    scores = X @ random.standard_normal((X.shape[1], 2))
    y = np.argmax(scores + noise * random.gumbel(size=scores.shape), axis=1)
    raw, scaled = (
        LogisticRegression().fit(X, y),
        LogisticRegression().fit(scale().fit_transform(X), y),
    )
    assert raw.estimate_exists_ is not None
    assert scaled.estimate_exists_ is raw.estimate_exists_
    assert scaled.risk_ == pytest.approx(raw.risk_, abs=raw.gap_ + scaled.gap_)


@pytest.mark.filterwarnings("ignore::certo.SeparationWarning")
class TestWords:
    def test_no_sentence_speaks_of_a_best_fit_that_there_is_not(self):
        X, y = [[0.0], [1.0], [2.0], [1.0]], [0, 0, 1, 1]
        model = LogisticRegression().fit(X, y)
        excess, none = model.certificate_
        assert "a limit that no coefficients go below" in excess.plain
        assert "No other coefficients could lower" not in excess.plain
        assert "towards a limit that none reach" in none.plain
        assert "of its infimum 0.346573, a limit that no coefficients reach" in model.status_
        assert "see status_" not in repr(model.summary())

    def test_all_separated(self):
        """0 is the limit: that says more than nothing."""
        model = LogisticRegression().fit([[0.0], [1.0]], [0, 1])
        plain = next(iter(model.certificate_)).plain
        assert plain.startswith("What the fit minimises on these 2 examples is within ")


@pytest.mark.parametrize("weighted", [False, True])
def test_separated_examples_get_the_direction_of_largest_margin(weighted):
    """Single columns settle these examples, too, with next to no margin."""
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = np.column_stack([1e-3 * (2 * y - 1), (2 * y - 1) + rng.uniform(-0.5, 0.5, 40)])
    s = np.ones(40)
    if weighted:  # One that does not count would spoil it.
        X, y, s = np.vstack([X, [[5.0, 5.0]]]), np.append(y, 0), np.append(s, 0.0)
    with pytest.warns(SeparationWarning):
        model = LogisticRegression().fit(X, y, sample_weight=s)
    best = HardMarginSVM().fit(X[s > 0], y[s > 0]).coef_[0]
    w = model.coef_[0]
    assert w @ best >= 0.999 * np.linalg.norm(w) * np.linalg.norm(best)
    assert model.certificate_.verify(X, y)
