"""Sizes of the network and where each of its tensors lies in one flat array.

The tensors bear the names of the torch module (`graphs.encoder.AgentTaskNetwork`). The compiled forward multiplies a
node by all the maps that start from it at once, so their columns lie side by side in the flat array.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from graphs.arrays import MEMBERS, NEAR, PAIRS, PRECEDENCES, RELATION_KINDS, Float32Array
from graphs.schema import EDGE_FEATURES, EDGE_TYPES, NODE_FEATURES, NODE_TYPES, NUM_FEATURES
from problems.instance import IntArray

RELATIONS = tuple(relation for _, relation, _ in EDGE_TYPES)
NUM_RELATIONS, NUM_NODE_TYPES = len(RELATIONS), len(NODE_TYPES)
INCOMING = {node: tuple(relation for _, relation, target in EDGE_TYPES if target == node) for node in NODE_TYPES}
"""Relations that lead to each type of node, in the order in which their sums are concatenated."""

LANES = 8
"""Widths are multiples of this, so that compiled loops over them need no remainder."""

# The head of a flat array and of a layout. In the array the tensors follow, in the layout the offset of each slot.
VERSION, WIDTH, LAYERS, HEAD, MESSAGES, OFFSETS = range(6)
LAYOUT_VERSION = 2
"""Of this module and of the graph that a network was trained on: 2 links alike agents only if they are free."""
# Slots outside the layers: embeddings by node type, the actor head, the head for waiting.
ACTOR_AGENT, ACTOR_TASK, ACTOR_ROW, ACTOR_OUT, WAIT_AGENT, WAIT_OUT = range(NUM_NODE_TYPES, NUM_NODE_TYPES + 6)
FIRST_LAYER = NUM_NODE_TYPES + 6
# Slots of a layer: maps that start from nodes, then by relation, then by type of node.
MAPS = 0
NUM_MAPS = 5
EDGE = MAPS + NUM_MAPS
UPDATE = EDGE + NUM_RELATIONS
OUTPUT = UPDATE + NUM_NODE_TYPES
LAYER_SLOTS = OUTPUT + NUM_NODE_TYPES

_MAPS = (
    ("agent", PAIRS, ("source can_do", "target done_by")),
    ("job", MEMBERS, ("source has", "target part_of")),
    ("task", MEMBERS, ("target can_do", "target has", "source done_by", "source part_of")),
    ("task", PRECEDENCES, ("target precedes", "target follows", "source precedes", "source follows")),
    ("task", NEAR, ("target near", "target near_to", "source near", "source near_to")),
)
"""Maps that lie side by side: type of node, the kind of edges without which they are not needed, and what they are."""

CORE = 2
"""The entry of the maps that every task needs."""

CORE_TARGETS, CORE_DONE_BY = 2, 2
"""Its first maps are those of a target; the place of the map that sends to agents."""

# Columns of Network.maps
MAP_NODE, MAP_KIND, MAP_BLOCK, MAP_COUNT = range(4)
# Columns of Network.relations
KIND, SIDE, TARGET_TYPE, SOURCE_BLOCK, TARGET_BLOCK, SUM_BLOCK, NUM_COLUMNS = range(7)


def map_table() -> IntArray:
    """Type of node, kind of edges, first block and number of blocks of each entry of the maps, int64 [5, 4]."""
    rows, used = [], dict.fromkeys(NODE_TYPES, 0)
    for node, kind, names in _MAPS:
        rows.append([NODE_TYPES.index(node), kind, used[node], len(names)])
        used[node] += len(names)
    return np.array(rows, np.int64)


def relation_table() -> IntArray:
    """What the compiled forward must know of each relation, int64 [8, 7]; see the columns above."""
    rows, blocks = [], {}
    for (_, _, names), (_, _, first, _) in zip(_MAPS, map_table(), strict=True):
        blocks.update({name: first + place for place, name in enumerate(names)})
    for _, relation, target in EDGE_TYPES:
        kind, side = RELATION_KINDS[relation]
        ends = (blocks[f"source {relation}"], blocks[f"target {relation}"])
        place = INCOMING[target].index(relation)
        rows.append([kind, side, NODE_TYPES.index(target), *ends, place, len(EDGE_FEATURES[relation])])
    return np.array(rows, np.int64)


@dataclass(frozen=True)
class Sizes:
    """Sizes of an agent-task network.

    Attributes
    ----------
    width
        Numbers per node embedding, a multiple of 8.
    layers
        Rounds of messages, at least 1.
    head
        Hidden units of the heads, a multiple of 8.
    messages
        Whether messages are passed; without them every embedding depends on its own node only.

    Raises
    ------
    ValueError
        If a size is not of that kind.
    """

    width: int = 16
    layers: int = 2
    head: int = 16
    messages: bool = True

    def __post_init__(self) -> None:
        for name in ("width", "head"):
            if getattr(self, name) < LANES or getattr(self, name) % LANES:
                raise ValueError(f"{name} must be a positive multiple of {LANES}, got {getattr(self, name)}")
        if self.layers < 1:
            raise ValueError(f"layers must be at least 1, got {self.layers}")


class Network(NamedTuple):
    """A network as the compiled forward sees it.

    Attributes
    ----------
    weights : float32 [*]
        The flat array: version, width, layers, head, messages, then all tensors.
    layout : int64 [*]
        The same header, then the offset of each slot.
    maps : int64 [5, 4]
        See `map_table`.
    relations : int64 [8, 7]
        See `relation_table`.
    """

    weights: Float32Array
    layout: IntArray
    maps: IntArray
    relations: IntArray


NO_NETWORK = np.zeros(0, np.float32)
"""The flat array of no network."""


class _Block(NamedTuple):
    """A matrix of the flat array: its slot (-1: follows the block before), the names of its columns, its shape."""

    slot: int
    names: tuple[str | None, ...]
    rows: int
    columns: int


def _linear(slot: int, name: str, rows: int, columns: int) -> Iterator[_Block]:
    yield _Block(slot, (f"{name}.weight",), rows, columns)
    yield _Block(-1, (f"{name}.bias",), 1, columns)


def _layer_blocks(first: int, layer: int, width: int) -> Iterator[_Block]:
    name = f"layers.{layer}"
    for number, (_, _, maps) in enumerate(_MAPS):
        ends = [tuple(end.split()) for end in maps]
        yield _Block(first + MAPS + number, tuple(f"{name}.{end}.{rel}" for end, rel in ends), width, width)
        yield _Block(-1, tuple(f"{name}.bias.{rel}" if end == "target" else None for end, rel in ends), 1, width)
    for number, relation in enumerate(RELATIONS):
        yield _Block(first + EDGE + number, (f"{name}.attention.{relation}",), 1, width)
        yield _Block(-1, (f"{name}.edge.{relation}",), len(EDGE_FEATURES[relation]), width)
    for number, node in enumerate(NODE_TYPES):
        yield from _linear(first + UPDATE + number, f"{name}.update.{node}", (1 + len(INCOMING[node])) * width, width)
        yield from _linear(first + OUTPUT + number, f"{name}.output.{node}", width, width)


def _blocks(sizes: Sizes) -> Iterator[_Block]:
    width, head = sizes.width, sizes.head
    for number, node in enumerate(NODE_TYPES):
        yield from _linear(number, f"embed.{node}", len(NODE_FEATURES[node]), width)
    yield from _linear(ACTOR_AGENT, "actor_agent", width, head)
    yield _Block(ACTOR_TASK, ("actor_task.weight",), width, head)
    yield _Block(ACTOR_ROW, ("actor_row.weight",), NUM_FEATURES, head)
    yield _Block(ACTOR_OUT, ("actor_out.weight",), head, 1)
    yield _Block(-1, ("actor_out.bias",), 1, 1)
    yield from _linear(WAIT_AGENT, "wait_agent", width, head)
    yield _Block(WAIT_OUT, ("wait_out.weight",), head, 1)
    yield _Block(-1, ("wait_out.bias",), 1, 1)
    for layer in range(sizes.layers):
        yield from _layer_blocks(FIRST_LAYER + layer * LAYER_SLOTS, layer, width)


def tensor_shapes(sizes: Sizes) -> dict[str, tuple[int, int]]:
    """Rows and columns of every tensor by name; biases and attention vectors are single rows."""
    return {name: (block.rows, block.columns) for block in _blocks(sizes) for name in block.names if name is not None}


def pack(tensors: Mapping[str, np.ndarray], sizes: Sizes) -> Float32Array:
    """Flat array (float32 [*]) of named tensors: a header that tells the sizes, then the tensors.

    Raises
    ------
    ValueError
        If a tensor is missing, unknown, or of another size.
    """
    shapes = tensor_shapes(sizes)
    if set(tensors) != set(shapes):
        missing, unknown = sorted(set(shapes) - set(tensors)), sorted(set(tensors) - set(shapes))
        raise ValueError(f"the tensors do not fit {sizes}: missing {missing[:3]}, unknown {unknown[:3]}")
    for name, shape in shapes.items():
        if np.size(tensors[name]) != shape[0] * shape[1]:
            raise ValueError(f"{name} has shape {np.shape(tensors[name])}; {sizes} needs {shape}")
    flat = [np.array([LAYOUT_VERSION, sizes.width, sizes.layers, sizes.head, sizes.messages], np.float32)]
    for block in _blocks(sizes):
        shape = (block.rows, block.columns)
        parts = [np.zeros(shape) if name is None else np.reshape(tensors[name], shape) for name in block.names]
        flat.append(np.concatenate(parts, axis=1).astype(np.float32).ravel())
    return np.concatenate(flat)


def unpack(flat: Float32Array) -> dict[str, Float32Array]:
    """Named tensors of a flat array."""
    tensors, at = {}, OFFSETS
    for block in _blocks(sizes_of(flat)):
        size = block.rows * block.columns * len(block.names)
        matrix = flat[at : at + size].reshape(block.rows, len(block.names), block.columns)
        for number, name in enumerate(block.names):
            if name is not None:
                tensors[name] = matrix[:, number].copy()
        at += size
    return tensors


def open_network(flat: Float32Array) -> Network:
    """The flat array with the offset of each slot; nothing where it is empty.

    Raises
    ------
    ValueError
        If the array has another version or length than its header tells.
    """
    if len(flat) == 0:
        return Network(flat, np.zeros(0, np.int64), map_table(), relation_table())
    sizes, at = sizes_of(flat), OFFSETS
    layout = np.zeros(OFFSETS + FIRST_LAYER + sizes.layers * LAYER_SLOTS, np.int64)
    layout[:OFFSETS] = flat[:OFFSETS]
    for block in _blocks(sizes):
        if block.slot >= 0:
            layout[OFFSETS + block.slot] = at
        at += block.rows * block.columns * len(block.names)
    if at != len(flat):
        raise ValueError(f"the network holds {len(flat)} numbers; {sizes} needs {at}")
    return Network(np.array(flat, np.float32), layout, map_table(), relation_table())


def sizes_of(flat: Float32Array) -> Sizes:
    """Sizes written at the head of a flat array.

    Raises
    ------
    ValueError
        If it is empty or of another version.
    """
    if len(flat) < OFFSETS:
        raise ValueError("the priority carries no network; a graph priority needs one")
    if flat[VERSION] != LAYOUT_VERSION:
        raise ValueError(f"the network has layout {flat[VERSION]:g}; this version reads {LAYOUT_VERSION}")
    _, width, layers, head, messages = (int(number) for number in flat[:OFFSETS])
    return Sizes(width, layers, head, bool(messages))


def without_messages(flat: Float32Array) -> Float32Array:
    """The same network with its messages set to zero."""
    silent = flat.copy()
    silent[MESSAGES] = 0.0
    return silent


def scaled_heads(flat: Float32Array, share: float) -> Float32Array:
    """The same network with ``share`` of its scores."""
    tensors = unpack(flat)
    for head in ("actor_out", "wait_out"):
        for part in ("weight", "bias"):
            tensors[f"{head}.{part}"] *= np.float32(share)
    return pack(tensors, sizes_of(flat))


def initial_tensors(sizes: Sizes, seed: int) -> dict[str, Float32Array]:
    """Uniform weights within 1 / sqrt(rows); biases and the last layers of both heads are zero."""
    generator = np.random.default_rng(seed)
    tensors = {}
    for name, (rows, columns) in tensor_shapes(sizes).items():
        is_zero = "bias" in name or name in ("actor_out.weight", "wait_out.weight")
        scale = 0.0 if is_zero else 1.0 / np.sqrt(columns if "attention" in name else max(rows, 1))
        tensors[name] = (scale * generator.uniform(-1.0, 1.0, (rows, columns))).astype(np.float32)
    return tensors
