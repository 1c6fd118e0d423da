"""Work space of the compiled forward."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from graphs.arrays import Float32Array, Graph
from graphs.layout import (
    LANES,
    MAP_BLOCK,
    MAP_COUNT,
    SUM_BLOCK,
    Sizes,
    map_table,
    relation_table,
)
from graphs.schema import NODE_FEATURES, NODE_TYPES
from problems.instance import IntArray

NUM_BLOCKS = int((map_table()[:, MAP_BLOCK] + map_table()[:, MAP_COUNT]).max())
"""Most maps that start from a node."""

NUM_SUMS = int(relation_table()[:, SUM_BLOCK].max()) + 1
"""Most relations that lead to a node."""

# Room.key
KEY_NOW, KEY_ROWS = 0, 1
_WIDTHS = np.array([len(NODE_FEATURES[node]) for node in NODE_TYPES])


class Room(NamedTuple):
    """Work space of the forward, and its result; nodes are numbered as in `graphs.arrays.Graph`.

    Attributes
    ----------
    key : int64 [2]
        Instant and number of commitments of the encoded state; the instant is -1 where nothing is encoded.
    nodes : float32 [N, D]
        Embeddings before the last layer; those of agents after it.
    final : float32 [N, D]
        Embeddings of tasks after the last layer, where ``is_final``.
    is_final, wanted, needed, every : int64 [N]
        Tasks whose last layer is computed, is to be computed, and is a source for that; ones.
    maps : float32 [N, 12 D]
        Each node under the maps that start from it.
    sums : float32 [N, 7 D]
        Embedding of each node, then the messages to it, summed by relation.
    message, strength : float32 [M, D], [M]
        Messages of one relation and their logits.
    degree, top, total : int64 [N], float32 [N], float32 [N]
        Edges of one relation at each target, their largest logit, and the sum of their exponentials.
    hidden : float32 [2, max(D, H)]
    chosen : int64 [N]
        List of the nodes that are computed together.
    spare : float32 [12 D]
        Where the second result goes if a list is odd.
    head : float32 [N, H]
        Share of each node in the hidden units of the actor head.
    wait : float32 [A]
        Scores of waiting.
    lanes : float32 [8]
        Partial sums.
    spans : int64 [3, 2]
        First and last of the blocks of ``sums`` that hold something.
    widths : int64 [3]
        Number of features of each type of node.
    """

    key: IntArray
    nodes: Float32Array
    final: Float32Array
    is_final: IntArray
    wanted: IntArray
    needed: IntArray
    every: IntArray
    maps: Float32Array
    sums: Float32Array
    message: Float32Array
    strength: Float32Array
    degree: IntArray
    top: Float32Array
    total: Float32Array
    hidden: Float32Array
    chosen: IntArray
    spare: Float32Array
    head: Float32Array
    wait: Float32Array
    lanes: Float32Array
    spans: IntArray
    widths: IntArray


def new_room(graph: Graph, sizes: Sizes) -> Room:
    """Work space for graphs in the room of ``graph``."""
    num_nodes, num_edges, width, head = len(graph.rows), len(graph.edges), sizes.width, sizes.head

    def rows(*shape: int) -> Float32Array:
        return np.zeros(shape, np.float32)

    return Room(
        key=np.full(2, -1, np.int64),
        nodes=rows(num_nodes, width),
        final=rows(num_nodes, width),
        is_final=np.zeros(num_nodes, np.int64),
        wanted=np.zeros(num_nodes, np.int64),
        needed=np.zeros(num_nodes, np.int64),
        every=np.ones(num_nodes, np.int64),
        maps=rows(num_nodes, NUM_BLOCKS * width),
        sums=rows(num_nodes, (1 + NUM_SUMS) * width),
        message=rows(num_edges, width),
        strength=rows(num_edges),
        degree=np.zeros(num_nodes, np.int64),
        top=rows(num_nodes),
        total=rows(num_nodes),
        hidden=rows(2, max(width, head)),
        chosen=np.zeros(num_nodes, np.int64),
        spare=rows(NUM_BLOCKS * width),
        head=rows(num_nodes, head),
        wait=rows(len(graph.agent_totals)),
        lanes=rows(LANES),
        spans=np.zeros((3, 2), np.int64),
        widths=_WIDTHS.copy(),
    )
