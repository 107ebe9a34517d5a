"""Keywords of scikit-learn's are answered by ours."""

import pytest
from sklearn.base import clone

import certo
from certo.kernels import Gaussian


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


def test_constructors_are_still_introspected():
    model = clone(certo.SVM(Gaussian(2.0), C=3.0))
    assert model.get_params()["C"] == 3.0
    assert list(model.get_params())[:2] == ["C", "cache_mb"]
    with pytest.raises(TypeError, match="positional"):
        certo.SVM(None, 1.0)
