"""Inner products whose rounding is specified, at the speed of ones whose rounding is not.

    lane_dot(x, i, w, j, n)        Σ_{p<n} x[i + p]·w[j + p]
    lane_dot_at(x, at, i, w, n)    Σ_{p<n} x[i + p]·w[at[i + p]]

(x, at and w are C-ordered arrays of any shape, indexed as if they were flat: a slice would cost
more than the sum, since Numba counts references to it.)

Definition    Lane k of eight adds the products at positions k, k+8, k+16, … in that order,
              starting from 0; then lanes k and k+4 are added, then k and k+2, then k and
              k+1. Each product and each sum is rounded once to float64 (no fused
              multiply-add); float32 values are widened first, which is exact.
Why           `fastmath` lets the compiler choose the order, so the last bits depend on the
              processor. Here they do not: a run can be replayed bit for bit on any machine,
              and in plain NumPy (`certo.certificates.perceptron_run.replay`), which lets an
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
# Rows are read one after the other, so what comes soon is fetched now. The processor does this by
# itself, but not across pages; 1.5 kB ahead took 5 to 10 % off an epoch of 500,000 × 54 numbers.
AHEAD = 1536

_I32 = ir.IntType(32)
_F64 = ir.DoubleType()
_SUMS = ir.VectorType(_F64, LANES)


def _name(element) -> str:
    if isinstance(element, ir.IntType):
        return f"i{element.width}"
    return "f64" if element == _F64 else "f32"


class _Loader:
    """Reads eight consecutive items of an array, whole or under a mask."""

    def __init__(self, context, builder, array_type, value, offset=None):
        self.builder, self.offset = builder, offset
        self.array = context.make_array(array_type)(context, builder, value)
        self.vector = ir.VectorType(context.get_data_type(array_type.dtype), LANES)
        self.align = context.get_abi_sizeof(self.vector.element)

    def _at(self, start):
        if self.offset is not None:
            start = self.builder.add(start, self.offset)
        place = self.builder.gep(self.array.data, [start])
        return self.builder.bitcast(place, self.vector.as_pointer())

    def items(self, start):
        """The eight one by one: faster than a vector where each is an address."""
        for k in range(LANES):
            here = self.builder.add(start, start.type(k))
            if self.offset is not None:
                here = self.builder.add(here, self.offset)
            yield self.builder.load(self.builder.gep(self.array.data, [here]))

    def whole(self, start):
        return self.builder.load(self._at(start), align=self.align)

    def fetch_ahead(self, start):
        byte = ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [byte, _I32, _I32, _I32])
        fetch = cgutils.get_or_insert_function(self.builder.module, kind, "llvm.prefetch.p0")
        place = self.builder.bitcast(self._at(start), byte)
        later = self.builder.gep(place, [start.type(AHEAD)])
        self.builder.call(fetch, [later, _I32(0), _I32(0), _I32(1)])  # to read, once, data

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


def _index(context, builder, kind, value):
    return context.cast(builder, value, kind, types.intp)


def _dense_code(ahead: bool):
    def codegen(context, builder, signature, args):
        kinds = signature.args
        start, other, count = (_index(context, builder, kinds[k], args[k]) for k in (1, 3, 4))
        left = _Loader(context, builder, kinds[0], args[0], start)
        right = _Loader(context, builder, kinds[2], args[2], other)

        def product(a, b):
            return builder.fmul(_widen(builder, a), _widen(builder, b))

        def whole(p):
            if ahead:
                left.fetch_ahead(p)
            return product(left.whole(p), right.whole(p))

        return _sum_of_products(
            builder,
            count,
            whole,
            lambda p, mask: product(left.masked(p, mask), right.masked(p, mask)),
        )

    return codegen


def _gathering_code(ahead: bool):
    def codegen(context, builder, signature, args):
        kinds = signature.args
        start, count = (_index(context, builder, kinds[k], args[k]) for k in (2, 4))
        left = _Loader(context, builder, kinds[0], args[0], start)
        places = _Loader(context, builder, kinds[1], args[1], start)
        right = _Loader(context, builder, kinds[3], args[3])

        def product(a, where):
            gathered = ir.Constant(_SUMS, ir.Undefined)
            for k, place in enumerate(where):
                if place.type.width < count.type.width:
                    place = builder.zext(place, count.type)
                item = builder.load(builder.gep(right.array.data, [place]))
                gathered = builder.insert_element(gathered, item, _I32(k))
            return builder.fmul(_widen(builder, a), gathered)

        def masked_places(p, mask):
            some = places.masked(p, mask)
            return (builder.extract_element(some, _I32(k)) for k in range(LANES))

        def whole(p):
            if ahead:
                left.fetch_ahead(p)
                places.fetch_ahead(p)
            return product(left.whole(p), places.items(p))

        return _sum_of_products(
            builder,
            count,
            whole,
            lambda p, mask: product(left.masked(p, mask), masked_places(p, mask)),
        )

    return codegen


@intrinsic
def lane_dot(typingctx, x, i, w, j, n):
    return types.float64(x, i, w, j, n), _dense_code(ahead=True)


@intrinsic
def lane_dot_at(typingctx, x, at, i, w, n):
    return types.float64(x, at, i, w, n), _gathering_code(ahead=True)


@intrinsic
def lone_lane_dot(typingctx, x, i, w, j, n):
    """The same sum where the next to be read is elsewhere: nothing is fetched ahead."""
    return types.float64(x, i, w, j, n), _dense_code(ahead=False)


@intrinsic
def lone_lane_dot_at(typingctx, x, at, i, w, n):
    return types.float64(x, at, i, w, n), _gathering_code(ahead=False)
