"""Inner products whose rounding is specified, at the speed of ones whose rounding is not.

    lane_dot(x, i, w, j, n)        Σ_{p<n} x[i + p]·w[j + p]
    lane_dot_at(x, at, i, w, n)    Σ_{p<n} x[i + p]·w[at[i + p]]
    four_lane_dots(x, i, w, j, n)  lane_dot(w, j + k·n, x, i, n) for k = 0, 1, 2, 3, in one loop,
                                   so that no sum waits for the one before it

(x, at and w are C-ordered arrays of any shape, indexed as if they were flat: a slice would cost
more than the sum, since Numba counts references to it.)

Definition    Lane k of eight adds the products at positions k, k+8, k+16, … in that order,
              starting from 0; then lanes k and k+4 are added, then k and k+2, then k and
              k+1. Each product and each sum is rounded once to float64 (no fused
              multiply-add); float32 values are widened first, which is exact.
Why           `fastmath` lets the compiler choose the order, so the last bits depend on the
              processor. Here they do not: a run can be replayed bit for bit on any machine,
              and in plain NumPy (`certo.certificates.runs.perceptron_run.replay`), which lets an
              auditor check what a run did.
How           The eight lanes are one LLVM vector. The last, partial group of eight is read
              under a mask, its missing products being 0, which changes no sum.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from certo.numbers.lanes import LANES

# Rows are read one after the other, so what comes soon is fetched now. The processor does this by
# itself, but not across pages; 1.5 kB ahead took 5 to 10 % off an epoch of 500,000 × 54 numbers.
PREFETCH_BYTES = 1536

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
        later = self.builder.gep(place, [start.type(PREFETCH_BYTES)])
        self.builder.call(fetch, [later, _I32(0), _I32(0), _I32(1)])  # To read, once, data.

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


def _sums_of_products(builder, length, count, products_whole, products_masked):
    """Add up groups of eight products lane by lane, then the lanes by halves; `count` sums, side
    by side."""
    index = length.type
    zero = ir.Constant(_SUMS, [0.0] * LANES)
    sums = [cgutils.alloca_once_value(builder, zero) for _ in range(count)]

    def add(each):
        for so_far, products in zip(sums, each, strict=True):
            builder.store(builder.fadd(builder.load(so_far), products), so_far)

    full = builder.and_(length, ir.Constant(index, -LANES))
    with cgutils.for_range_slice(builder, index(0), full, index(LANES), index) as (start, _):
        add(products_whole(start))
    with builder.if_then(builder.icmp_signed("<", full, length)):
        add(products_masked(full, _first_lanes(builder, builder.sub(length, full))))

    totals = [builder.load(so_far) for so_far in sums]
    return _four_totals(builder, totals) if count == 4 else [_total(builder, totals[0])]


def _total(builder, sums):
    lanes = [builder.extract_element(sums, _I32(k)) for k in range(LANES)]
    while len(lanes) > 1:
        half = len(lanes) // 2
        lanes = [builder.fadd(lanes[k], lanes[k + half]) for k in range(half)]
    return lanes[0]


def _four_totals(builder, sums):
    """The same sums of the same lanes, for four vectors at once."""

    def pick(a, b, lanes):
        return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(_I32, len(lanes)), lanes))

    fours = [builder.fadd(pick(v, v, [0, 1, 2, 3]), pick(v, v, [4, 5, 6, 7])) for v in sums]
    pairs = [
        builder.fadd(pick(a, b, [0, 1, 4, 5]), pick(a, b, [2, 3, 6, 7]))
        for a, b in (fours[:2], fours[2:])
    ]
    a, b = pairs
    total = builder.fadd(pick(a, b, [0, 2, 4, 6]), pick(a, b, [1, 3, 5, 7]))
    return [builder.extract_element(total, _I32(k)) for k in range(4)]


def _widen(builder, vector):
    return vector if vector.type == _SUMS else builder.fpext(vector, _SUMS)


def _index(context, builder, kind, value):
    return context.cast(builder, value, kind, types.intp)


def _dense_code(ahead: bool, several: int = 0):
    def codegen(context, builder, signature, args):
        kinds = signature.args
        start, other, count = (_index(context, builder, kinds[k], args[k]) for k in (1, 3, 4))
        left = _Loader(context, builder, kinds[0], args[0], start)
        rights = []
        for _ in range(several or 1):
            rights.append(_Loader(context, builder, kinds[2], args[2], other))
            other = builder.add(other, count)

        def products(a, each):
            return [builder.fmul(_widen(builder, a), _widen(builder, b)) for b in each]

        def whole(p):
            if ahead:
                left.fetch_ahead(p)
            return products(left.whole(p), [right.whole(p) for right in rights])

        def masked(p, mask):
            return products(left.masked(p, mask), [right.masked(p, mask) for right in rights])

        totals = _sums_of_products(builder, count, len(rights), whole, masked)
        if not several:
            return totals[0]
        return context.make_tuple(builder, signature.return_type, totals)

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
            return [builder.fmul(_widen(builder, a), gathered)]

        def masked_places(p, mask):
            some = places.masked(p, mask)
            return (builder.extract_element(some, _I32(k)) for k in range(LANES))

        def whole(p):
            if ahead:
                left.fetch_ahead(p)
                places.fetch_ahead(p)
            return product(left.whole(p), places.items(p))

        return _sums_of_products(
            builder,
            count,
            1,
            whole,
            lambda p, mask: product(left.masked(p, mask), masked_places(p, mask)),
        )[0]

    return codegen


@intrinsic
def lane_dot(typingctx, x, i, w, j, n):
    return types.float64(x, i, w, j, n), _dense_code(ahead=True)


@intrinsic
def four_lane_dots(typingctx, x, i, w, j, n):
    result = types.UniTuple(types.float64, 4)
    return result(x, i, w, j, n), _dense_code(ahead=True, several=4)


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
