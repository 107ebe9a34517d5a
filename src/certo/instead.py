"""What there is instead of names of scikit-learn's that packages of ours do not have."""

from __future__ import annotations

INSTEAD: dict[str, dict[str, str]] = {
    "certo": {
        "SVC": "SVM solves that problem, for kernel='rbf' with kernel=Gaussian(1/(2·gamma))",
        "LinearSVC": "SVM without a kernel is linear, with the hinge loss",
        "LinearRegression": "LeastSquares() solves that problem",
        "Ridge": "LeastSquares(ridge=alpha/S) solves that problem, S being the sum of the weights",
        "SGDClassifier": "Pegasos and OnlineGradientDescent take such steps",
    },
    "certo.kernels": {
        "RBF": "Gaussian(variance) is that kernel, with variance = length_scale²",
        "rbf_kernel": "Gaussian(variance)(X, Z) is that matrix, with variance = 1/(2·gamma)",
        "DotProduct": "Polynomial(1, offset=sigma_0²) is that kernel, Linear() where sigma_0 = 0",
        "linear_kernel": "Linear()(X, Z) is that matrix",
        "polynomial_kernel": "Polynomial(degree, scale=gamma, offset=coef0)(X, Z) is that matrix",
    },
}


def no_attribute(package: str, name: str) -> AttributeError:
    """That the package has no such name, and what it has instead, where that is known."""
    said = INSTEAD.get(package, {}).get(name)
    advice = f": {said}." if said else ""
    return AttributeError(f"module {package!r} has no attribute {name!r}{advice}")
