"""The pictures of these pages, made by `make pictures`: most by the pages themselves."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
from benchmarks import coverage as simulation
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch
from sklearn.exceptions import ConvergenceWarning

from certo import (
    SVM,
    LeastSquares,
    LogisticRegression,
    LogLinearDensity,
    MinDisagreement,
    Perceptron,
    certify,
    compare_kernels,
    plots,
    risk,
)
from certo.data.columns import read_table
from certo.estimators import SeparationWarning
from certo.features import BoxPolynomials
from certo.kernels import Gaussian, Mismatch, Polynomial, WeisfeilerLehman
from certo.losses import Logistic, NegativeLogLikelihood, Squared
from certo.plots._canvas import INK, NEGATIVE, POSITIVE, SOFT
from certo.plots.risk import risk_size
from certo.selection import gaussians
from certo.tables.examples import encode_table
from certo.worlds import BetaDensity, GaussianClasses, LogisticLine, NoisyLine
from docs import page_pictures

HERE = Path(__file__).parent
PICTURES = page_pictures.PICTURES
GREEN = "#2a8a57"
DEGREES = (1, 2, 3, 4, 5, 6, 8, 10, 12, 14)


def main() -> None:
    table = read_table(HERE.parent / "examples" / "shores.csv").table
    shores = encode_table(table, "shore")
    X, y = shores.X, shores.y
    rich, good, simple = Figure(figsize=(12, 4.6), layout="constrained").subplots(1, 3)
    for ax, variance in ((rich, 0.003), (good, 0.5), (simple, 100.0)):
        model = SVM(Gaussian(variance), C=10).fit(X, y)
        plots.regions(model, X, y, ax=ax, names=shores.feature_names)
    page_pictures.save(rich.figure, PICTURES / "regions.png")  # many points: SVG is larger
    warnings.simplefilter("ignore", ConvergenceWarning)  # of high degrees: float64 ends before tol
    for name, kernels, C in (
        ("variances", gaussians(X), 10),
        ("degrees", [Polynomial(n) for n in DEGREES], 100),
    ):
        curve = compare_kernels(X, y, kernels, SVM(C=C), random_state=0)
        figure = Figure(figsize=(6.4, 5.2), layout="constrained")
        plots.validation_curve(curve, ax=figure.add_subplot())
        save(figure, name)
        print(curve)
    one_principle()
    structures()
    coverage()
    share_of_errors()
    vertex_cover()
    history()
    roles()


HISTORY = [
    (1805, "least squares", "Legendre"),
    (1902, "linear inequalities", "Farkas"),
    (1909, "positive kernels", "Mercer"),
    (1943, "neurons calculate", "McCulloch, Pitts"),
    (1948, "optimality with constraints", "John; Karush; Kuhn, Tucker"),
    (1950, "reproducing kernels", "Aronszajn"),
    (1958, "the perceptron learns", "Rosenblatt"),
    (1958, "logistic regression", "Cox"),
    (1962, "it converges", "Novikoff"),
    (1964, "kernel perceptron", "Aizerman et al."),
    (1969, "what one layer cannot do", "Minsky, Papert"),
    (1978, "the fewest errors are hard", "Johnson, Preparata"),
    (1986, "backpropagation", "Rumelhart et al."),
    (1986, "compression bounds", "Littlestone, Warmuth"),
    (1992, "largest margin with kernels", "Boser, Guyon, Vapnik"),
    (1995, "support vector machines", "Cortes, Vapnik"),
    (2007, "logarithmic regret", "Hazan et al."),
    (2011, "Pegasos", "Shalev-Shwartz et al."),
    (2023, "sharp compression bounds", "Campi, Garatti"),
]


def history() -> None:
    """Who found what this course teaches: one line each, years at the left."""
    figure = Figure(figsize=(7.2, 0.3 * len(HISTORY) + 0.3))
    ax = figure.add_axes((0.01, 0.01, 0.98, 0.98))
    rows = np.arange(len(HISTORY))[::-1]
    ax.plot([0.9, 0.9], [rows[-1], rows[0]], color=SOFT, lw=2)
    for row, (year, what, who) in zip(rows.tolist(), HISTORY, strict=True):
        ax.plot([0.9], [row], "o", ms=6, color=POSITIVE)
        style = {"va": "center", "color": INK, "fontsize": 10}
        ax.text(0.75, row, str(year), ha="right", **style)
        ax.text(1.05, row, what, ha="left", weight="bold", **style)
        ax.text(3.55, row, who, ha="left", **style)
    ax.set(xlim=(0.2, 5.6), ylim=(-0.7, len(HISTORY) - 0.3))
    ax.axis("off")
    save(figure, "history")


def roles() -> None:
    """Generator, supervisor and learner, and what passes between them."""
    figure = Figure(figsize=(7.6, 3.0))
    ax = figure.add_axes((0.01, 0.01, 0.98, 0.98))
    boxes = {
        "generator": (0.0, 1.1, "generator\nP(x)", POSITIVE),
        "supervisor": (3.2, 2.0, "supervisor\nP(y | x)", POSITIVE),
        "learner": (3.2, 0.2, "learner\nf(x, w)", NEGATIVE),
        "loss": (6.6, 1.1, "loss\nL(y, f(x, w))", INK),
    }
    width, height = 1.9, 0.8
    for left, bottom, text, colour in boxes.values():
        shape = FancyBboxPatch(
            (left, bottom), width, height, boxstyle="round,pad=0,rounding_size=0.12",
            facecolor="white", edgecolor=colour, linewidth=1.6,
        )  # fmt: skip
        ax.add_patch(shape)
        style = {"ha": "center", "va": "center", "color": INK, "fontsize": 11}
        ax.text(left + width / 2, bottom + height / 2, text, **style)
    arrows = [
        ((1.9, 1.7), (3.2, 2.3), "x", (2.5, 2.2)),
        ((1.9, 1.3), (3.2, 0.7), "x", (2.5, 0.75)),
        ((5.1, 2.3), (6.6, 1.7), "y", (5.9, 2.2)),
        ((5.1, 0.7), (6.6, 1.3), "f(x, w)", (6.0, 0.72)),
        ((4.15, 2.0), (4.15, 1.0), "y: examples\nto learn from", (4.25, 1.5)),
    ]
    for start, end, text, place in arrows:
        look = {"arrowstyle": "-|>", "color": SOFT, "lw": 1.6, "shrinkA": 2, "shrinkB": 2}
        ax.annotate("", end, start, arrowprops=look)
        beside = "left" if "\n" in text else "center"
        ax.text(*place, text, ha=beside, va="center", color=INK, fontsize=10, style="italic")
    ax.set(xlim=(-0.1, 8.6), ylim=(0.0, 3.0))
    ax.axis("off")
    save(figure, "risk-roles")


def vertex_cover() -> None:
    """The Petersen graph with a smallest cover, and the examples that the reduction makes of it."""
    edges = [(i, (i + 1) % 5) for i in range(5)] + [(5 + i, 5 + (i + 2) % 5) for i in range(5)]
    edges += [(i, i + 5) for i in range(5)]
    turn = np.pi / 2 + 2 * np.pi * np.arange(5) / 5
    ring = np.column_stack([np.cos(turn), np.sin(turn)])
    places = np.concatenate([ring, 0.5 * ring])
    X = np.zeros((25, 10))
    X[range(10), range(10)] = 1
    for row, edge in enumerate(edges, start=10):
        X[row, list(edge)] = 1
    y = np.array([1] * 10 + [-1] * 15)
    w = MinDisagreement(intercept="none").fit(X, y).coef_[0]
    cover = {v for v in range(10) if w[v] <= 0} | {u for u, v in edges if w[u] + w[v] >= 0}
    graph, table = Figure(figsize=(9.0, 4.2), layout="constrained").subplots(1, 2)
    for u, v in edges:
        graph.plot(*places[[u, v]].T, color=SOFT, lw=1.4, zorder=1)
    for v, (x, up) in enumerate(places):
        face, ink = (POSITIVE, "white") if v in cover else ("white", INK)
        graph.scatter([x], [up], s=330, c=face, edgecolors=INK, linewidths=1.2, zorder=2)
        graph.text(x, up, str(v), ha="center", va="center", color=ink, fontsize=10, zorder=3)
    graph.set(title=f"A smallest vertex cover: {len(cover)} of 10 vertices", aspect="equal")
    graph.set_axis_off()
    colours = ListedColormap([NEGATIVE, "white", POSITIVE])
    table.pcolormesh(X * y[:, None], cmap=colours, vmin=-1, vmax=1, edgecolors=SOFT, lw=0.3)
    table.axhline(10, color=INK, lw=1.2)
    table.set(title="25 examples: 10 vertices (+1), 15 edges (−1)", xlabel="coordinate: a vertex")
    table.set_yticks([5, 17.5], ["vertices", "edges"])
    table.set_xticks(np.arange(10) + 0.5, [str(v) for v in range(10)])
    table.invert_yaxis()
    save(graph.figure, "linear-vertex-cover")


def coverage() -> None:
    """The true risk and its bounds, as the sample grows; means of a few draws."""
    world = GaussianClasses(distance=2.0, d=3)
    sizes = [50 * 2**k for k in range(8)]
    colours = {
        "printed": SOFT,
        "exact tail": POSITIVE,
        "Campi–Garatti": NEGATIVE,
        "online to batch": NEGATIVE,
        "test set": GREEN,
    }
    panels = Figure(figsize=(11, 4.8), layout="constrained").subplots(1, 2, sharey=True)
    for ax, title, model in zip(
        panels,
        ("Support vector machine (C = 0.1)", "Perceptron, one pass"),
        (SVM(C=0.1, intercept="none"), Perceptron(epochs=1)),
        strict=True,
    ):
        found = [simulation.simulate(world, model, 12, m=m, test=m // 4) for m in sizes]
        risk = [np.mean([seen.risk for seen in at["exact tail"]]) for at in found]
        ends = [(risk[-1], "true risk", INK)]
        ax.plot(sizes, risk, color=INK, linewidth=2.5)
        for name, colour in colours.items():
            known = [
                (m, np.mean([seen.upper for seen in at[name]]))
                for m, at in zip(sizes, found, strict=True)
                if name in at
            ]
            if known:
                ax.plot(*zip(*known, strict=True), color=colour, marker="o", markersize=3)
                ends.append((known[-1][1], name, colour))
        height = 0.0
        for value, name, colour in sorted(ends):  # words never on top of each other
            height = max(value, 1.16 * height)
            words = "test set (m/4 more)" if name == "test set" else name
            ax.text(sizes[-1] * 1.12, height, words, color=colour, va="center")
        ax.axhspan(1, 3, color=SOFT, alpha=0.15, linewidth=0)
        ax.text(sizes[0], 1.9, "vacuous: 1 or more", color=INK, fontsize=9)
        ax.set(xscale="log", yscale="log", title=title, xlabel="examples", ylim=(0.01, 2.5))
        ax.set_xticks(sizes, [f"{m:,}" for m in sizes], minor=False, fontsize=8)
        ax.minorticks_off()
        ax.spines[["top", "right"]].set_visible(False)
    ticks = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1)
    panels[0].set_yticks(ticks, [f"{100 * t:g} %" for t in ticks])
    panels[0].set_ylabel("errors on new examples, at most")
    save(panels[0].figure, "coverage")


def share_of_errors() -> None:
    """What `certify` shows of new examples, for the model of that page."""
    random = np.random.default_rng(3)
    X = random.normal(size=(1300, 2))
    y = np.where(X[:, 0] + 0.1 * random.normal(size=1300) > 0, "right", "left")
    model = SVM(C=10, intercept="none", tol=1e-8).fit(X[:1000], y[:1000])
    page = certify(model, X[:1000], y[:1000], X_test=X[1000:], y_test=y[1000:])
    figure = Figure(figsize=risk_size(page), layout="constrained")
    plots.risk_bounds(page, figure.add_subplot(), commonest=np.mean(y[:1000] == "right"))
    save(figure, "share-of-errors")


def structures() -> None:
    """Points that are not vectors, by what kernels say of them: mutated copies of three ancestors,
    and rings and chains of atoms."""
    rng = np.random.default_rng(0)
    ancestors = rng.choice(list("ACGT"), (3, 60))
    family = rng.permutation(np.repeat(["first", "second", "third"], 40))
    copies = ancestors[np.unique(family, return_inverse=True)[1]].copy()
    mutated = rng.random(copies.shape) < 0.3
    copies[mutated] = rng.choice(list("ACGT"), mutated.sum())
    sequences = ["".join(np.roll(copy, rng.integers(60))) for copy in copies]
    dna = Mismatch(5, 1, alphabet="ACGT").normalised()(sequences)

    shape, graphs = rng.choice(["chain", "ring", "star"], 120), []
    for kind in shape:
        n = int(rng.integers(5, 9))
        edges = [(0 if kind == "star" else k - 1, k) for k in range(1, n)]
        edges += [(n - 1, 0)] if kind == "ring" else []
        graphs.append((edges, rng.choice(["C", "C", "C", "N", "O"], n)))
    atoms = WeisfeilerLehman(3).normalised()(graphs)

    for name, K, y in (("families", dna, family), ("shapes", atoms, shape)):
        figure = Figure(figsize=(10.5, 5), layout="constrained")
        heat, plane = figure.subplots(1, 2)
        plots.gram(K, y, ax=heat)
        plots.kernel_pca(K, y, ax=plane)
        page_pictures.save(figure, PICTURES / f"{name}.png")


def one_principle() -> None:
    """Three problems above, and below what becomes of their risks as examples come."""
    figure = Figure(figsize=(12, 7.2), layout="constrained")
    axes = figure.subplots(2, 3)
    numbers, classes, points = NoisyLine(), LogisticLine(), BetaDensity()
    machines = [
        LeastSquares(),
        LogisticRegression(),
        LogLinearDensity(features=BoxPolynomials(4), box=(0, 1)),
    ]
    line = np.linspace(0, 1, 200)[:, None]
    first, second, third = axes[0]
    X, y = numbers.draw(200, rng=0)
    first.scatter(X, y, s=9, c=SOFT, alpha=0.6, lw=0)
    first.plot(line, numbers.regression_function(line), "--", color=INK, lw=1.1, label="E[y|x]")
    fitted = machines[0].fit(X, y).predict(line)
    first.plot(line, fitted, color=POSITIVE, lw=1.6, label="least squares")
    first.set(title="A number", ylabel="y")
    X, y = classes.draw(200, rng=0)
    jitter = np.random.default_rng(1).uniform(-0.04, 0.04, len(X))
    second.scatter(X[:, 0], (y > 0) + jitter, s=9, c=SOFT, alpha=0.6, lw=0)
    second.plot(line, classes.eta(line), "--", color=INK, lw=1.1, label="η(x) = Pr(y = +1|x)")
    p = machines[1].fit(X, y).predict_proba(line)[:, 1]
    second.plot(line, p, color=POSITIVE, lw=1.6, label="logistic regression")
    second.set(title="A class", ylabel="probability of +1")
    X, _ = points.draw(200, rng=0)
    third.hist(X[:, 0], 24, range=(0, 1), density=True, color=SOFT, alpha=0.4)
    third.plot(line, np.exp(points.log_density(line)), "--", color=INK, lw=1.1, label="p(x)")
    shown = np.exp(machines[2].fit(X).score_samples(line))
    third.plot(line, shown, color=POSITIVE, lw=1.6, label="log-linear, degree 4")
    third.set(title="A density", ylabel="p(x)")
    for ax in axes[0]:
        ax.set(xlabel="x", xlim=(0, 1))
        ax.legend(fontsize="small", frameon=False)

    new = classes.draw(100_000, rng=10**6)  # of whose mean loss the logistic risk is estimated
    true_logistic = -np.mean(
        np.log(np.where(new.y > 0, classes.eta(new.X), 1 - classes.eta(new.X)))
    )
    lower = [
        ("mean squared error", numbers, Squared(), numbers.bayes_risk),
        ("mean −log Pr(y|x)", classes, Logistic(), float(true_logistic)),
        ("mean −log p(x)", points, NegativeLogLikelihood(), points.bayes_risk),
    ]
    sizes = (20, 40, 80, 160, 320, 640, 1280)
    warnings.simplefilter("ignore", SeparationWarning)
    for ax, machine, (name, world, loss, least) in zip(axes[1], machines, lower, strict=True):
        seen, unseen = np.empty((2, len(sizes), 40))
        for i, n in enumerate(sizes):
            for again in range(40):
                X, y = world.draw(n, rng=1000 * n + again)
                machine.fit(X, y)
                seen[i, again] = risk(machine, X, y, loss)
                known = world is not classes
                unseen[i, again] = world.risk(machine) if known else risk(machine, *new, loss)
        ax.axhline(least, color=INK, lw=1.1, ls="--", label="the least risk there is")
        for values, color, text in ((unseen, POSITIVE, "risk"), (seen, NEGATIVE, "empirical risk")):
            low, middle, high = np.quantile(values, [0.1, 0.5, 0.9], axis=1)
            ax.plot(sizes, middle, "o-", ms=4, lw=1.4, color=color, label=f"{text} of the fit")
            ax.fill_between(sizes, low, high, color=color, alpha=0.13, lw=0)
        ax.set(xscale="log", xlabel="examples (logarithmic)", ylabel=name)
        ax.set_xticks(sizes, [str(n) for n in sizes], minor=False)
        ax.minorticks_off()
        bottom, top = np.quantile(seen[0], 0.1), np.quantile(unseen[0], 0.9)
        ax.set_ylim(bottom - 0.1 * (top - bottom), top + 0.1 * (top - bottom))
        ax.legend(fontsize="small", frameon=False)
    save(figure, "erm")


def save(figure, name: str) -> None:
    page_pictures.save(figure, PICTURES / f"{name}.svg")


def pages(*names: str) -> None:
    """The pictures that pages draw themselves; of these pages, or of all."""
    for page in page_pictures.pages():
        if not names or page.stem in names:
            for path in page_pictures.draw_page(page):
                print(f"{page.relative_to(HERE)}: {path.name}, {path.stat().st_size:,} bytes")


#: The packages of `certo`, the top one first, and what each is for. Each imports only those below.
FLOORS = [
    (
        "cli   lab   report   plots",
        "what a person touches: commands, laboratory, pages, pictures",
        "top",
    ),
    ("tables", "from a file to a fit, a prediction, a model file, an audit", "top"),
    ("data", "reading files, encoding columns, fingerprints", "top"),
    ("guarantees   selection   exercises", "certify; choosing a kernel; answers by hand", "top"),
    ("estimators   features", "scikit-learn's interface: validate, solve, issue, store", "prover"),
    ("solvers", "one algorithm per file; an outcome says why it stopped", "prover"),
    ("issue", "how a claim finds its witness and its numbers", "prover"),
    (
        "geometry   worlds   rkhs",
        "hyperplanes; known distributions; functions of a space",
        "object",
    ),
    ("words", "every sentence about a claim, a status or an error", "top"),
    ("certificates   verify", "what is claimed, and how it is checked", "trusted"),
    ("problems", "objectives as values", "object"),
    ("losses   kernels", "the mathematical objects, one per file", "object"),
    ("compiled", "every Numba loop; no check needs one", "prover"),
    ("numbers   containers", "exact rationals, sums with proved rounding, arrays", "trusted"),
]
COLOURS = {"top": "#e8eaf0", "prover": "#dfe9f5", "object": "#f3efe2", "trusted": "#d5ead9"}


def architecture() -> None:
    """The packages as floors, those that a check runs in green."""
    height = 0.8
    figure = Figure(figsize=(9.4, 0.46 * len(FLOORS) + 0.5))
    ax = figure.add_axes((0.01, 0.01, 0.98, 0.98))
    for level, (names, text, kind) in enumerate(reversed(FLOORS)):
        box = FancyBboxPatch(
            (0.0, level), 4.15, height, boxstyle="round,pad=0,rounding_size=0.12",
            facecolor=COLOURS[kind], edgecolor=GREEN if kind == "trusted" else SOFT,
            linewidth=1.6 if kind == "trusted" else 0.8,
        )  # fmt: skip
        ax.add_patch(box)
        middle = level + height / 2
        style = {"va": "center", "color": INK}
        ax.text(2.07, middle, names, ha="center", family="monospace", fontsize=10, **style)
        ax.text(4.4, middle, text, ha="left", fontsize=10, **style)
    ax.set(xlim=(-0.1, 9.3), ylim=(-0.15, len(FLOORS)))
    ax.axis("off")
    save(figure, "architecture")


if __name__ == "__main__":
    match sys.argv[1:]:
        case []:
            main()
            architecture()
            pages()
        case ["pages", *names]:  # `python -m docs.pictures pages linear-classifiers`
            pages(*names)
        case names:  # names of functions of this file
            for name in names:
                globals()[name]()
