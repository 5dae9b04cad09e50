"""exp, log and sin/cos as plain polynomial arithmetic, so that LLVM can turn loops into vectors.

Numba's wheels bring no vector math library: a loop that calls ``math.exp`` runs one element at a
time. A polynomial after an exact range reduction vectorises. The coefficients are Chebyshev
least-squares fits of the named degree; the tests measure their accuracy over the whole range.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

scalar = njit(fastmath={"contract"}, error_model="numpy", nogil=True, forceinline=True)
"""Decorator of the scalar functions that kernels call: a*b+c may fuse, nothing may reorder."""


def _bitcast(source: Any, target: Any, llvm_target: ir.Type) -> Any:
    """An intrinsic that reads the bits of one type as another (no memory traffic)."""

    @intrinsic
    def cast(typingctx: Any, value: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.bitcast(args[0], llvm_target)

        return target(source), codegen

    return cast


_float32_of_bits = _bitcast(types.int32, types.float32, ir.FloatType())
_bits_of_float32 = _bitcast(types.float32, types.int32, ir.IntType(32))
_float64_of_bits = _bitcast(types.int64, types.float64, ir.DoubleType())
_bits_of_float64 = _bitcast(types.float64, types.int64, ir.IntType(64))

_LOG2_E = 1.4426950408889634
# ln 2 in two pieces; the first has so many trailing zero bits that k * high is exact.
_LN2_HIGH = 6.93147180369123816490e-01
_LN2_LOW = 1.90821492927058770002e-10
# Adding 1.5 * 2**52 rounds to the nearest whole number and leaves it in the low mantissa bits,
# where it can be read without a conversion to integer (AVX2 has none for 64 bits).
_ROUND = 6755399441055744.0


@scalar
def choose(condition: bool, yes: Any, no: Any) -> Any:
    """``yes if condition else no``, as a name that arrays can be given another meaning for."""
    return yes if condition else no


@scalar
def exp(x: float) -> float:
    """e**x in double precision, relative error below 1e-15; saturates beyond ±708."""
    x = min(max(x, -708.0), 708.0)
    shifted = x * _LOG2_E + _ROUND
    k = shifted - _ROUND
    r = (x - k * _LN2_HIGH) - k * _LN2_LOW
    # e**r on |r| <= ln(2)/2, degree 10
    p = 2.72493936511847e-07
    p = p * r + 2.763734424740441e-06
    p = p * r + 2.4802491694739456e-05
    p = p * r + 0.00019841177247933197
    p = p * r + 0.0013888888046063963
    p = p * r + 0.008333333380779136
    p = p * r + 0.041666666669775
    p = p * r + 0.16666666666560384
    p = p * r + 0.4999999999999606
    p = p * r + 1.0000000000000084
    p = p * r + 1.0
    two_to_k = _float64_of_bits((_bits_of_float64(shifted) + np.int64(1023)) << np.int64(52))
    return p * two_to_k


def _two_to_the(typingctx: Any, shifted: Any) -> Any:
    """2**k in single precision, where ``shifted`` is k + 1.5 * 2**23; 0 for k = -127."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        singles, ints = args[0].type, ir.IntType(32)
        bias, place = ir.Constant(ints, 127), ir.Constant(ints, 23)
        if isinstance(singles, ir.VectorType):  # a lane of numbers, see `synsamp.spiking.lanes`
            count = singles.count
            ints = ir.VectorType(ints, count)
            bias, place = ir.Constant(ints, [127] * count), ir.Constant(ints, [23] * count)
        exponent = builder.add(builder.bitcast(args[0], ints), bias)
        return builder.bitcast(builder.shl(exponent, place), singles)

    return shifted(shifted), codegen


two_to_the: Any = intrinsic(_two_to_the)
_ROUND_SINGLE = np.float32(1.5 * 2.0**23)
# ln 2 in two pieces, as above
_LN2_SINGLE_HIGH = np.float32(0.693359375)
_LN2_SINGLE_LOW = np.float32(-2.12194440e-4)


@scalar
def exp_single(x: Any) -> Any:
    """e**x in single precision, relative error below 3e-7; 0 below -88, saturates above 88."""
    x = min(max(x, np.float32(-88.1)), np.float32(88.0))  # -88.1 is rounded to k = -127
    shifted = x * np.float32(_LOG2_E) + _ROUND_SINGLE
    k = shifted - _ROUND_SINGLE
    r = (x - k * _LN2_SINGLE_HIGH) - k * _LN2_SINGLE_LOW
    # e**r on |r| <= ln(2)/2, degree 5
    p = np.float32(0.008291708378521617) * r + np.float32(0.04191507784222276)
    p = p * r + np.float32(0.16667663235120642)
    p = p * r + np.float32(0.4999889864058842)
    p = p * r + np.float32(0.9999996659625467)
    p = p * r + np.float32(1.0000000710715011)
    return p * two_to_the(shifted)


@scalar
def exp_up_to_4(x: Any) -> Any:
    """e**x for 0 <= x <= 4 in single precision, relative error below 1e-6, in fewer steps."""
    # e**(x/4), degree 6
    p = np.float32(5.540832230131393e-07) * x + np.float32(6.9062294745000485e-06)
    p = p * x + np.float32(0.00016608621376763767)
    p = p * x + np.float32(0.002599683969348605)
    p = p * x + np.float32(0.03125281027637848)
    p = p * x + np.float32(0.2499993561709703)
    p = p * x + np.float32(1.000000023300472)
    square = p * p
    return square * square


@scalar
def log_uniform(u: np.float32) -> np.float32:
    """ln u in single precision for 0 < u <= 1 (normal numbers), relative error about 1e-7."""
    bits = _bits_of_float32(u)
    # Split u = 2**e * m with m in [sqrt(1/2), sqrt(2)), so that f = m - 1 is small.
    e = np.int32(np.int32(bits - np.int32(0x3F3504F3)) >> np.int32(23))
    m = _float32_of_bits(np.int32(bits - np.int32(e << np.int32(23))))
    f = np.float32(m - np.float32(1.0))
    p = np.float32(-0.07638592446468165)
    p = p * f + np.float32(0.12914170309664208)
    p = p * f + np.float32(-0.13240842687976595)
    p = p * f + np.float32(0.14180078720222258)
    p = p * f + np.float32(-0.1660912650565251)
    p = p * f + np.float32(0.20002071674736652)
    p = p * f + np.float32(-0.2500158512302446)
    p = p * f + np.float32(0.33333324023640737)
    p = p * f + np.float32(-0.49999988294141995)
    p = p * f + np.float32(1.0)
    return p * f + np.float32(e) * np.float32(0.6931471805599453)


@scalar
def cos_quarter(t: np.float32) -> np.float32:
    """cos(π t / 2) for |t| <= 1/2 in single precision."""
    s = t * t
    p = np.float32(0.0009036298783860097)
    p = p * s + np.float32(-0.020860070406215295)
    p = p * s + np.float32(0.2536692037966485)
    p = p * s + np.float32(-1.233700540640236)
    return p * s + np.float32(0.9999999999525445)


@scalar
def sin_quarter(t: np.float32) -> np.float32:
    """sin(π t / 2) for |t| <= 1/2 in single precision."""
    s = t * t
    p = np.float32(0.00015820651323084078)
    p = p * s + np.float32(-0.004681266361364778)
    p = p * s + np.float32(0.07969258274192335)
    p = p * s + np.float32(-0.6459640961476032)
    return t * (p * s + np.float32(1.570796326788106))
