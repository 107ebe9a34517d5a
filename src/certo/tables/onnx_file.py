"""Models as ONNX files.

The graph takes one column of the table as each input, of shape [rows, 1]: numbers in the precision
of the graph, categories as text. It computes what the model computes: encoding, scaling, scores,
and the label with the highest score.
"""

from __future__ import annotations

import importlib
from copy import copy
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from certo.certificates.sample.pairs import pairs_of
from certo.data.encoder import TableEncoder, told_apart
from certo.data.problem import Problem
from certo.estimators._pairs import by_pair
from certo.kernels import Gaussian, Linear, Polynomial
from certo.tables.model_file import StoredModel
from certo.words.reader import setting

OPSET, IR_VERSION = 19, 9  # Equal of texts is in opset 19, which onnxruntime has had since 1.15.
TYPES: dict[str, type[np.floating]] = {"float32": np.float32, "float64": np.float64}


def model_of_columns(model: Any) -> StoredModel:
    """What `certo.load` returned, as the model of a table: a machine that was fitted to an array
    takes each of its features as a column of numbers, named as in `feature_names_in_`, or x0, x1,
    … where the features had no names."""
    if isinstance(model, StoredModel):
        return model
    names = getattr(model, "feature_names_in_", [f"x{k}" for k in range(model.n_features_in_)])
    encoder = TableEncoder(scale="none")
    encoder.number_names_ = told_apart([str(name) for name in names])
    encoder.category_names_, encoder.prose_names_, encoder.text_names_ = [], [], []
    encoder.scaler_ = encoder.levels_ = None
    encoder.vocabularies_, encoder.notes_ = [], []
    nameless = copy(model)  # Its rows come as an array from the encoder, which has the names.
    vars(nameless).pop("feature_names_in_", None)
    return StoredModel(encoder, nameless, None, "refuse", [], "", 0)


def onnx_bytes(model: StoredModel, precision: str = "float32") -> bytes:
    """The model as an ONNX file."""
    return _Graph(model, precision).content()


def needed(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as wrong:
        raise Problem(
            f"the package {name} is needed for ONNX files: pip install 'certo[onnx]'."
        ) from wrong


class Expansion(NamedTuple):
    """Scores coef·K(centres, z) + intercept, or coef·z + intercept without a kernel."""

    coef: np.ndarray
    intercept: np.ndarray
    centres: Any
    kernel: Any


def expansion_of(machine: Any) -> Expansion:
    kernel = getattr(machine, "kernel_", None)
    if hasattr(machine, "coef_"):
        coef = np.atleast_2d(machine.coef_)
        return Expansion(coef, _each(machine.intercept_, len(coef)), None, None)
    if not isinstance(kernel, Gaussian | Polynomial | Linear):
        what = type(machine).__name__ if kernel is None else repr(kernel)
        raise Problem(
            "only linear machines and machines with a Gaussian, polynomial or linear kernel can be "
            f"written as ONNX, but this is {what}."
        )
    centres = machine.support_vectors_
    centres = centres.toarray() if sparse.issparse(centres) else np.asarray(centres)
    coef = np.atleast_2d(machine.dual_coef_)
    if votes_of(machine) is not None:
        coef = by_pair(coef, machine._support_classes, len(machine.classes_))
    return Expansion(coef, _each(machine.intercept_, len(coef)), centres, kernel)


def votes_of(machine: Any) -> str | None:
    """How pairs of classes vote; None, where there are no pairs."""
    return getattr(machine, "_votes", None)


def _each(intercept: Any, outputs: int) -> np.ndarray:
    return np.array(np.broadcast_to(intercept, (outputs,)), dtype=np.float64)


class _Graph:
    """The nodes of a graph, as they are added."""

    def __init__(self, model: StoredModel, precision: str):
        if precision not in TYPES:
            raise Problem(f"{setting('precision')} must be float32 or float64, got {precision!r}.")
        if model.encoder.prose_names_:
            raise Problem(
                "a model that counts the words of a text cannot be written as ONNX, but this one "
                f"counts those of column {model.encoder.prose_names_[0]!r}."
            )
        self.onnx = needed("onnx")
        self.model, self.type = model, TYPES[precision]
        self.element = self.onnx.helper.np_dtype_to_tensor_dtype(np.dtype(self.type))
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.inputs: list[Any] = []

    def content(self) -> bytes:
        helper, machine = self.onnx.helper, self.model.machine
        score = self._score(machine, self._features())
        outputs = [("score", self.element, [None, self.n_scores])]
        self.add("Identity", score, out="score")
        if hasattr(machine, "classes_"):
            outputs.append(self._label(machine, score))
        if hasattr(machine, "predict_proba"):
            outputs.append(self._probability(machine, score))
        graph = helper.make_graph(
            self.nodes, "certo", self.inputs,
            [helper.make_tensor_value_info(*output) for output in outputs], self.constants,
            doc_string=f"{type(machine).__name__} for {self.model.target}",
        )  # fmt: skip
        proto = helper.make_model(
            graph, producer_name="certo", opset_imports=[helper.make_opsetid("", OPSET)]
        )
        proto.ir_version = IR_VERSION
        self.onnx.checker.check_model(proto)
        return proto.SerializeToString()

    def add(self, operation: str, *inputs: str, out: str = "", **attributes: Any) -> str:
        out = out or f"_{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(operation, inputs, [out], **attributes))
        return out

    def constant(self, values: Any) -> str:
        """A constant: numbers in the precision of the graph, integers and texts as they are."""
        name, values = f"c{len(self.constants)}", np.asarray(values)
        if values.dtype.kind == "f":
            values = values.astype(self.type)
        if values.dtype.kind in "OU":
            texts = [str(value).encode() for value in values.ravel()]
            kind = self.onnx.TensorProto.STRING
            tensor = self.onnx.helper.make_tensor(name, kind, values.shape, texts)
        else:
            tensor = self.onnx.numpy_helper.from_array(values, name)
        self.constants.append(tensor)
        return name

    def _input(self, name: str, kind: int) -> str:
        self.inputs.append(self.onnx.helper.make_tensor_value_info(name, kind, [None, 1]))
        return name

    def _features(self) -> str:
        encoder, parts = self.model.encoder, list[str]()
        if encoder.number_names_:
            given = [self._input(name, self.element) for name in encoder.number_names_]
            numbers = self.add("Concat", *given, axis=1)
            if encoder.scaler_ is not None:
                centred = self.add("Sub", numbers, self.constant(encoder.scaler_.mean_[None]))
                numbers = self.add("Div", centred, self.constant(encoder.scaler_.scale_[None]))
            parts.append(numbers)
        for name, levels in encoder.level_features():
            text = self._input(name, self.onnx.TensorProto.STRING)
            same = self.add("Equal", text, self.constant(levels[None]))
            parts.append(self.add("Cast", same, to=self.element))
        return self.add("Concat", *parts, axis=1)

    def _score(self, machine: Any, features: str) -> str:
        coef, intercept, centres, kernel = expansion_of(machine)
        self.n_scores = len(coef)
        if kernel is not None:
            features = self._kernel(kernel, features, centres)
        weighted = self.add("MatMul", features, self.constant(np.ascontiguousarray(coef.T)))
        return self.add("Add", weighted, self.constant(intercept[None]))

    def _kernel(self, kernel: Any, z: str, centres: np.ndarray) -> str:
        products = self.add("MatMul", z, self.constant(np.ascontiguousarray(centres.T)))
        if isinstance(kernel, Linear):
            return products
        if isinstance(kernel, Polynomial):
            scaled = self.add("Mul", products, self.constant(np.float64(kernel.scale)))
            base = power = self.add("Add", scaled, self.constant(np.float64(kernel.offset)))
            for bit in bin(kernel.degree)[3:]:  # By squaring and multiplying.
                power = self.add("Mul", power, power)
                power = self.add("Mul", power, base) if bit == "1" else power
            return power
        lengths = self.add("ReduceSumSquare", z, self.constant(np.array([1])), keepdims=1)
        both = self.add("Add", lengths, self.constant(np.sum(centres**2, axis=1)[None]))
        twice = self.add("Add", products, products)
        distance = self.add("Sub", both, twice)
        scaled = self.add("Div", distance, self.constant(np.float64(-2.0 * kernel.variance)))
        return self.add("Exp", self.add("Min", scaled, self.constant(np.float64(0.0))))

    def _label(self, machine: Any, score: str) -> tuple[str, int, list]:
        classes = machine.classes_
        if (votes := votes_of(machine)) is not None:
            place = self.add("ArgMax", self._votes(score, len(classes), votes), axis=1, keepdims=0)
        elif self.n_scores == 1:
            above = self.add("Greater", score, self.constant(np.zeros((1, 1))))
            place = self.add("Cast", above, to=self.onnx.TensorProto.INT64)
            place = self.add("Squeeze", place, self.constant(np.array([1])))
        else:
            place = self.add("ArgMax", score, axis=1, keepdims=0)
        self.add("Gather", self.constant(classes), place, out="label", axis=0)
        return "label", self.onnx.helper.np_dtype_to_tensor_dtype(classes.dtype), [None]

    def _votes(self, score: str, classes: int, votes: str) -> str:
        """The votes for each class: of each pair the first where its score is above 0."""
        if votes != "first":
            raise Problem(
                "a model with break_ties=True cannot be written as ONNX, since sums of scores "
                "settle its ties, which rounding changes. Fit it with break_ties=False."
            )
        first, second = np.array(pairs_of(classes)).T
        matrices = np.zeros((2, first.size, classes))
        for matrix, side in zip(matrices, (first, second), strict=True):
            matrix[np.arange(first.size), side] = 1
        above = self.add("Greater", score, self.constant(np.zeros((1, 1))))
        up, down = (
            self.add("Cast", which, to=self.element) for which in (above, self.add("Not", above))
        )
        for_first, for_second = (
            self.add("MatMul", which, self.constant(matrix))
            for which, matrix in zip((up, down), matrices, strict=True)
        )
        return self.add("Add", for_first, for_second)

    def _probability(self, machine: Any, score: str) -> tuple[str, int, list]:
        if self.n_scores == 1:
            first = self.add("Neg", score)
            both = self.add("Concat", first, score, axis=1)
            self.add("Sigmoid", both, out="probability")
        else:
            self.add("Softmax", score, out="probability", axis=1)
        return "probability", self.element, [None, len(machine.classes_)]
