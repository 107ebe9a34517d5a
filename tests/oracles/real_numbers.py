"""Kernels in sixty decimal digits: what float64 is compared with."""

from decimal import Decimal, localcontext

from certo.kernels import Gaussian, Linear, Normalised, Polynomial, Product, Scaled, Sum


def value(kernel, x, z) -> Decimal:
    """K(x, z) of two lists of floats."""
    with localcontext() as context:
        context.prec = 60
        context.Emin, context.Emax = -(10**9), 10**9
        return _value(kernel, [Decimal(v) for v in x], [Decimal(v) for v in z])


def _value(kernel, x, z) -> Decimal:
    match kernel:
        case Linear():
            return sum((a * b for a, b in zip(x, z, strict=True)), Decimal(0))
        case Polynomial(degree, scale, offset):
            return (Decimal(offset) + Decimal(scale) * _value(Linear(), x, z)) ** degree
        case Gaussian(variance):
            square = sum(((a - b) ** 2 for a, b in zip(x, z, strict=True)), Decimal(0))
            return (-square / (2 * Decimal(variance))).exp()
        case Sum(parts):
            return sum((_value(part, x, z) for part in parts), Decimal(0))
        case Product(parts):
            result = Decimal(1)
            for part in parts:
                result *= _value(part, x, z)
            return result
        case Scaled(inner, factor):
            return Decimal(factor) * _value(inner, x, z)
        case Normalised(inner):
            lengths = _value(inner, x, x) * _value(inner, z, z)
            return _value(inner, x, z) / lengths.sqrt() if lengths else Decimal(0)
    raise NotImplementedError(kernel)
