"""Sums and products of short float32 rows, written so that they are vectorised without reordering a sum.

A computed index is tested for being negative, which keeps a loop from being vectorised; so rows are sliced before it.
"""

from __future__ import annotations

import numpy as np

from graphs.arrays import Float32Array
from graphs.layout import LANES
from problems.simulator.jit import jit

ZERO = np.float32(0.0)


@jit
def add_product(weights: Float32Array, at: int, stride: int, x: Float32Array, out: Float32Array) -> None:
    """Add ``x W`` to ``out``, four inputs at a time; W has rows of ``stride`` numbers."""
    count, whole = len(out), len(x) - len(x) % 4
    for column in range(0, whole, 4):
        row = at + column * stride
        a, b, c, d = x[column], x[column + 1], x[column + 2], x[column + 3]
        first, second = weights[row : row + count], weights[row + stride : row + stride + count]
        row += 2 * stride
        third, fourth = weights[row : row + count], weights[row + stride : row + stride + count]
        for unit in range(count):
            out[unit] += a * first[unit] + b * second[unit] + c * third[unit] + d * fourth[unit]
    for column in range(whole, len(x)):
        add_scaled(weights, at + column * stride, x[column], out)


@jit
def add_products(
    weights: Float32Array,
    at: int,
    stride: int,
    x: Float32Array,
    y: Float32Array,
    out_x: Float32Array,
    out_y: Float32Array,
) -> None:
    """`add_product` for two rows at once, whose lengths are multiples of four: each weight is loaded once.

    Unsigned indices need no test for negative ones; for short rows they are quicker than slices.
    """
    count, step = np.uint64(len(out_x)), np.uint64(stride)
    for column in range(0, len(x), 4):
        first = np.uint64(at + column * stride)
        second, third, fourth = first + step, first + step + step, first + step + step + step
        a, b, c, d = x[column], x[column + 1], x[column + 2], x[column + 3]
        e, f, g, h = y[column], y[column + 1], y[column + 2], y[column + 3]
        for unit in range(count):
            p, q = weights[first + unit], weights[second + unit]
            r, s = weights[third + unit], weights[fourth + unit]
            out_x[unit] += a * p + b * q + c * r + d * s
            out_y[unit] += e * p + f * q + g * r + h * s


@jit
def start(weights: Float32Array, at: int, out: Float32Array) -> None:
    """Begin a sum with a bias."""
    bias = weights[at : at + len(out)]
    for unit in range(len(out)):
        out[unit] = bias[unit]


@jit
def add_scaled(weights: Float32Array, at: int, factor: np.float32, out: Float32Array) -> None:
    """Add ``factor`` times a row of the weights to ``out``."""
    row = weights[at : at + len(out)]
    for unit in range(len(out)):
        out[unit] += factor * row[unit]


@jit
def cut(out: Float32Array) -> None:
    """The positive part of each number."""
    for unit in range(len(out)):
        out[unit] = max(out[unit], ZERO)


@jit
def dot(weights: Float32Array, at: int, x: Float32Array, lanes: Float32Array) -> np.float32:
    """Product of two vectors in eight partial sums, which are added at the end."""
    lanes[:] = ZERO
    for block in range(0, len(x), LANES):
        part, numbers = weights[at + block : at + block + LANES], x[block : block + LANES]
        for lane in range(LANES):
            lanes[lane] += part[lane] * numbers[lane]
    return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]))


@jit
def mix(source: Float32Array, target: Float32Array, out: Float32Array) -> None:
    """Write the sum of two rows to ``out``."""
    for unit in range(len(out)):
        out[unit] = source[unit] + target[unit]


@jit
def copy(source: Float32Array, out: Float32Array) -> None:
    """Copy a row to the beginning of another."""
    for unit in range(len(source)):
        out[unit] = source[unit]
