"""What a machine says about itself, once.

Model files, audits, `certify`, the command line and the reports read the `Description` that stands
beside each estimator. A machine that is registered here is known to all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from scipy import sparse

from certo.certificates.base import Certificate
from certo.certificates.composite import Composite
from certo.certificates.errors.held_out_errors import TestErrors
from certo.certificates.errors.training_errors import TrainingErrors
from certo.certificates.risk.held_out_distances import TestDistances
from certo.certificates.risk.support_bound import SupportBound
from certo.certificates.sample.labels import Labels
from certo.certificates.sample.values import Values
from certo.certificates.separation.separable import Separable
from certo.kernels.base import Kernel


class Sizes(NamedTuple):
    """Lengths that the shapes of fitted arrays are made of."""

    outputs: int
    features: int
    lines: int = 1  # Rows of multipliers: one for each output; for pairs of K classes K − 1.

    @property
    def lifted(self) -> int:
        """The features, and one more for the intercept."""
        return self.features + 1

    @property
    def contrasts(self) -> int:
        """How many classes are compared with a reference class."""
        return max(1, self.outputs - 1)


#: Whether a fitted attribute that came out of a file is what a fit leaves.
Check = Callable[[Any, Sizes], bool]
#: Whether a claim is about a fit with these settings, for these labels (None: not known).
SameFit = Callable[[Any, Any, np.ndarray | None], bool]


class Page(Protocol):
    """What `certify` gives a machine to write its bounds for new examples on."""

    asked: int
    claims: list[Certificate]

    def add_risk(
        self, name: str, make: Callable[[float], Any], *, of_predictions: bool = True
    ) -> None: ...

    def refuse(self, name: str, reason: str) -> None: ...


def always(claim: Any, machine: Any, y: Any = None) -> bool:
    """The claim depends on no setting."""
    return True


def kernel_was_given(machine: Any) -> bool:
    """Whether no parameter of the kernel was computed from the examples of the fit."""
    return getattr(machine, "_kernel_to_fit", None) == getattr(machine, "kernel_", None)


#: What may be claimed of the rule by which any machine predicts. A SupportBound is about its
#: solutions, which are claims with settings of their own.
OF_ANY_MACHINE: dict[type[Certificate], SameFit] = {
    TrainingErrors: always,
    TestErrors: always,
    TestDistances: always,
    Separable: always,
    SupportBound: lambda claim, machine, y: kernel_was_given(machine),
}


@dataclass(frozen=True)
class Description:
    """All that other packages need to know of one kind of machine."""

    kind: type
    learns: Literal["classes", "numbers", "densities"]
    #: One line for someone who chooses a machine.
    summary: str
    #: Asks for bounds on the error rate for new examples, or says on the page why there are none.
    bounds: Callable[[Page, Any, Any, Any], None]
    #: Its name on the command line; None, if it has none there.
    command: str | None = None
    #: Claims that a fit makes, and which of them are about a fit with the machine's settings.
    claims: Mapping[type[Certificate], SameFit] = field(default_factory=dict)
    #: Its scores are measured by a margin of 1: "hard", if no example of the fit is within it.
    margin: Literal["hard", "soft"] | None = None
    #: Further claims that `certify` may make of it.
    may_claim: Mapping[type[Certificate], SameFit] = field(default_factory=dict)
    #: Whether each claim of a fit is about all outputs together, rather than about one.
    claims_all_outputs: bool = False
    #: Fitted attributes that claims must speak of, whatever else is claimed.
    spoken_of: Callable[[Any], tuple[str, ...]] = lambda machine: ()
    #: Fitted attributes that a fit may prove something about for some outputs only.
    partly_claimed: Callable[[Any], tuple[str, ...]] = lambda machine: ()
    #: Every attribute that a fit leaves, for a file to hold; None, if no file holds such a machine.
    fitted: Callable[[Any], dict[str, Check]] | None = None
    #: Raises Unsound, if attributes that are sound one by one do not fit together.
    check_fitted: Callable[[Any], None] = lambda machine: None
    #: Classes of objects, other than kernels, among its settings that a file may hold.
    setting_kinds: tuple[type, ...] = ()
    #: Whether its answer is the same for columns in other units.
    ignores_scale: Callable[[Any], bool] = lambda machine: False
    #: Whether 0/1 features of all levels of a category would be one too many beside its intercept.
    needs_reference_levels: Callable[[Any], bool] = lambda machine: False
    #: How far a fit is, where a number of steps does not tell.
    progress: Callable[[Any], str] | None = None

    @property
    def takes_kernel(self) -> bool:
        return "kernel" in self.kind._get_param_names()  # type: ignore[attr-defined]

    @property
    def path(self) -> str:
        """Where its class is defined."""
        return f"{self.kind.__module__}.{self.kind.__qualname__}"

    def may_be_claimed(self, claim: Certificate) -> bool:
        """Whether such a claim is made of the machine's predictions, rather than by its fit."""
        kind = type(claim)
        return kind not in self.claims and kind in {**OF_ANY_MACHINE, **self.may_claim}

    def is_same_fit(self, claim: Certificate, machine: Any, y: np.ndarray | None) -> bool | None:
        """Whether the claim is about a fit with the machine's settings; None, if no fit of this
        kind makes such a claim."""
        same = {**OF_ANY_MACHINE, **self.may_claim, **self.claims}.get(type(claim))
        return None if same is None else same(claim, machine, y)

    def target_of(self, machine: Any) -> Values | Labels:
        """What y is to claims about all outputs together."""
        if self.learns == "numbers":
            return Values()
        return Labels(tuple(machine.classes_.tolist()), len(machine.classes_) - 1)


_KNOWN: dict[type, Description] = {}


def register(description: Description) -> Description:
    """Make the machine known to files, audits, `certify`, commands and reports."""
    _KNOWN[description.kind] = description
    return description


def describe(machine: Any) -> Description | None:
    """The description of a machine of exactly a known class; a subclass may behave otherwise."""
    return _KNOWN.get(type(machine))


def learns(machine: Any) -> str | None:
    """ "classes", "numbers" or "densities"; None, if the machine is not known."""
    known = describe(machine)
    return None if known is None else known.learns


def descriptions() -> tuple[Description, ...]:
    """Those of all machines that are known."""
    from certo import estimators

    for name in estimators.__all__:  # Each module registers its machine.
        getattr(estimators, name)
    return tuple(_KNOWN.values())


def description_at(path: str) -> Description | None:
    """That of the machine whose class is defined there, without importing another machine."""
    from certo import estimators

    name = path.rpartition(".")[2]
    if name in estimators.__all__:
        getattr(estimators, name)
    return next((known for known in _KNOWN.values() if known.path == path), None)


class Unsound(ValueError):
    """What came out of a file is not what a fit leaves; the message says why."""


def require(condition: Any, reason: str) -> None:
    if not condition:
        raise Unsound(reason)


# --- what a fitted attribute may be ---------------------------------------------------------------


def of_type(*kinds: type) -> Check:
    return lambda value, sizes: type(value) in kinds


def array(*shape: str | int | None, kinds: str = "f", finite: bool = True) -> Check:
    """An array with these lengths (names of `Sizes`, numbers, None for any) and kinds of dtype."""

    def check(value: Any, sizes: Sizes) -> bool:
        if not isinstance(value, np.ndarray) or value.dtype.kind not in kinds:
            return False
        wanted = [getattr(sizes, part) if isinstance(part, str) else part for part in shape]
        return (
            value.ndim == len(wanted)
            and all(
                want is None or length == want
                for length, want in zip(value.shape, wanted, strict=True)
            )
            and not (finite and not np.all(np.isfinite(value)))
        )

    return check


def for_each_output(part: Check) -> Check:
    """A list with such a part for each output."""
    return lambda value, sizes: (
        type(value) is list
        and len(value) == sizes.outputs
        and all(part(one, sizes) for one in value)
    )


def optional(check: Check) -> Check:
    return lambda value, sizes: value is None or check(value, sizes)


def is_vectors(value: Any, sizes: Sizes) -> bool:
    """Rows of features, in an array or a CSR matrix."""
    if not sparse.issparse(value):
        return array(None, "features")(value, sizes)
    try:
        value.check_format(full_check=True)
    except ValueError:
        return False
    return (
        value.format == "csr"
        and value.shape[1:] == (sizes.features,)
        and array(None)(value.data, sizes)
    )


FLOAT = of_type(float, np.float64)
MAYBE_NUMBER = of_type(float, np.float64, type(None))
COUNTS = array("outputs", kinds="iu")
NUMBERS = array("outputs")
#: What every classifier has.
CLASSIFIER: dict[str, Check] = {
    "intercept_": NUMBERS,
    "classes_": of_type(np.ndarray),
    "n_features_in_": lambda value, sizes: type(value) is int and value == sizes.features,
    "_multilabel": lambda value, sizes: value is False,
    "n_iter_": of_type(int),
    "status_": of_type(str),
    "certificate_": of_type(Composite),
    "trace_": lambda value, sizes: True,
}
#: What a layer of hyperplanes has.
LINEAR = CLASSIFIER | {"coef_": array("outputs", "features")}
#: What stands for the supports of all outputs.
SUPPORTS: dict[str, Check] = {
    "support_": array(None, kinds="iu"),
    "dual_coef_": array("lines", None),
    "_in_output": array("lines", None, kinds="b"),
    "_support_classes": array(None, kinds="iu"),
}
#: What a layer of functions of a kernel's space has.
EXPANSIONS = (
    CLASSIFIER
    | SUPPORTS
    | {"kernel_": lambda value, sizes: isinstance(value, Kernel), "support_vectors_": is_vectors}
)


def is_paired(value: Any, sizes: Sizes) -> bool:
    """Whether there is an output for each pair of classes."""
    return type(value) is bool and value == (sizes.lines != sizes.outputs)


def has_kernel(machine: Any) -> bool:
    return vars(machine).get("kernel_") is not None


def hyperplanes_or_functions(machine: Any) -> dict[str, Check]:
    """What a machine has whose kernel may be None."""
    return EXPANSIONS if has_kernel(machine) else LINEAR | {"kernel_": of_type(type(None))}


def check_supports(machine: Any) -> None:
    """Supports are in order, each with its class and its coefficient in the outputs that it belongs
    to; with a kernel, each with its vector."""
    rows, mine, codes = machine.support_, machine._in_output, machine._support_classes
    require(np.all(rows >= 0) and np.all(np.diff(rows) > 0), "its supports are not in order.")
    require(
        mine.shape[1] == rows.size and np.all(np.any(mine, axis=0)),
        "its outputs do not have its supports.",
    )
    require(
        codes.shape == rows.shape and np.all((codes >= -1) & (codes < len(machine.classes_))),
        "its supports are not of its classes.",
    )
    known = vars(machine).get("_paired") is not True or np.all(codes >= 0)
    require(known, "its pairs need the classes of all supports.")
    of_supports = {"dual_coef_": machine.dual_coef_}
    if has_kernel(machine):  # A run goes on with these.
        of_supports["_updated"] = getattr(machine, "_updated", machine.dual_coef_)
        of_supports["_sums"] = machine._sums[:, 0] if hasattr(machine, "_sums") else mine
    for name, values in of_supports.items():
        belongs = values.shape == mine.shape and not np.any(values[~mine])
        require(belongs, f"its {name} does not belong to its supports.")
    if not has_kernel(machine):
        return
    kernel = machine.kernel_
    given = machine._kernel_to_fit
    same = given is not None and given.agrees(kernel)
    require(same, "its kernel is not the one of its settings.")
    require(kernel.takes == "vectors", "its kernel takes no columns of numbers.")
    require(rows.size == machine.support_vectors_.shape[0], "its supports lack their vectors.")


def check_converged(machine: Any, claims: tuple[Any, ...]) -> None:
    """A fit that is said to have converged has a proved gap of at most tol in every output."""
    gaps = [claim.relative_gap for claim in claims] or [1.0]
    require(
        not machine.converged_
        or (len(claims) == len(machine.intercept_) and max(gaps) <= machine.tol),
        "it is said to have converged, but its certificate does not say so.",
    )


# --- whether a claim is about a fit with these settings -------------------------------------------


def is_same_space(claim: Any, machine: Any) -> bool:
    """The claim is about hyperplanes, or about functions of the kernel of the machine."""
    return claim.space.kernel == getattr(machine, "kernel_", None)


def has_classes(machine: Any, y: np.ndarray | None) -> bool:
    """Whether y holds the classes of the fit, so that settings that depend on labels mean what
    they meant then. (Where it does not, that is said elsewhere.)"""
    return y is not None and np.array_equal(np.unique(y), machine.classes_)
