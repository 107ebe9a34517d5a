"""An independent look at a model file and a table: are they those of the fit, do the claims hold?

A claim is checked from the data by its certificate. What is checked here is that the certificates
speak of this model: a true claim about other weights, or about fewer neurons, proves nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from certo.certificates import (
    Certificate,
    Composite,
    CompressionBound,
    MistakeBound,
    UpdateSums,
    Verification,
)
from certo.certificates.compression_bound import PREPROCESSED
from certo.data import tables
from certo.data.fingerprint import fingerprint
from certo.data.model_file import LoadedModel, StoredModel
from certo.data.problem import Problem
from certo.workflow import usable_rows

# What has to be spoken of for every neuron, whatever else is claimed. A fit always can.
SPOKEN_OF = ("coef_", "intercept_", "updates_", "updated_")


@dataclass(frozen=True)
class Audit:
    """What was found, and so whether a model is verified."""

    same_data: bool
    same_model: bool
    claims: Verification
    about_model: tuple[str, ...]  # how the certificates fail to speak of this model
    could_check: bool = True  # False: the table cannot even be encoded

    @property
    def claims_hold(self) -> bool:
        return bool(self.claims) and not self.about_model

    @property
    def refuted(self) -> bool:
        """Something was found false, rather than only not found."""
        return not self.claims_hold and (self.could_check or self.same_data)

    @property
    def passed(self) -> bool:
        return self.same_data and self.same_model and self.claims_hold

    def to_dict(self) -> dict[str, Any]:
        return {
            "passed": self.passed,
            "same_data": self.same_data,
            "same_model": self.same_model,
            "claims_hold": self.claims_hold,
            "about_model": list(self.about_model),
            "claims": self.claims.to_dict(),
        }


def audit_table(loaded: LoadedModel, table: Any) -> Audit:
    """Recompute every claim of a model file from a table."""
    model, table = loaded.model, tables.as_table(table)
    same_data = fingerprint(table) == model.data_fingerprint
    certificate: Composite = model.machine.certificate_
    strangers = _unspoken(certificate, model.machine)
    try:
        X, y = _examples(model, table)
    except Problem as wrong:
        claims = Verification(False, "Composite", f"the claims cannot be checked: {wrong}")
        return Audit(same_data, loaded.as_written, claims, tuple(strangers), could_check=False)
    if len(y) != model.rows:
        strangers.append(f"The model is said to be fitted to {model.rows:,} rows, not {len(y):,}.")
    if not np.array_equal(np.unique(y), model.machine.classes_):
        strangers.append("The classes of the model are not the values of the target.")
    if model.encoder.is_fitted_to_data and certificate.of_kind(CompressionBound):
        strangers.append(f"CompressionBound is claimed, but {PREPROCESSED}")
    return Audit(same_data, loaded.as_written, certificate.verify(X, y), tuple(strangers))


def _examples(model: StoredModel, table: pa.Table) -> tuple[Any, np.ndarray]:
    table = usable_rows(model, table)
    return model.encoder.transform(table), tables.labels(table, model.target)


def _unspoken(certificate: Composite, machine) -> list[str]:
    """How the claims do not fit the machine: other values, other classes, neurons left out."""
    classes = tuple(label.item() for label in machine.classes_)
    spoken: dict[int, set[str]] = {output: set() for output in range(len(machine.coef_))}
    wrong = []
    for claim in certificate:
        output = _output(claim, classes)
        if output is None:
            wrong.append(f"{claim.name} is about other classes than the model's.")
            continue
        for name, attribute in claim.describes.items():
            if np.array_equal(getattr(claim, name), getattr(machine, attribute)[output]):
                spoken[output].add(attribute)
            else:
                wrong.append(
                    f"{claim.name} speaks of other values of {attribute} than the model's."
                )
        if not _is_of_this_run(claim, machine):
            wrong.append(f"{claim.name} speaks of a run with other settings than the model's.")
        if getattr(claim, "zero_sign", machine.zero_sign) != machine.zero_sign:
            wrong.append(f"{claim.name} speaks of another zero_sign than the model's.")
    for output, attributes in spoken.items():
        missing = [name for name in SPOKEN_OF if name not in attributes]
        if missing:
            who = classes[1] if len(classes) == 2 else classes[output]
            wrong.append(f"No claim speaks of {', '.join(missing)} of the neuron for {who!r}.")
    return wrong


def _is_of_this_run(claim: Certificate, machine) -> bool:
    """Whether start, rate and order of a claim are those that the machine's settings say."""
    run = machine.run()
    if isinstance(claim, CompressionBound):
        own = replace(claim.run, seed=run.seed, output=run.output, sparse=run.sparse)
        return own == run
    if isinstance(claim, MistakeBound):
        started = run.init == "random" or not np.any(claim.start)
        return started and claim.lifted == run.lifted and claim.sums == UpdateSums(run.rate)
    return True


def _output(claim: Certificate, classes: tuple[Any, ...]) -> int | None:
    """Which neuron a claim is about. With two classes there is one, for the second of them."""
    labels = claim.labels
    if labels.column is not None or labels.classes != classes:
        return None
    if len(classes) == 2:
        return 0 if labels.positive == 1 else None
    return labels.positive if 0 <= labels.positive < len(classes) else None
