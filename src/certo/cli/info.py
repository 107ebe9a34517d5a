"""certo info"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from certo.cli.console import Voice, print_json, tell_more
from certo.cli.options import Json, ModelFile, command_line

if TYPE_CHECKING:
    from certo.tables.model_file import LoadedModel

MAX_NAMES_LISTED = 10  # Names of columns of one kind, and of classes.
MAX_CLAIMS_LISTED = 12


def info(model: ModelFile, as_json: Json = False) -> None:
    """Show what a model file holds. These are the machine, its settings, the columns that it takes,
    and what it claims. Nothing is checked here; certo verify does that."""
    from certo.tables.model_file import load_model

    loaded = load_model(model)
    said = _facts(loaded)
    if as_json:
        print_json(said)
    else:
        _tell(Voice(), said, str(model))


def _facts(loaded: LoadedModel) -> dict[str, Any]:
    from sklearn.base import clone

    from certo.verify import page_facts

    stored = loaded.model
    machine, encoder = stored.machine, stored.encoder
    classes = getattr(machine, "classes_", None)
    claims = page_facts(stored.certified, (), holds=False)["claims"]
    return {
        "machine": " ".join(repr(clone(machine)).split()),
        "status": machine.status_,
        "target": stored.target,
        "classes": None if classes is None else classes.tolist(),
        "rows": stored.rows,
        "numbers": encoder.number_names_,
        "categories": {name: levels.tolist() for name, levels in encoder.level_features()},
        "texts": {name: len(terms) for name, terms in encoder.term_features()},
        "scale": encoder.scale,
        "claims": [{key: claim[key] for key in ("type", "about", "plain")} for claim in claims],
        "data_fingerprint": stored.data_fingerprint,
        "test_fingerprint": stored.test_fingerprint,
        "sha256": loaded.fingerprint,
        "as_written": loaded.as_written,
    }


def _tell(voice: Voice, said: dict[str, Any], path: str) -> None:
    from certo.certificates.encoding import counted
    from certo.verify import claim_title

    if not said["as_written"]:
        voice.item(("✗ ", "red"), "The file was CHANGED since it was written.")
    what = "a number" if said["classes"] is None else f"classes {_some(said['classes'])}"
    fitted = f"fitted to {counted(said['rows'], 'row')}"
    if said["target"] is None:
        voice.say((said["machine"], "bold"), f", {fitted}")
    else:
        target = (said["target"], "bold")
        voice.say((said["machine"], "bold"), " for ", target, f": {what}, {fitted}")
    voice.say(said["status"], indent=2)
    scaled = ", scaled to mean 0 and variance 1" if said["scale"] == "standard" else ""
    if numbers := said["numbers"]:
        voice.say(f"{counted(len(numbers), 'numeric column')}{scaled}: {_some(numbers)}", indent=2)
    if categories := list(said["categories"]):
        many = counted(len(categories), "categorical column")
        voice.say(f"{many}: {_some(categories)}", indent=2)
    for name, terms in said["texts"].items():
        voice.say(f"1 column of text, {terms:,} words and pairs counted: {name}", indent=2)
    voice.say()
    voice.say(("What it claims" if said["claims"] else "It claims nothing.", "bold"))
    for claim in said["claims"][:MAX_CLAIMS_LISTED]:
        voice.say(f"{claim_title(claim)}: {claim['plain']}", indent=2)
    tell_more(voice, said["claims"], MAX_CLAIMS_LISTED)
    voice.say()
    test = " --test TEST" if said["test_fingerprint"] else ""
    voice.suggest("Check it with", command_line("certo", "verify", path, "DATA") + test)


def _some(names: list[Any]) -> str:
    more = ", …" if len(names) > MAX_NAMES_LISTED else ""
    return ", ".join(map(str, names[:MAX_NAMES_LISTED])) + more
