"""Model files: the whole pipeline and its certificates, loaded without running any code.

Layout: a line ``certo model 6``, a line ``sha256 <hex digest of all that follows>``, then a skops
archive (an uncompressed ZIP). What may be created from a file is decided by `_NODE_TYPES` and
`_trusted` below and by nothing in the file; `model_check` then checks what was created. Files of
formats 3 to 5 are read, too: see `_upgrade_supports`, `_SINCE_5` and `_upgrade_settings`; so are
those of before the words of texts were counted: see `_upgrade_encoder`.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from certo.certificates.certified import Certified
from certo.certificates.composite import Composite
from certo.data.encoder import TableEncoder
from certo.data.files import read_whole, write_whole
from certo.data.fingerprint import BY_BLOCKS
from certo.data.problem import Problem
from certo.estimators.description import Unsound, describe, description_at
from certo.tables.archive import check_sizes, kinds_in
from certo.tables.archive_reader import read_archive
from certo.tables.held_out import HeldOut
from certo.tables.model_check import check_machine, check_model

# Beside our own classes (see `_trusted`), a model file needs only this much.
_NODE_TYPES = {
    "ObjectNode": {
        "sklearn.preprocessing._data.StandardScaler",
        "sklearn.preprocessing._encoders.OneHotEncoder",
    },
    "DictNode": {"builtins.dict"},
    "ListNode": {"builtins.list"},
    "TupleNode": {"builtins.tuple"},
    "JsonNode": {"builtins.str"},
    "NdArrayNode": {"numpy.ndarray", "numpy.float64", "numpy.int64", "numpy.bool"},
    "TypeNode": {"builtins.str", "numpy.float64"},
}
MODEL_FORMAT = 6
_MAGIC, *_EARLIER = (b"certo model %d\n" % number for number in (MODEL_FORMAT, 5, 4, 3))
_SINCE_5 = {"test_share", "test_seed"}  # What files of format 4 and 3 do not hold.


@dataclass
class StoredModel:
    """What a model file holds."""

    encoder: TableEncoder
    machine: Any
    target: str | None  # None of a density.
    missing: str  # "refuse" or "drop": what became of rows with missing values.
    na: list[str]  # Texts that meant a missing value.
    data_fingerprint: str
    rows: int
    notes: list[str] = field(default_factory=list)
    test_fingerprint: str = ""  # The fingerprint of the test table, if there was one.
    test_share: float = 0.0  # The share of the table's rows that was held out to test.
    test_seed: int = 0  # The seed by which they were drawn.
    #: All that is proved; JSON text in the file.
    certified: Certified = field(default_factory=lambda: Certified("", Composite(())))

    @property
    def held_out(self) -> HeldOut | None:
        return HeldOut(self.test_share, self.test_seed) if self.test_share else None

    @property
    def by_blocks(self) -> bool:
        """Whether it was fitted to a table that was read by blocks, and is checked so."""
        return self.data_fingerprint.startswith(BY_BLOCKS)

    @property
    def text_names(self) -> list[str]:
        """Columns that held text, and so do in other files, whatever it looks like there."""
        labels = getattr(self.machine, "classes_", None)
        is_text = labels is not None and labels.dtype.kind == "U"
        return [*self.encoder.text_names_, *([self.target] if is_text and self.target else [])]

    def predict(self, table: Any, missing: str = "refuse") -> np.ndarray:
        """Predictions for the rows of a data frame or an Arrow table, columns taken by name."""
        from certo.tables.predict import predict_table

        return predict_table(self, table, missing=missing).answers


@dataclass(frozen=True)
class LoadedModel:
    model: StoredModel
    fingerprint: str
    as_written: bool  # Whether the digest in the file is that of its contents.


def save(model: Any, path: str | Path) -> str:
    """Write a fitted model to a file, whole or not at all.

    The file holds numbers and text, and no code: `certo.load` reads it in any later process without
    running anything from it.

    Parameters
    ----------
    model : fitted estimator of Certo, or what `certo.load` returned
        A machine for vectors with one target (no Python function as its kernel).
    path : str or Path

    Returns
    -------
    str
        The fingerprint of the file: the SHA-256 of its content.

    Examples
    --------
    >>> import tempfile
    >>> import certo
    >>> X, y = [[2, 1], [1, 3], [-1, -2], [-3, -1]], ["up", "up", "down", "down"]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = certo.save(certo.Perceptron().fit(X, y), f"{folder}/model.certo")
    ...     certo.load(f"{folder}/model.certo").predict([[3, 3]]).tolist()
    ['up']
    """
    if isinstance(model, StoredModel):
        return save_model(path, model)
    _check_storable(model)
    check_is_fitted(model)
    data, digest = _content({"machine": model})
    try:
        _read(data.split(b"\n", 2)[2])  # Fail now rather than when the file is loaded.
    except Unsound as wrong:
        kind = type(model).__name__
        raise Problem(f"this {kind} cannot be stored for rows of numbers: {wrong}") from wrong
    write_whole(path, data)
    return digest


def load(path: str | Path) -> Any:
    """The model in a file that `certo.save` or `certo fit` wrote, ready to predict.

    Nothing in the file is run. A file that was changed since it was written is refused.

    Parameters
    ----------
    path : str or Path

    Returns
    -------
    estimator or StoredModel
        The estimator that was saved; of a model that `certo fit` made of a table, an object whose
        `predict` takes a data frame with the columns of that table, and whose `machine` and
        `certified` are the estimator and the claims about it.
    """
    found = _load(Path(path))
    if not found.as_written:
        raise Problem(
            f"{path} was changed since it was written: its fingerprint does not match. Fit the "
            "model again, or get an unchanged copy."
        )
    return found.model


def save_model(path: str | Path, model: StoredModel) -> str:
    """Write the model of a table, whole or not at all; returns its fingerprint."""
    data, digest = model_bytes(model)
    write_whole(path, data)
    return digest


def model_bytes(model: StoredModel) -> tuple[bytes, str]:
    """The content of a model file, and its fingerprint."""
    _check_storable(model.machine)
    content = {item.name: getattr(model, item.name) for item in fields(model)}
    return _content(content | {"certified": json.dumps(model.certified.to_dict())})


def _check_storable(machine: Any) -> None:
    known = describe(machine)
    if known is None or known.fitted is None:
        kind = type(machine).__name__
        raise Problem(
            f"a model file holds a machine of Certo for tables, not a {kind}.{_instead(machine)}"
        )
    kernel = getattr(machine, "kernel_", None)
    if kernel is not None:
        try:
            kernel.to_dict()
        except ValueError as wrong:
            raise Problem(f"this machine cannot be stored: {wrong}") from wrong


def _instead(model: Any) -> str:
    """How else to save what is no machine."""
    if hasattr(model, "best_estimator_"):
        return " Save its best_estimator_."
    from sklearn.pipeline import Pipeline  # Readers of files do without.

    if isinstance(model, Pipeline) and describe(model.steps[-1][1]) is not None:
        return (
            " Save its last step, pipeline[-1], in this way, and those before it, pipeline[:-1], "
            "with skops.io.dump; or let certo fit scale and encode a table: its file holds both."
        )
    return "" if describe(model) else " For models of scikit-learn there is skops.io.dump."


def _content(parts: dict[str, Any]) -> tuple[bytes, str]:
    import skops.io

    payload = skops.io.dumps(parts)
    _refuse_other_kinds(payload)  # Fail now rather than when the file is read.
    digest = hashlib.sha256(payload).hexdigest()
    return _MAGIC + f"sha256 {digest}\n".encode() + payload, digest


def load_model(path: str | Path) -> LoadedModel:
    """The model of a table in a file, refusing anything that is not one.

    A file that was changed but can still be read is not refused here: `as_written` says it.
    """
    found = _load(Path(path))
    if not isinstance(found.model, StoredModel):
        raise Problem(
            f"{path} was written by certo.save: it holds a machine alone, without the target and "
            "the fingerprint of a table, and a model that certo fit made of a table is needed. In "
            "Python, certo.load reads it; the model then has predict(X), and "
            "certificate_.verify(X, y) checks its claims."
        )
    return found


def _load(path: Path) -> LoadedModel:
    """What a model file holds: the model of a table, or a machine alone."""
    data = read_whole(path, _MAGIC, *_EARLIER)
    magic, (header, _, payload) = data[: len(_MAGIC)], data[len(_MAGIC) :].partition(b"\n")
    if magic not in (_MAGIC, *_EARLIER) or not header.startswith(b"sha256 "):
        raise Problem(
            f"{path} is not a Certo model file: it does not start like one. A file that certo fit "
            "or certo.save of this version wrote is needed."
        )
    digest = hashlib.sha256(payload).hexdigest()
    as_written = header == f"sha256 {digest}".encode()
    try:
        return LoadedModel(_read(payload, int(magic[-2:])), digest, as_written)
    except Exception as wrong:  # A broken archive can fail anywhere.
        if not as_written:
            what = "is damaged: it was changed since it was written (its fingerprint differs)."
        else:
            own = isinstance(wrong, Problem | Unsound)
            reason = str(wrong) if own else type(wrong).__name__
            what = f"is damaged or was not written by Certo: {reason[:300].rstrip('.')}."
        raise Problem(f"{path} {what} Fit the model again, or get an unchanged copy.") from wrong


def _read(payload: bytes, number: int = MODEL_FORMAT) -> Any:
    kinds = _refuse_other_kinds(payload)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Warnings about scikit-learn's version; our checks follow.
        content = read_archive(payload, kinds.__getitem__)
    content = content if isinstance(content, dict) else {}
    machine, names = content.get("machine"), {item.name for item in fields(StoredModel)}
    if number < 6:
        _upgrade_settings(machine)
    kind: Any = type(machine)
    own: dict[str, Any] = getattr(machine, "__dict__", {})
    settings = kind._get_param_names() if describe(machine) is not None else []
    if "time_limit" in settings:
        own.setdefault("time_limit", None)  # Some machines had none at first.
    if "device" in settings:  # As were those of before there were devices.
        own.setdefault("device", "cpu")
        own.setdefault("device_", "cpu")
    if number == 3:
        _upgrade_supports(machine)
    if set(content) == {"machine"}:
        check_machine(machine, getattr(machine, "n_features_in_", -1))
        return machine
    _upgrade_encoder(content.get("encoder"))
    names -= _SINCE_5 if number < 5 else set()
    if set(content) != names:
        raise Problem(f"it must hold exactly {', '.join(sorted(names))}.")
    if type(content["certified"]) is not str:
        raise Problem("its certified must be text.")
    try:
        page = Certified.from_dict(json.loads(content["certified"]))
    except (ValueError, RecursionError) as wrong:
        raise Problem(f"its claims cannot be read: {wrong}") from wrong
    model = StoredModel(**content | {"certified": page})
    check_model(model)
    return model


def _upgrade_supports(machine: Any) -> None:
    """Make of a machine as format 3 has it what its fit leaves now: one array of supports for all
    outputs, and tables over it.

    The class of a support is known where it is positive in the output of one class, or negative in
    those of all others. That of the others is -1: they have a place in no other array of the file.
    """
    from certo.estimators._kernel import spread

    state = vars(machine)
    if "n_support_" not in state:  # It has no supports.
        return
    machine._set_supports(state["support_"], state["dual_coef_"])
    signs = machine.dual_coef_
    if "_updated" in state:
        machine._updated = spread(state["_updated"], machine._in_output)
    if "_sums" in state:
        machine._sums = spread(state["_sums"], machine._in_output)
        signs = machine._sums[:, 0]
    if len(signs) == 1:
        signs = np.concatenate([-signs, signs])
    is_known = np.any(signs > 0, axis=0) | (np.sum(signs < 0, axis=0) == len(signs) - 1)
    machine._support_classes = np.where(is_known, np.argmax(signs, axis=0), -1)
    del state["n_support_"]


def _upgrade_settings(machine: Any) -> None:
    """Before format 6 there was an output for each class, and one run through all examples, and no
    setting about either."""
    from certo.estimators import SVM, HardMarginSVM, Perceptron

    if isinstance(machine, Perceptron):
        machine.shards = 1
    if isinstance(machine, SVM | HardMarginSVM):
        machine.multiclass, machine.decision_function_shape = "rest", "ovr"
        machine.break_ties = machine._paired = False


def _upgrade_encoder(encoder: Any) -> None:
    """An encoder that counts no words has no vocabulary, whether it says so or not."""
    if isinstance(encoder, TableEncoder) and "prose_names_" not in vars(encoder):
        encoder.text, encoder.prose_names_, encoder.vocabularies_ = (), [], []


def _trusted(names: Iterable[str]) -> set[str]:
    """Classes of ours that a file which asks for these may hold: encoders, those of them that are
    machines, and objects among settings of these machines."""
    found = [description_at(name) for name in names]
    stored = [known for known in found if known is not None and known.fitted is not None]
    kinds = [TableEncoder, *(kind for known in stored for kind in known.setting_kinds)]
    return {known.path for known in stored} | {f"{k.__module__}.{k.__qualname__}" for k in kinds}


def _refuse_other_kinds(payload: bytes) -> dict[str, Any]:
    """Look through the archive's description before anything is created from it. The classes that
    it names, by their names."""
    check_sizes(payload)
    found = kinds_in(payload)
    ours = _trusted(name for loader, name in found if loader == "ObjectNode")
    kinds = _NODE_TYPES | {"ObjectNode": _NODE_TYPES["ObjectNode"] | ours}
    for loader, name in found:
        if name not in kinds.get(loader, ()):
            raise Problem(
                f"it asks for {name} (as {loader}), which Certo does not create from a file."
            )
    return {name: _class(*name.rsplit(".", 1)) for _, name in found}


def _class(module: str, name: str) -> Any:
    return getattr(importlib.import_module(module), name)
