"""Machines and their settings as one writes them, read without running anything."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Callable, Sequence
from inspect import signature
from typing import Any

from certo import rates
from certo.certificates.density.box_features import BoxCosines, BoxPolynomials
from certo.data.problem import Problem
from certo.estimators._kernel import NAMED
from certo.estimators._keywords import advice_on
from certo.estimators.description import Description, descriptions
from certo.kernels.base import Kernel
from certo.kernels.gaussian import Gaussian
from certo.kernels.linear import Linear
from certo.kernels.polynomial import Polynomial
from certo.words.reader import setting

#: Kernels of numeric columns.
NUMERIC_KERNELS: dict[str, Any] = {kind.__name__: kind for kind in (Gaussian, Linear, Polynomial)}
NOT_OF_TABLES = {
    "Function": "a function is code, which is neither read from a command nor stored in a model",
    "Precomputed": "a table holds examples, not a Gram matrix",
}
#: What one may write for a setting that has no default.
EXAMPLES_OF = {"features": "BoxPolynomials(3)", "box": "(0, 1)"}
MAX_KERNEL_DEPTH = 30  # Operations within operations in the text of a kernel.


def commands() -> dict[str, Description]:
    """The machines that can be fitted to a table, by their names on the command line."""
    return {known.command: known for known in descriptions() if known.command is not None}


def machine(name: str, settings: Sequence[str] = ()) -> Any:
    """A machine by name, with settings like 'epochs=20', 'learning_rate=Power(exponent=0.5)' or
    'kernel=Gaussian(variance=2)'."""
    name = name.lower().replace("_", "-")
    known = commands().get(name)
    if known is None:
        near = difflib.get_close_matches(name, commands(), n=1, cutoff=0.5)
        meant = f" Did you mean {near[0]}?" if near else ""
        has = ", ".join(sorted(commands()))
        raise Problem(f"there is no machine {name!r}; choose one of {has}.{meant}")
    parameters, given = signature(known.kind).parameters, dict[str, Any]()
    for text in settings:
        key, equals, value = text.partition("=")
        if not equals:
            raise Problem(f"{setting('set')} needs NAME=VALUE, such as epochs=20, got {text!r}.")
        if key not in parameters:
            advised = f": {advice}" if (advice := advice_on(known.kind, key)) else ""
            has = ", ".join(sorted(parameters))
            raise Problem(f"{name} has no setting {key}{advised}. Its settings are {has}.")
        read = OBJECT_READERS.get(key, read_literal) if "(" in value else read_literal
        given[key] = read(value)
    needed = [name for name, one in parameters.items() if one.default is one.empty]
    if missing := [name for name in needed if name not in given]:
        such_as = " ".join(setting("set", f"'{one}={EXAMPLES_OF[one]}'") for one in missing)
        raise Problem(f"{name} needs its {' and its '.join(missing)}, such as {such_as}.")
    return known.kind(**given)


def read_literal(text: str) -> Any:
    """A number, list or other plain value; else the text itself."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def read_rate(text: str) -> rates.Rate:
    """A learning rate, as in 'Power(exponent=0.5)'."""
    kinds = {kind.__name__: kind for kind in rates.Rate.__subclasses__()}
    try:
        call = ast.parse(text, mode="eval").body
        if not isinstance(call, ast.Call) or call.args:
            raise ValueError("it is not of the form Name(parameter=value).")
        return _made(call, kinds)
    except (SyntaxError, TypeError, ValueError) as wrong:
        raise Problem(
            f"a learning rate must be a number or one of {', '.join(sorted(kinds))} with its "
            f"parameters, as in Power(initial=1, exponent=0.5), got {text!r}: {wrong}"
        ) from wrong


def read_features(text: str) -> BoxCosines | BoxPolynomials:
    """Features on a box, as in 'BoxPolynomials(3)'."""
    kinds = {kind.__name__: kind for kind in (BoxPolynomials, BoxCosines)}
    try:
        call = ast.parse(text, mode="eval").body
        if not isinstance(call, ast.Call):
            raise ValueError("it is not of the form Name(degree).")
        return _made(call, kinds)
    except (SyntaxError, TypeError, ValueError) as wrong:
        raise Problem(
            f"features must be one of {', '.join(sorted(kinds))} with its degree, as in "
            f"BoxPolynomials(3), got {text[:80]!r}: {wrong}"
        ) from wrong


def kernel_setting(text: str) -> str:
    """The setting of a kernel that is written in short: gaussian, gaussian(2.0), polynomial(3)."""
    if text.strip().lower() == "linear":  # Linear machines need no kernel, and are quicker so.
        return "kernel=None"
    names = "|".join(NUMERIC_KERNELS)

    def written(found: re.Match[str]) -> str:
        return f"{found[1].capitalize()}{found[2] or '()'}"

    full = re.sub(rf"\b({names})\b(\s*\()?", written, text, flags=re.IGNORECASE)
    return f"kernel={read_kernel(full)!r}"


def read_kernel(text: str) -> Kernel:
    """A kernel, as in 'Gaussian(variance=2)' or '0.5 * Polynomial(3).normalised() + Linear()'."""
    try:
        found = _kernel(ast.parse(text.strip(), mode="eval").body, MAX_KERNEL_DEPTH)
        if not isinstance(found, Kernel):
            raise ValueError("it is a number.")
        return found
    except (SyntaxError, TypeError, ValueError, RecursionError, MemoryError) as wrong:
        raise Problem(
            f"a kernel must be one of {', '.join(sorted(NUMERIC_KERNELS))} with its parameters, or "
            "made of these by +, * and .normalised(), as in Gaussian(variance=2) or "
            f"0.5 * Polynomial(degree=3) + Linear(), got {text[:80]!r}: {wrong}"
        ) from wrong


def _kernel(node: ast.expr, depth: int) -> Any:
    """A kernel, or a number to multiply one with."""
    if depth == 0:
        raise ValueError(f"it is nested more than {MAX_KERNEL_DEPTH} deep.")
    match node:
        case ast.BinOp(left, ast.Add(), right):
            return _kernel(left, depth - 1) + _kernel(right, depth - 1)
        case ast.BinOp(left, ast.Mult(), right):
            return _kernel(left, depth - 1) * _kernel(right, depth - 1)
        case ast.Call(ast.Attribute(inner, "normalised"), [], []):
            part = _kernel(inner, depth - 1)
            if isinstance(part, Kernel):
                return part.normalised()
        case ast.Call():
            return _made(node, NUMERIC_KERNELS)
        case ast.Constant(value) if type(value) in (int, float):
            return value
        case ast.Name(name) if name.lower() in NAMED:
            raise ValueError(f"{name!r} is not a kernel: give {NAMED[name.lower()]}.")
    raise ValueError(f"{ast.unparse(node)[:40]!r} is not a kernel.")


def _made(call: ast.Call, kinds: dict[str, Any]) -> Any:
    """Name(value, parameter=value) with plain values."""
    name = call.func.id if isinstance(call.func, ast.Name) else ast.unparse(call.func)
    if name in NOT_OF_TABLES and kinds is NUMERIC_KERNELS:
        raise ValueError(f"{name} cannot be used here, since {NOT_OF_TABLES[name]}.")
    if name not in kinds:
        raise ValueError(f"there is no {name}.")
    given = {str(word.arg): ast.literal_eval(word.value) for word in call.keywords}
    return kinds[name](*map(ast.literal_eval, call.args), **given)


#: Settings that are objects.
OBJECT_READERS: dict[str, Callable[[str], Any]] = {
    "learning_rate": read_rate,
    "kernel": read_kernel,
    "features": read_features,
}
