"""Pages made of facts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from typing import Any

import jinja2
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from certo import plots
from certo.certificates.certified import Certified
from certo.certificates.encoding import counted
from certo.certificates.separation.classes import ClassSeparability
from certo.certificates.separation.inseparable import Inseparable
from certo.certificates.separation.separable import Separable
from certo.numbers.decimals import readable, rounded_down
from certo.numbers.digits import rate_text, share_text, three_digits
from certo.plots.risk import risk_lines, risk_size
from certo.report.claim_pages import page_of
from certo.report.face import MAX_OUTPUTS_DRAWN, Tile, face_of, new_axes, small_axes
from certo.report.headline import headline, short_percent, test_rows
from certo.report.performance import can_rank
from certo.report.svg import inline_svg
from certo.tables.certify import CertifiedTable
from certo.tables.curve import Compared
from certo.tables.examples import Examples, Rows
from certo.tables.fit import Fitted
from certo.tables.separable import Decided
from certo.visible import visible
from certo.words.reader import example

NONE = "–"  # In a cell of a table.
MAX_PLAIN_CLAIMS = 2  # Claims of a kind that are told one by one.
MAX_OPEN_CLAIMS = 6  # Claims of a kind that are seen before the rest is unfolded.
MAX_COLUMNS_SHOWN = 30  # Columns of the rows that are listed.
LEAST_BAR = 1e-9  # A smaller share of the intercept has no bar.
MAX_CLASSES_CROSSED = 30  # Classes up to which a confusion matrix is shown.
MAX_WEIGHTS_OPEN, MAX_WEIGHTS_UNFOLDED = (
    20,
    100,
)  # Weights of an output, before and after unfolding.


def html_report(fitted: Fitted, said: dict[str, Any]) -> str:
    """One HTML file with everything in it: style, pictures, certificates in words.

    `said` are the facts of the fit, with what became of them (`model_fingerprint`, `verify_with`,
    and the `command` if there was one); the page holds them as JSON too, in its last element.
    """
    machine, examples = fitted.model.machine, fitted.examples
    face, shown = face_of(machine), _shown_rows(fitted)
    on_test = said["performance"]["test"] is not None
    with examples.reading():
        checks = [*_ranking(machine, shown.X, shown.y), *face.checks(machine, shown)]
        own = list(face.pictures(machine, examples))
    return _page(
        "fit.html",
        said,
        headline=headline(said),
        measures=list(_measures(said["performance"])),
        heat=_heat,
        test_rows=test_rows(said, said["performance"]["test"]["rows"]) if on_test else None,
        not_counted=_not_counted(said),
        checked_rows="test rows" if on_test else "training rows",
        checks=_inline(checks, "c"),
        bars=_bars(said["weights"] or []),
        most_weights=(MAX_WEIGHTS_OPEN, MAX_WEIGHTS_UNFOLDED),
        most_classes=MAX_CLASSES_CROSSED,
        proved=plain_lines(said),
        page_of=page_of,
        claims=grouped(said["claims"], "type"),
        coefficients=grouped((said["coefficients"] or {"rows": []})["rows"], "group"),
        refusals=grouped(said["not_claimed"], "name"),
        tiles=[*_first_tiles(said), *face.tiles(said)],
        risk=_inline(_risk_of(fitted.certified, said.get("commonest")), "r"),
        pictures=_inline(own),
        outputs=face.outputs(machine),
        drawn_each="functions" if said["kernel"] else face.drawn,
        most_pictured=MAX_OUTPUTS_DRAWN,
        most_open=MAX_OPEN_CLAIMS,
        verify_with=said["verify_with"] if said["claims"] and said["model_fingerprint"] else None,
    )


def html_certified(found: CertifiedTable, model: Any, said: dict[str, Any]) -> str:
    """The same for a model of scikit-learn and the claims about it. `said` are the facts of the
    page with the columns and the performance; `prove_with` is the command that was run."""
    on_test = said["performance"]["test"] is not None
    X, y = found.test_pair or found.pair
    return _page(
        "certified.html",
        said,
        headline=headline(said),
        measures=list(_measures(said["performance"])),
        heat=_heat,
        test_rows=test_rows(said, said["performance"]["test"]["rows"]) if on_test else None,
        not_counted=_not_counted(said),
        checked_rows="test rows" if on_test else "training rows",
        checks=_inline(_ranking(model, X, y), "c"),
        most_classes=MAX_CLASSES_CROSSED,
        proved=plain_lines(said),
        page_of=page_of,
        claims=grouped(said["claims"], "type"),
        refusals=grouped(said["not_claimed"], "name"),
        risk=_inline(_risk_of(found.page, said["commonest"]), "r"),
        most_open=MAX_OPEN_CLAIMS,
        verify_with=said["prove_with"] if said["claims"] else None,
    )


def _shown_rows(fitted: Fitted) -> Rows:
    """The rows that tell how good a machine is: test rows, or the training rows if there are
    none."""
    examples, test = fitted.examples, fitted.test
    if test is not None and len(test.y):
        return test
    return Rows(examples.X, examples.y, examples.places, [], examples.left_out, [])


def _not_counted(said: dict[str, Any]) -> int:
    """Test rows that the bound from test rows does not count, if there is one."""
    kinds = ("TestErrors", "TestDistances")
    claims = [claim for claim in said["claims"] if claim["type"] in kinds]
    counted_rows = [claim["numbers"]["examples"] for claim in claims]
    return said["performance"]["test"]["rows"] - counted_rows[0] if counted_rows else 0


def _ranking(machine: Any, X: Any, y: np.ndarray) -> Iterator[Axes]:
    if hasattr(machine, "classes_") and can_rank(machine, y):
        yield plots.roc(machine, X, y, ax=small_axes())
        yield plots.precision_recall(machine, X, y, ax=small_axes())


def _measures(found: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """What is measured, of the test rows and of the training rows, as text."""
    test, training = found["test"] or {}, found["training"]
    for key, name, shown in MEASURES:
        values = test.get(key), training.get(key)
        if values != (None, None):
            on_test, on_training = (NONE if value is None else shown(value) for value in values)
            yield name, on_test, on_training


def _heat(table: list[list[int]], row: int, column: int) -> str:
    """The share of a row of a table that one of its cells has."""
    return f"{table[row][column] / (sum(table[row]) or 1):.3f}"


def _bars(outputs: list[dict[str, Any]]) -> list[float]:
    """What the bars of each output are drawn against: the largest of its scaled weights, unless
    these are rounding beside the intercept."""
    return [
        max(
            max((abs(row["scaled"]) for row in one["rows"]), default=0.0),
            LEAST_BAR * abs(one["intercept"]["scaled"]),
        )
        or 1.0
        for one in outputs
    ]


def _risk_of(page: Certified, commonest: float | None) -> Iterator[Axes]:
    """What is proved of the error rate, if anything is."""
    if risk_lines(page):
        ax = Figure(figsize=risk_size(page), layout="constrained").add_subplot()
        yield plots.risk_bounds(page, ax, commonest=commonest)


def _first_tiles(said: dict[str, Any]) -> Iterator[Tile]:
    """Of every machine."""
    if said["classes"] is None:
        yield Tile(three(said["training_error"]), "root mean square error on the training rows")
    else:
        yield Tile(short_percent(said["training_accuracy"]), "of the training rows right")
    yield Tile(readable(said["examples"]), f"training {example()}s")
    yield Tile(readable(said["features"]), "features")


def html_curve(compared: Compared, said: dict[str, Any]) -> str:
    """The same for kernels beside each other."""
    ax = Figure(figsize=(7.6, 5.6), layout="constrained").add_subplot()
    pictures = _inline([plots.validation_curve(compared.curve, ax=ax)])
    return _page("curve.html", said, pictures=pictures)


def html_verdict(decided: Decided, said: dict[str, Any]) -> str:
    """The same for an answer to whether the classes are separable."""
    answers = said["answers"]
    shown = [one for one in answers if not one["separable"]][:MAX_OPEN_CLAIMS]
    if answers[0]["separable"]:
        shown = [answers[0], *shown]
    drawn = list(_drawings(decided))
    return _page(
        "separable.html",
        said,
        shown=shown,
        pictures=_inline(draw() for draw in drawn[: 2 * MAX_OUTPUTS_DRAWN]),
        not_drawn=max(0, len(drawn) - 2 * MAX_OUTPUTS_DRAWN),
    )


def _drawings(decided: Decided) -> Iterator[Callable[[], Axes]]:
    """A picture for each question about two sides: all of those about one class and the rest, and
    of pairs those that nothing separates."""
    verdict, examples = decided.verdict, decided.examples
    asked: list[tuple[Any, Any]] = [(verdict, slice(None))]
    if isinstance(verdict, ClassSeparability):
        asked = [(one, slice(None)) for one in verdict.one_against_rest]
        asked += [
            (one, np.isin(examples.y, pair))
            for pair, one in zip(verdict.pairs, verdict.pairwise, strict=True)
            if isinstance(one, Inseparable)
        ]
    for one, some in asked:
        if isinstance(one, Inseparable) or np.any(one.coef):
            yield partial(_draw, one, some, examples)


def _draw(verdict: Separable | Inseparable, some: Any, examples: Examples) -> Axes:
    X, y, names = examples.X[some], examples.y[some], examples.feature_names
    if isinstance(verdict, Separable):
        return plots.margin_band(verdict, X, y, ax=new_axes(), names=names)
    places = examples.places[some]
    return plots.conflict(verdict, X, y, ax=new_axes(), names=names, places=places)


def question(answer: dict[str, Any]) -> str:
    """What an answer is about, in words."""
    about = [str(label) for label in answer["about"]]
    return {
        "classes": " and ".join(about),
        "pair": " and ".join(about),
        "from the rest": f"{about[0]} from the rest",
        "jointly": "all at once: the highest of one score for each class",
    }[answer["question"]]


def reason(answer: dict[str, Any]) -> str:
    """What proves an answer, in a few words."""
    if "margin" in answer:
        return f"at a distance of at least {rounded_down(answer['margin'])}"
    if answer["separable"]:
        return "scores that are right for every example"
    rows = list(dict.fromkeys(str(item["row"]) for item in answer["proof"]))
    more = f" and {len(rows) - 8} more" if len(rows) > 8 else ""
    return f"row{'s' if len(rows) > 1 else ''} {', '.join(rows[:8])}{more}"


def point(values: dict[str, float]) -> str:
    """A point by the names of its coordinates; those that are 0 are left out if there are many."""
    few = values if len(values) <= 8 else {name: x for name, x in values.items() if x}
    parts = [f"{name} {x:.6g}" for name, x in list(few.items())[:8]]
    more = f", … ({counted(len(values), 'coordinate')})" if len(few) > 8 else ""
    return ", ".join(parts) + more


def three(value: float | None) -> str:
    """Three significant digits; the facts at the end of the page hold more."""
    return NONE if value is None else three_digits(value)


MEASURES: tuple[tuple[str, str, Callable[[Any], str]], ...] = (
    ("rows", "rows", readable),
    ("accuracy", "predictions that are right", short_percent),
    ("errors", "errors", readable),
    ("usual_accuracy", "right if the most frequent class is always answered", short_percent),
    ("roc_auc", "area under the ROC curve", rate_text),
    ("average_precision", "average precision", rate_text),
    ("root_mean_square_error", "root mean square error", three),
    ("usual_error", "root mean square error of always predicting the mean", three),
    ("mean_absolute_error", "mean absolute error", three),
    ("usual_absolute_error", "mean absolute error of always predicting the mean", three),
    ("median_absolute_error", "median absolute error", three),
    ("r2", "R² (1 − squared error / variation around the mean of these rows)", three),
)


def plain_lines(said: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What is claimed, each kind in a sentence or two: of a claim that there is for many classes,
    the first, and for how many others there is one."""
    for kind, group in grouped(said["claims"], "type").items():
        for some in grouped(group, "informative").values():
            shown = some if len(some) <= MAX_PLAIN_CLAIMS else some[:1]
            others = len(some) - len(shown)
            K = len(said["classes"] or ())
            paired = K > 2 and said.get("settings", {}).get("multiclass") == "pairs"
            every, of = (K * (K - 1) // 2, "pairs of classes") if paired else (K, "classes")
            each = "each of the other " if len(some) == every else ""
            same = len({claim["plain"] for claim in some}) == 1
            like = "the same" if same else "similar claims, each with its own numbers,"
            more = f"and {like} for {each}{others:,} {'' if each else 'other '}{of}"
            for claim in shown:
                yield {
                    "kind": kind,
                    "plain": claim["plain"],
                    "about": claim["about"] if len(group) > 1 else "",
                    "vacuous": claim["vacuous"],
                    "informative": claim["informative"],
                    "more": more if others else "",
                }


def percent(share: float) -> str:
    return f"{share_text(share)}\u202f%"


def digits(value: float | None) -> str:
    """Of a table that is read down its columns."""
    return NONE if value is None else f"{value:.6g}"


def ratio(value: float | None) -> str:
    """An estimate over its standard error."""
    return NONE if value is None else f"{value:.3f}"


def p_value(value: float | None) -> str:
    return NONE if value is None else "<0.001" if value < 0.0005 else f"{value:.3f}"


def _page(template: str, said: dict[str, Any], **parts: Any) -> str:
    columns = [
        name for kind in ("numbers", "categories", "texts") for name in said["columns"][kind]
    ]
    return _templates().get_template(template).render(
        facts=said,
        columns=columns[:MAX_COLUMNS_SHOWN],
        more_columns=len(columns[MAX_COLUMNS_SHOWN:]),
        remarks=said.get("remarks", []),
        as_json=json.dumps(said).replace("<", "\\u003c"),  # No tag can end the script early.
        **parts,
    )  # fmt: skip


@cache
def _templates() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("certo", "report"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=lambda value: visible(value) if type(value) is str else value,
    )
    environment.filters |= {
        "readable": readable,
        "percent": percent,
        "digits": digits,
        "p_value": p_value,
        "share": lambda value: NONE if value is None else short_percent(value),
        "ratio": ratio,
        "short": lambda value: readable(value) if isinstance(value, float) else value,
        "three": lambda value: three(value) if isinstance(value, float | None) else value,
        "at_least": rounded_down,
        "asked": question,
        "proved": reason,
        "point": point,
        "sentence": lambda text: text[:1].upper() + text[1:],
    }
    return environment


def grouped(items: list[dict[str, Any]], key: str) -> dict[str, list[dict[str, Any]]]:
    """By what they have under a key, in the order in which that comes first."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for item in items:
        groups.setdefault(item[key], []).append(item)
    return groups


def _inline(drawn: Iterable[Axes], name: str = "p") -> list[dict[str, str]]:
    return [
        {"title": ax.get_title().replace(r"\$", "$"), "svg": inline_svg(ax.figure, f"{name}{k}-")}
        for k, ax in enumerate(drawn)
    ]
