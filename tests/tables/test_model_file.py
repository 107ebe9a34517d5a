"""Model files: whole, unchanged and harmless, or refused."""

from __future__ import annotations

import hashlib
import io
import json
import os
import pickle
import zipfile
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
import skops.io
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import FunctionTransformer

from certo import GaussianDensity, Neuron
from certo.certificates import Certified
from certo.data.problem import Problem
from certo.rates import Power
from certo.tables.fit import fit_table
from certo.tables.model_file import _MAGIC, load_model, save_model
from certo.tables.predict import predict_table
from certo.tables.settings import machine

TABLE = pa.table({"x": [1.0, 2.0, 3.0, 4.0], "c": list("uvuv"), "y": list("aabb")})


@pytest.fixture(scope="module")
def model():
    return fit_table(TABLE, "y", machine("perceptron", ["epochs=4"])).model


@pytest.fixture
def path(model, tmp_path):
    save_model(tmp_path / "m.certo", model)
    return tmp_path / "m.certo"


def forge(path, payload):
    """A file whose fingerprint is right, as an attacker would write it."""
    digest = hashlib.sha256(payload).hexdigest()
    path.write_bytes(_MAGIC + f"sha256 {digest}\n".encode() + payload)


def archive_of(parts):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def parts_of(path):
    with zipfile.ZipFile(io.BytesIO(path.read_bytes().split(b"\n", 2)[2])) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_model_file_round_trip(model, path):
    loaded = load_model(path)
    assert loaded.as_written
    assert predict_table(loaded.model, TABLE)[0].tolist() == predict_table(model, TABLE)[0].tolist()
    assert loaded.model.machine.certificate_ == model.machine.certificate_
    assert loaded.model.encoder.get_params() == model.encoder.get_params()
    assert np.array_equal(loaded.model.machine.coef_, model.machine.coef_)


def test_rates_and_random_orders_can_be_stored(tmp_path):
    settings = ["learning_rate=Power(exponent=0.25)", "order=shuffled", "random_state=3"]
    made = fit_table(TABLE, "y", machine("perceptron", settings)).model
    save_model(tmp_path / "m", made)
    assert load_model(tmp_path / "m").model.machine.learning_rate == Power(1.0, 0.25)


@pytest.mark.slow
def test_truncated_anywhere_is_refused(path):
    whole = path.read_bytes()
    for length in {0, 1, 14, 50, 79, *range(100, len(whole), 97), len(whole) - 1}:
        path.write_bytes(whole[:length])
        with pytest.raises(Problem):
            load_model(path)


@pytest.mark.slow
def test_a_flipped_bit_anywhere_is_noticed(path):
    whole = path.read_bytes()
    places = {*range(120), *range(0, len(whole), 97), *range(len(whole) - 120, len(whole))}
    for place in sorted(places):
        changed = bytearray(whole)
        changed[place] ^= 1 << (place % 8)
        path.write_bytes(changed)
        try:
            assert not load_model(path).as_written, place
        except Problem:
            continue


@pytest.mark.parametrize("seed", range(5))
def test_random_bytes_are_refused(tmp_path, seed):
    noise = np.random.default_rng(seed).bytes(3000)
    (tmp_path / "m").write_bytes(noise)
    with pytest.raises(Problem, match="not a Certo model file"):
        load_model(tmp_path / "m")
    forge(tmp_path / "m", noise)
    with pytest.raises(Problem, match="damaged"):
        load_model(tmp_path / "m")


class Attack:
    def __reduce__(self):
        return os.system, ("touch /tmp/certo-was-here",)


@pytest.mark.parametrize(
    "payload",
    [
        pickle.dumps(Attack()),
        skops.io.dumps({"machine": LogisticRegression()}),
        skops.io.dumps(FunctionTransformer(os.system)),
        skops.io.dumps(np.random.default_rng(0)),
        skops.io.dumps(len),
        skops.io.dumps({"encoder": 1}),
        skops.io.dumps([1, 2]),
    ],
    ids=["pickle", "estimator", "function", "generator", "builtin", "wrong dict", "list"],
)
def test_anything_else_is_refused(tmp_path, payload):
    forge(tmp_path / "m", payload)
    with pytest.raises(Problem, match="damaged or was not written by Certo"):
        load_model(tmp_path / "m")


@pytest.mark.parametrize(
    ("module", "name", "loader"),
    [
        ("builtins", "eval", "TypeNode"),
        ("builtins", "eval", "FunctionNode"),
        ("os", "system", "FunctionNode"),
        ("os", "system", "ObjectNode"),
        ("subprocess", "Popen", "ObjectNode"),
        ("operator", "methodcaller", "OperatorFuncNode"),
        ("sklearn.linear_model", "LogisticRegression", "ObjectNode"),
        ("certo.data.encoder", "TableEncoder", "ReduceNode"),
        ("functools", "partial", "PartialNode"),
    ],
)
def test_no_other_type_is_ever_created(path, module, name, loader):
    parts = parts_of(path)
    schema = json.loads(parts["schema.json"])
    node = schema["content"]["notes"]
    node.update({"__module__": module, "__class__": name, "__loader__": loader})
    forge(path, archive_of(parts | {"schema.json": json.dumps(schema)}))
    with pytest.raises(Problem, match="does not create from a file"):
        load_model(path)


@pytest.mark.slow
def test_a_zip_bomb_is_not_unpacked(path):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("schema.json", b"[" + b" " * 50_000_000 + b"]")
    forge(path, buffer.getvalue())
    with pytest.raises(Problem, match="compressed"):
        load_model(path)


def test_deep_nesting_is_refused(path):
    parts = parts_of(path)
    for schema in (b"[" * 200_000 + b"]" * 200_000, b'{"a":' * 100_000 + b"1" + b"}" * 100_000):
        forge(path, archive_of(parts | {"schema.json": schema}))
        with pytest.raises(Problem, match="damaged"):
            load_model(path)


def test_an_array_that_claims_to_be_huge_is_refused(path):
    parts = parts_of(path)
    header = "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000000,), }"
    header = header.ljust(117) + "\n"
    array = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode()
    names = [name for name in parts if name.endswith(".npy")]
    forge(path, archive_of(parts | dict.fromkeys(names, array)))
    with pytest.raises(Problem, match="damaged"):
        load_model(path)


def set_in(part, name, value):
    return lambda model: setattr(getattr(model, part) if part else model, name, value)


FORGERIES = {
    "weights of another shape": set_in("machine", "coef_", np.zeros((1, 2))),
    "a neuron too many": set_in("machine", "coef_", np.zeros((2, 3))),
    "NaN weights": set_in("machine", "coef_", np.full((1, 3), np.nan)),
    "weights as text": set_in("machine", "coef_", "heavy"),
    "classes twice": set_in("machine", "classes_", np.array(["a", "a"])),
    "classes in another order": set_in("machine", "classes_", np.array(["b", "a"])),
    "many labels": set_in("machine", "_multilabel", True),
    "zero sign": set_in("machine", "zero_sign", 5),
    "a method replaced": set_in("machine", "predict", np.float64),
    "an encoder's method replaced": set_in("encoder", "transform", np.float64),
    "no scaler": set_in("encoder", "scaler_", None),
    "no levels": set_in("encoder", "levels_", None),
    "names twice": set_in("encoder", "number_names_", ["c"]),
    "no names": set_in("encoder", "number_names_", [1]),
    "target": set_in("", "target", 3),
    "missing": set_in("", "missing", "forget"),
    "machine": set_in("", "machine", machine("svm", [])),
    "na": set_in("", "na", [1]),
}


@pytest.mark.parametrize("what", FORGERIES)
def test_parts_that_do_not_fit_together_are_refused(path, what):
    stored = load_model(path).model
    FORGERIES[what](stored)
    save_model(path, stored)
    with pytest.raises(Problem, match="damaged or was not written by Certo"):
        load_model(path)


def test_unreadable_models_are_not_written(model, tmp_path):
    odd = fit_table(TABLE, "y", machine("perceptron", [])).model
    odd.machine.random_state = np.random.RandomState(0)
    with pytest.raises(Problem, match="does not create from a file"):
        save_model(tmp_path / "m", odd)
    assert not os.listdir(tmp_path)


def test_an_array_named_many_times_is_read_once_or_refused(path):
    """Each name would be read and held again: 120 of 30 MB took 7.7 GB."""
    parts = parts_of(path)
    schema = json.loads(parts["schema.json"])
    name = next(name for name in parts if name.endswith(".npy"))
    node = {"__class__": "ndarray", "__module__": "numpy", "__loader__": "NdArrayNode"}
    nodes = [node | {"type": "numpy", "file": name, "__id__": 1 + k} for k in range(3)]
    for notes in (nodes, [node | {"type": "numpy", "file": name}] * 3):
        schema["content"]["notes"]["content"] = notes
        forge(path, archive_of(parts | {"schema.json": json.dumps(schema).encode()}))
        with pytest.raises(Problem, match="as several objects"):
            load_model(path)


def test_parts_that_overlap_are_refused(path):
    data = bytearray(archive_of(parts_of(path)))
    at = data.index(b"PK\x01\x02")
    for place in range(at, len(data) - 46):  # every entry of the directory leads to the first part
        if data[place : place + 4] == b"PK\x01\x02":
            data[place + 16 : place + 28] = data[at + 16 : at + 28]
            data[place + 42 : place + 46] = data[at + 42 : at + 46]
    forge(path, bytes(data))
    with pytest.raises(Problem, match="damaged or was not written by Certo"):
        load_model(path)


def test_settings_of_the_encoder_are_our_own(path, model):
    """Forged settings of scikit-learn's parts change nothing: the parts are made anew."""

    def content(part):
        return part["content"]["content"]

    parts = parts_of(path)
    schema = json.loads(parts["schema.json"])
    encoder = content(schema["content"]["encoder"])
    text = {"__class__": "str", "__module__": "builtins", "__loader__": "JsonNode", "is_json": True}
    for part, name, value in (
        ("levels_", "sparse_output", "3"),
        ("levels_", "handle_unknown", '"infrequent_if_exist"'),
        ("levels_", "_infrequent_enabled", "true"),
        ("levels_", "n_features_in_", '"two"'),
        ("scaler_", "with_mean", "false"),
        ("scaler_", "n_features_in_", "7"),
    ):
        content(encoder[part])[name] = text | {"content": value}
    forge(path, archive_of(parts | {"schema.json": json.dumps(schema).encode()}))
    loaded = load_model(path).model
    assert predict_table(loaded, TABLE)[0].tolist() == predict_table(model, TABLE)[0].tolist()
    encoder["_sklearn_output_config"] = text | {"content": '"pandas"'}
    schema["content"]["encoder"]["content"]["key_types"]["content"].append(
        schema["content"]["encoder"]["content"]["key_types"]["content"][0]
    )
    forge(path, archive_of(parts | {"schema.json": json.dumps(schema).encode()}))
    with pytest.raises(Problem, match="which no fit leaves there"):
        load_model(path)


def test_a_claim_is_no_composite_of_claims(model):
    page = model.certified.to_dict()
    page["claims"]["claims"] = [dict(page["claims"])]
    with pytest.raises(ValueError, match="one claim, not a Composite"):
        Certified.from_dict(json.loads(json.dumps(page)))


@pytest.mark.parametrize(
    "estimator", [PCA(), LogisticRegression(), Neuron([1.0, 2.0], 0.5)], ids=repr
)
def test_unstorable_models_are_refused(estimator, model, tmp_path):
    name = type(estimator).__name__
    with pytest.raises(Problem, match=f"not a {name}"):
        save_model(tmp_path / "m", replace(model, machine=estimator))
    for other in (estimator, GaussianDensity()):
        with pytest.raises(
            Problem, match=f"predicts a target is needed, got {type(other).__name__}"
        ):
            fit_table(TABLE, "y", other)
    assert not list(tmp_path.iterdir())


MESSAGES = pa.table(
    {
        "t": [f"{('cash prize', 'see you')[k % 2]} later, number{k}" for k in range(30)],
        "y": ["spam", "ham"] * 15,
    }
)


@pytest.fixture(scope="module")
def of_messages():
    return fit_table(MESSAGES, "y", machine("perceptron", ["epochs=4"])).model


def test_a_vocabulary_is_stored(of_messages, tmp_path):
    save_model(tmp_path / "m", of_messages)
    loaded = load_model(tmp_path / "m").model
    assert loaded.encoder.vocabularies_[0].tolist() == of_messages.encoder.vocabularies_[0].tolist()
    assert loaded.text_names == ["t", "y"]
    assert predict_table(loaded, MESSAGES).answers.tolist() == MESSAGES["y"].to_pylist()


@pytest.mark.parametrize(
    "change",
    [
        lambda terms: terms[::-1],
        lambda terms: terms[:-1],
        lambda terms: np.char.upper(terms),
        lambda terms: terms.astype(object),
        lambda terms: np.arange(len(terms)),
        lambda terms: terms.tolist(),
    ],
)
def test_a_vocabulary_that_is_none_is_refused(of_messages, tmp_path, change):
    encoder = clone(of_messages.encoder)
    vars(encoder).update(vars(of_messages.encoder))
    encoder.vocabularies_ = [change(encoder.vocabularies_[0])]
    save_model(tmp_path / "m", replace(of_messages, encoder=encoder))
    with pytest.raises(Problem, match="damaged or was not written by Certo"):
        load_model(tmp_path / "m")


def test_a_file_of_before_words_were_counted_is_read(model, tmp_path):
    encoder = clone(model.encoder)
    vars(encoder).update(vars(model.encoder))
    for name in ("text", "prose_names_", "vocabularies_"):
        delattr(encoder, name)
    save_model(tmp_path / "m", replace(model, encoder=encoder))
    assert load_model(tmp_path / "m").model.encoder.prose_names_ == []
