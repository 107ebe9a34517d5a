"""Inner products whose rounding is specified, at the speed of ones whose rounding is not.

    lane_dot(x, w)            Σ_p x[p]·w[p]
    lane_dot_at(x, at, w)     Σ_p x[p]·w[at[p]]

Definition    Lane k of eight adds the products at positions k, k+8, k+16, … in that order,
              starting from 0; then lanes k and k+4 are added, then k and k+2, then k and
              k+1. Each product and each sum is rounded once to float64 (no fused
              multiply-add); float32 values are widened first, which is exact.
Why           `fastmath` lets the compiler choose the order, so the last bits depend on the
              processor. Here they do not: a run can be replayed bit for bit on any machine,
              and in plain NumPy (`certo.certificates.replay`), which is what lets an
              auditor check what a run did.
How           The eight lanes are one LLVM vector. The last, partial group of eight is read
              under a mask, its missing products being 0, which changes no sum.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

LANES = 8

_I32 = ir.IntType(32)
_F64 = ir.DoubleType()
_SUMS = ir.VectorType(_F64, LANES)


def _name(element) -> str:
    if isinstance(element, ir.IntType):
        return f"i{element.width}"
    return "f64" if element == _F64 else "f32"


class _Loader:
    """Reads eight consecutive items of an array, whole or under a mask."""

    def __init__(self, context, builder, array_type, value):
        self.builder = builder
        self.array = context.make_array(array_type)(context, builder, value)
        self.vector = ir.VectorType(context.get_data_type(array_type.dtype), LANES)
        self.align = context.get_abi_sizeof(self.vector.element)

    def length(self):
        return self.builder.extract_value(self.array.shape, 0)

    def _at(self, start):
        place = self.builder.gep(self.array.data, [start])
        return self.builder.bitcast(place, self.vector.as_pointer())

    def whole(self, start):
        return self.builder.load(self._at(start), align=self.align)

    def masked(self, start, mask):
        name = f"llvm.masked.load.v{LANES}{_name(self.vector.element)}.p0"
        kind = ir.FunctionType(
            self.vector, [self.vector.as_pointer(), _I32, mask.type, self.vector]
        )
        load = cgutils.get_or_insert_function(self.builder.module, kind, name)
        rest = ir.Constant(self.vector, None)
        return self.builder.call(load, [self._at(start), ir.Constant(_I32, self.align), mask, rest])


def _first_lanes(builder, count):
    """The mask of the lanes below `count`."""
    counts = ir.VectorType(count.type, LANES)
    numbers = ir.Constant(counts, list(range(LANES)))
    one = builder.insert_element(ir.Constant(counts, ir.Undefined), count, _I32(0))
    every = builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(_I32, LANES), [0] * LANES))
    return builder.icmp_signed("<", numbers, every)


def _sum_of_products(builder, length, products_whole, products_masked):
    """Add up groups of eight products lane by lane, then the lanes by halves."""
    index = length.type
    sums = cgutils.alloca_once_value(builder, ir.Constant(_SUMS, [0.0] * LANES))

    def add(products):
        builder.store(builder.fadd(builder.load(sums), products), sums)

    full = builder.and_(length, ir.Constant(index, -LANES))
    with cgutils.for_range_slice(builder, index(0), full, index(LANES), index) as (start, _):
        add(products_whole(start))
    with builder.if_then(builder.icmp_signed("<", full, length)):
        add(products_masked(full, _first_lanes(builder, builder.sub(length, full))))

    total = builder.load(sums)
    lanes = [builder.extract_element(total, _I32(k)) for k in range(LANES)]
    while len(lanes) > 1:
        half = len(lanes) // 2
        lanes = [builder.fadd(lanes[k], lanes[k + half]) for k in range(half)]
    return lanes[0]


def _widen(builder, vector):
    return vector if vector.type == _SUMS else builder.fpext(vector, _SUMS)


@intrinsic
def lane_dot(typingctx, x, w):
    def codegen(context, builder, signature, args):
        left, right = (
            _Loader(context, builder, kind, value)
            for kind, value in zip(signature.args, args, strict=True)
        )

        def product(a, b):
            return builder.fmul(_widen(builder, a), _widen(builder, b))

        return _sum_of_products(
            builder,
            left.length(),
            lambda start: product(left.whole(start), right.whole(start)),
            lambda start, mask: product(left.masked(start, mask), right.masked(start, mask)),
        )

    return types.float64(x, w), codegen


@intrinsic
def lane_dot_at(typingctx, x, at, w):
    def codegen(context, builder, signature, args):
        left, places, right = (
            _Loader(context, builder, kind, value)
            for kind, value in zip(signature.args, args, strict=True)
        )
        index = left.length().type

        def product(a, where):
            gathered = ir.Constant(_SUMS, ir.Undefined)
            for k in range(LANES):
                place = builder.extract_element(where, _I32(k))
                if place.type.width < index.width:
                    place = builder.zext(place, index)
                item = builder.load(builder.gep(right.array.data, [place]))
                gathered = builder.insert_element(gathered, item, _I32(k))
            return builder.fmul(_widen(builder, a), gathered)

        return _sum_of_products(
            builder,
            left.length(),
            lambda start: product(left.whole(start), places.whole(start)),
            lambda start, mask: product(left.masked(start, mask), places.masked(start, mask)),
        )

    return types.float64(x, at, w), codegen
