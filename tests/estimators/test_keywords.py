"""Keywords of scikit-learn's are answered by ours."""

from inspect import signature

import pytest
from sklearn import linear_model, svm
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import GridSearchCV

import certo
from certo.estimators._keywords import advice_on
from certo.kernels import Gaussian

#: Parameters of scikit-learn's that say how its solvers work, without a word of ours.
NO_COUNTERPART = {"average", "break_ties", "epsilon", "power_t"}


@pytest.mark.parametrize(
    ("machine", "keyword", "answer"),
    [
        ("SVM", "gamma", r"kernel=Gaussian\(variance\), where variance = 1/\(2·gamma\)"),
        ("SVM", "probability", "CalibratedClassifierCV"),
        ("SVM", "degree", r"kernel=Polynomial\(degree\)"),
        ("SVM", "coef0", "offset=coef0"),
        ("SVM", "fit_intercept", "intercept='none'"),
        ("SVM", "penalty", "C or lam"),
        ("HardMarginSVM", "C", "SVM has C"),
        ("Pegasos", "alpha", "give lam"),
        ("Pegasos", "C", "lam=1/"),
        ("Pegasos", "steps", "give max_iter"),
        ("Perceptron", "eta0", "learning_rate=eta0"),
        ("Perceptron", "penalty", "no penalty"),
        ("Perceptron", "gamma", "its parameters are learning_rate, epochs"),
        ("KernelPerceptron", "max_iter", "give epochs"),
        ("OnlineGradientDescent", "gamme", "its parameters are loss, lam"),
    ],
)
def test_foreign_keywords_are_answered(machine, keyword, answer):
    with pytest.raises(TypeError, match=f"{machine} has no parameter '{keyword}': .*{answer}"):
        getattr(certo, machine)(**{keyword: 1})


def test_the_name_of_the_linear_kernel_is_answered_by_what_has_weights():
    X, y = [[0.0], [1.0]], [0, 1]
    with pytest.raises(ValueError, match="for 'linear' leave kernel out"):
        certo.SVM(kernel="linear").fit(X, y)
    assert certo.SVM(kernel=None).fit(X, y).coef_.shape == (1, 1)
    with pytest.raises(ValueError, match=r"for 'linear' give Linear\(\)"):
        certo.KernelPerceptron(kernel="linear").fit(X, y)


@pytest.mark.parametrize("name", ["predict_proba", "predict_log_proba"])
def test_what_has_no_probabilities_says_what_has(name):
    assert hasattr(certo.LogisticRegression(), "predict_proba")
    for machine in (certo.SVM(), certo.Perceptron()):
        assert not hasattr(machine, name)
        with pytest.raises(AttributeError, match=rf"{name}'?: .*CalibratedClassifierCV"):
            getattr(machine, name)


def test_a_grid_search_is_answered_too():
    with pytest.raises(ValueError, match=r"SVM has no parameter 'gamma': give kernel=Gaussian"):
        GridSearchCV(certo.SVM(), {"gamma": [0.1, 1.0]}).fit([[0.0], [1.0]] * 5, [0, 1] * 5)
    with pytest.raises(ValueError, match="its parameters are"):
        certo.SVM().set_params(gamme=1)
    machine = certo.SVM(Gaussian(1.0))
    assert machine.set_params(kernel__variance=2.0, C=3.0) is machine
    assert (machine.kernel, machine.C) == (Gaussian(2.0), 3.0)


def test_a_subclass_has_parameters_of_its_own():
    class Mine(certo.Perceptron):
        def __init__(self, *, more=1, epochs=5):
            super().__init__(epochs=epochs)
            self.more = more

    assert Mine().set_params(more=2).more == 2


@pytest.mark.parametrize(
    ("machine", "theirs"),
    [
        ("Perceptron", linear_model.Perceptron),
        ("Pegasos", linear_model.SGDClassifier),
        ("SVM", svm.SVC),
        ("SVM", svm.LinearSVC),
        ("HardMarginSVM", svm.SVC),
        ("LogisticRegression", linear_model.LogisticRegression),
        ("LeastSquares", linear_model.LinearRegression),
        ("LeastSquares", linear_model.Ridge),
    ],
)
def test_keywords_of_the_counterpart_are_answered(machine, theirs):
    ours = getattr(certo, machine)
    known = set(signature(ours).parameters)
    not_answered = {name for name in signature(theirs).parameters if name not in known}
    assert {name for name in not_answered if advice_on(ours, name) is None} <= NO_COUNTERPART


@pytest.mark.parametrize("machine", sorted(name for name in certo.__all__ if name[0].isupper()))
def test_every_machine_answers_what_it_does_not_have(machine):
    kind = getattr(certo, machine)
    if not (isinstance(kind, type) and issubclass(kind, BaseEstimator)):
        pytest.skip("no machine")
    with pytest.raises(TypeError, match=f"{machine} has no parameter 'nothing': its parameters"):
        kind(nothing=1)


def test_constructors_are_still_introspected():
    model = clone(certo.SVM(Gaussian(2.0), C=3.0))
    assert model.get_params()["C"] == 3.0
    assert list(model.get_params())[:2] == ["C", "break_ties"]
    with pytest.raises(TypeError, match="positional"):
        certo.SVM(None, 1.0)
