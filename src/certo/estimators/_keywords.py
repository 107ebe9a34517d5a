"""Keywords that our estimators do not have, most of them scikit-learn's, answered by ours."""

from __future__ import annotations

import functools
import inspect
from typing import Any, TypeVar

Class = TypeVar("Class", bound=type)

NO_PENALTY = "leave it out: the Perceptron has no penalty. Pegasos has, with lam"
OF_HINGE = "leave it out: the loss is the hinge. OnlineGradientDescent takes others"
BY_SHAPE = "leave it out: the shape of X decides how the problem is solved"
BY_CLAIM = "leave it out: a claim says what is proved about the answer"
GO_ON = "leave it out: partial_fit goes on from earlier calls"
ONE_AGAINST_REST = "leave it out: several classes are one against the rest"
RATES = {
    "Pegasos": "leave it out: the rate of step t is 1/(lam·t)",
    "OnlineGradientDescent": "leave it out: lam, or without it the radius, decides the rates",
}

#: What to do about a keyword of scikit-learn's: in any machine; or in one of this name, or one that
#: has this parameter, the first that applies.
ADVICE: dict[str, str | dict[str, str]] = {
    "alpha": {
        "Perceptron": NO_PENALTY,
        "KernelPerceptron": NO_PENALTY,
        "lam": "give lam, the weight of the penalty (λ/2)‖w‖²",
        "LeastSquares": "give ridge=alpha/S, S being the sum of the sample weights",
        "ridge": "give ridge, the weight of the penalty beside the mean loss",
    },
    "C": {
        "HardMarginSVM": "leave it out: no slack is allowed. SVM has C",
        "lam": "give lam=1/(C·m), m being the number of examples",
        "ridge": "give ridge=1/(C·S), S being the sum of the weights of the examples and classes",
    },
    "cache_size": {"cache_mb": "give cache_mb, megabytes too"},
    "copy_X": "leave it out: X is never changed",
    "class_weight": "leave it out: SVM and LogisticRegression take weights of classes",
    "coef0": {"kernel": "give kernel=Polynomial(degree, offset=coef0)"},
    "covariance_type": {"covariance": "give covariance"},
    "decision_function_shape": ONE_AGAINST_REST,
    "break_ties": "leave it out: SVM and HardMarginSVM have pairs of classes that vote",
    "degree": {"kernel": "give kernel=Polynomial(degree)"},
    "dual": BY_SHAPE,
    "early_stopping": BY_CLAIM,
    "eta0": {"learning_rate": "give learning_rate=eta0", **RATES},
    "fit_intercept": {"intercept": "give intercept='none' for False, or leave it out"},
    "gamma": {"kernel": "give kernel=Gaussian(variance), where variance = 1/(2·gamma)"},
    "intercept_scaling": {"intercept": "give intercept='lifted', which is a scaling of 1"},
    "kernel": "leave it out: it learns weights of the features. SVM takes kernels",
    "learning_rate": RATES,
    "l1_ratio": "leave it out: penalties are squares",
    "loss": {
        "SVM": OF_HINGE,
        "Pegasos": OF_HINGE,
        "HardMarginSVM": "leave it out: no slack is allowed. SVM has the hinge",
    },
    "max_iter": {
        "epochs": "give epochs, the largest number of passes over the examples",
        "time_limit": "give time_limit, in seconds",
        "LeastSquares": "leave it out: the fit ends by itself",
    },
    "multi_class": {
        "multiclass": "give multiclass='pairs' or 'rest'",
        "LogisticRegression": "leave it out: several classes are one multinomial model",
        "intercept": ONE_AGAINST_REST,
    },
    "n_iter_no_change": BY_CLAIM,
    "n_jobs": "leave it out: NUMBA_NUM_THREADS and OMP_NUM_THREADS say how many threads there are",
    "penalty": {
        "Perceptron": NO_PENALTY,
        "KernelPerceptron": NO_PENALTY,
        "C": "leave it out: the penalty is ½‖w‖², and C or lam its counterweight",
        "lam": "leave it out: the penalty is (λ/2)‖w‖²; give lam",
        "ridge": "give ridge, the weight of ½‖w‖²; 0 is no penalty",
    },
    "positive": "leave it out: coefficients are of either sign",
    "probability": "leave it out: scikit-learn's CalibratedClassifierCV makes probabilities",
    "random_state": "leave it out: nothing is random",
    "shrinking": BY_SHAPE,
    "shuffle": {
        "order": "give order='shuffled' or 'cyclic'",
        "Pegasos": "leave it out: examples are drawn at random",
        "OnlineGradientDescent": "leave it out: examples are taken in their order",
    },
    "solver": BY_SHAPE,
    "steps": {"Pegasos": "give max_iter, the number of examples drawn"},
    "tol": BY_CLAIM,
    "validation_fraction": BY_CLAIM,
    "verbose": "give it a callback, as set_callbacks(sklearn.callback.ProgressBar())",
    "warm_start": {
        "Perceptron": GO_ON,
        "KernelPerceptron": GO_ON,
        "Pegasos": GO_ON,
        "OnlineGradientDescent": GO_ON,
        "LeastSquares": GO_ON,
        "intercept": "leave it out: every fit begins anew",
    },
}


def answer_keywords(cls: Class) -> Class:
    """The class, whose constructor and `set_params`, which grid searches call, name our parameter
    where one of scikit-learn's is given."""
    init: Any = cls.__init__  # type: ignore[misc]
    set_params: Any = cls.set_params  # type: ignore[attr-defined]
    known = list(inspect.signature(init).parameters)

    @functools.wraps(init)  # scikit-learn reads the parameters from the signature.
    def checked(self, *args, **settings):
        for name in settings:
            if name not in known:
                raise TypeError(_answer(cls, name, known[1:]))
        init(self, *args, **settings)

    @functools.wraps(set_params)
    def checked_set_params(self, **settings):
        own = type(self)._get_param_names()
        for name in settings:
            if name.partition("__")[0] not in own:
                raise ValueError(_answer(type(self), name, own))
        return set_params(self, **settings)

    cls.__init__ = checked  # type: ignore[misc]
    cls.set_params = checked_set_params  # type: ignore[attr-defined]
    return cls


def _answer(cls: type, name: str, known: list[str]) -> str:
    advice = advice_on(cls, name) or f"its parameters are {', '.join(known)}"
    return f"{cls.__name__} has no parameter {name!r}: {advice}."


def advice_on(cls: type, keyword: str) -> str | None:
    """What to do about a keyword that the class does not have; None, if it is not known here."""
    advice = ADVICE.get(keyword)
    if isinstance(advice, dict):
        own = cls.__name__, *inspect.signature(cls).parameters
        return next((text for key, text in advice.items() if key in own), None)
    return advice
