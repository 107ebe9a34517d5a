"""Tables that are larger than memory: fitted, checked and predicted for block by block.

`data.big_files` reads and encodes them; nothing is written until the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from sklearn.base import clone

from certo.certificates.base import Verification
from certo.certificates.blocks.check import Checker
from certo.certificates.certified import Certified
from certo.certificates.composite import Composite, NotClaimed, all_hold
from certo.data.big_files import (
    Batch,
    Encoded,
    Files,
    Fingerprint,
    Overview,
    as_plain,
    complete_rows,
    dataset_of,
    encoder_of,
)
from certo.data.encoder import TableEncoder
from certo.data.problem import Problem, problems_of
from certo.estimators.description import describe, learns
from certo.guarantees.predicting import predictor_of
from certo.issue.by_blocks import issue_errors
from certo.scale.arrow_files import ArrowBlocks, BadFile
from certo.scale.blocks import Blocks
from certo.scale.first_look import BadRows
from certo.tables.audit import Audit, every_claim, objections_to_model
from certo.tables.held_out import HeldOut
from certo.tables.model_file import LoadedModel, StoredModel
from certo.tables.predict import predict_table

MACHINES = (
    "svm", "logistic", "least-squares", "pegasos", "perceptron", "online-gradient-descent",
)  # fmt: skip
NO_DISTANCES = "by blocks, how far predictions are off on test rows is not claimed."


class Fitted(NamedTuple):
    model: StoredModel
    certified: Certified
    seen: Overview
    passes: int


def fit_files(
    seen: Overview,
    estimator: Any,
    *,
    scale: str | None = None,
    drop: Sequence[str] = (),
    category: Sequence[str] = (),
    missing: str = "refuse",
    held_out: HeldOut | None = None,
    delta: float = 0.05,
    callback: Any = None,
    on_cluster: bool = False,
) -> Fitted:
    """Fit a clone of the estimator to the rows that are not held out, and say what that proves.
    `on_cluster`: the workers of the connected Dask cluster read the files."""
    known = describe(estimator)
    if known is None or known.command not in MACHINES:
        raise Problem(
            f"block by block these machines can be fitted: {', '.join(MACHINES)}, but not "
            f"{type(estimator).__name__}. Fit it to a part of the rows."
        )
    measured = known.learns == "numbers"
    if scale is None:
        scale = "none" if known.ignores_scale(estimator) else "standard"
    encoder = encoder_of(seen, scale, drop, category, known.needs_reference_levels(estimator))
    files, encoded = seen.files, Encoded(encoder, seen.files.target, measured)
    training = _blocks(files, encoded, seen.training, on_cluster)
    if seen.sums is not None:
        sums, scaler = seen.sums, encoder.scaler_
        training.sums = sums if scaler is None else sums.standardised(scaler.mean_, scaler.scale_)
    machine = clone(estimator)
    if "multiclass" in machine.get_params():  # Pairs of classes are not fitted by blocks.
        machine.set_params(multiclass="rest")
    if callback is not None and hasattr(machine, "set_callbacks"):
        machine.set_callbacks(callback)
    try:
        machine.fit(training)
    except (BadFile, BadRows, ValueError) as wrong:
        raise Problem(str(wrong)) from wrong
    if callback is not None and hasattr(machine, "set_callbacks"):
        machine.set_callbacks()
    claims, test = [*machine.certificate_], Composite(())
    asked = passes = 0
    if not measured:
        classes = tuple(machine.classes_.tolist())
        rule = predictor_of(machine, np.zeros((1, encoded.width)))
        claims.append(issue_errors(training, classes, rule))
        passes += 1
        if seen.test.any():
            asked, passes = 1, passes + 1
            tested = _blocks(files, encoded, seen.test, on_cluster)
            test = Composite((issue_errors(tested, classes, rule, delta),))
    elif seen.test.any():
        test = Composite((), (NotClaimed("TestDistances", NO_DISTANCES),))
    page = Certified(
        " ".join(repr(machine).split()), Composite(tuple(claims), machine.certificate_.not_claimed),
        test, tuple(encoder.get_feature_names_out()), float(delta), asked=asked,
        remarks=_remarks(seen, encoder, tested=len(test) > 0),
    )  # fmt: skip
    model = StoredModel(
        encoder, machine, files.target, missing, [], seen.fingerprint,
        int(np.count_nonzero(seen.training)), [], "",
        *((0.0, 0) if held_out is None else (held_out.share, held_out.seed)), page,
    )  # fmt: skip
    return Fitted(model, page, seen, 1 + training.passes + (passes > 1))


def _remarks(seen: Overview, encoder: TableEncoder, tested: bool) -> tuple[str, ...]:
    found = list(seen.files.notes)
    if seen.left_out:
        were = "was" if seen.left_out == 1 else "were"
        found.append(
            f"{seen.left_out:,} of {seen.files.rows:,} rows {were} left out for missing values: no "
            "result here, and no claim about new data, covers such rows."
        )
    if encoder.category_names_:
        new = encoder.unseen_of(seen.test_levels)
        found += [f"rows held out to test: {sentence}" for sentence in new]
    if tested:
        found.append(
            "Whether test rows are copies of training rows, or of each other, was not looked at: "
            "that needs all rows at once. Copies are no independent draws."
        )
    return tuple(found)


def _blocks(files: Files, encoded: Encoded, chosen: np.ndarray, on_cluster: bool) -> Blocks:
    here = ArrowBlocks(
        files.dataset, files.target, files.names, encode=encoded.features, answers=encoded.answers,
        width=encoded.width, names=list(encoded.encoder.get_feature_names_out()),
        keep=lambda first, rows: chosen[first : first + rows], rows=int(np.count_nonzero(chosen)),
    )  # fmt: skip
    if not on_cluster:
        return here
    from certo.scale.dask_blocks import FileBlocks  # Dask is an extra.

    return FileBlocks(here)


def audit_files(
    loaded: LoadedModel, path: Path, tell: Callable[[list[str], Batch], None] | None = None
) -> Audit:
    """Recompute every claim of a model from its files, in one pass, of which every batch is told,
    with the names of the columns that matter."""
    model, target = loaded.model, loaded.model.target
    if target is None:
        raise Problem("a density is checked on a table that fits in memory, not block by block.")
    measured = learns(model.machine) == "numbers"
    names = model.encoder.column_names
    page = every_claim(model)
    # The columns that the fingerprint covers are in the order of the files.
    files = Files(path, target, None, [])
    files = Files(path, target, [n for n in files.names if n in set(names)], [])
    encoded = Encoded(model.encoder, target, measured)
    held_out = model.held_out
    unseen = np.zeros(files.rows, dtype=bool) if held_out is None else held_out.of(files.rows)
    outcomes: list[Verification] = []
    checkers = Checker(page.claims), Checker(page.test)
    named = [*files.names, target]
    seen = Fingerprint(named)

    def looked(batch: Batch) -> None:
        seen.add(batch.table)
        if tell is not None:
            tell(named, batch)

    try:
        _check_pass(files, encoded, unseen, checkers, model.missing, looked)
        for k, checker in enumerate(checkers):
            found = checker.outcomes()
            if again := checker.again(found):
                more = Checker([checker.claims[i] for i in again], 1)
                both = (more, Checker(())) if k == 0 else (Checker(()), more)
                _check_pass(files, encoded, unseen, both, model.missing, None)
                for i, part in zip(again, more.outcomes(), strict=True):
                    found[i] = part
            outcomes += found
    except Problem as wrong:
        claims = Verification(False, "Certified", f"the claims cannot be checked: {wrong}")
        return Audit(False, loaded.as_written, page, claims, (), could_check=False)
    same = seen.digest() == model.data_fingerprint
    about = objections_to_model(model, page)
    if (rows := checkers[0].rows) and rows != model.rows:
        about.append(f"The model is said to be fitted to {model.rows:,} rows, not {rows:,}.")
    parts, failed = tuple(outcomes), [part for part in outcomes if not part]
    why = all_hold(parts)
    if failed:
        why = f"{len(failed)} of {len(parts)} claims do not hold: {failed[0].name}: {failed[0].why}"
    claims = Verification(bool(parts) and not failed, "Certified", why, parts)
    return Audit(same, loaded.as_written, page, claims, tuple(about))


def _check_pass(
    files: Files,
    encoded: Encoded,
    unseen: np.ndarray,
    checkers: tuple[Checker, Checker],
    missing: str,
    looked: Callable[[Batch], None] | None,
) -> None:
    for batch in files.batches():
        if looked is not None:
            looked(batch)
        rows = unseen[batch.first : batch.first + batch.table.num_rows]
        with problems_of(batch.where):
            complete = complete_rows(batch.table, [*files.names, files.target], missing)
        for checker, some in zip(checkers, (complete & ~rows, complete & rows), strict=True):
            if checker.claims and some.any():
                part = batch.table if some.all() else batch.table.filter(pa.array(some))
                checker.add(encoded.features(part), encoded.answers(part), batch.where)


def predict_files(
    model: StoredModel, path: Path, tell: Callable[[str], object] = lambda remark: None
) -> Iterator[tuple[int, np.ndarray, Any]]:
    """The number of the first row, counting from 1, the predictions and what stands beside them,
    for each block of a table; a target column is not needed. Remarks on blocks are told."""
    dataset, _ = dataset_of(path)
    names = model.encoder.column_names
    missing = [name for name in names if name not in dataset.schema.names]
    if missing:
        raise Problem(f"{path} has no column {missing[0]!r}, which the model needs.")
    reader = ArrowBlocks(dataset, None, names, encode=lambda batch: batch, width=len(names))
    first = 1
    for part in reader.parts:
        for batch in reader.batches(part):
            if batch.num_rows:
                with problems_of(part.place):
                    found = predict_table(model, as_plain(batch))
                for remark in found.remarks:
                    tell(f"{part.place}, rows from {first:,} of all: {remark}")
                yield first, found.answers, found.beside
                first += batch.num_rows
