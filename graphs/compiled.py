"""The network in compiled code: the function of `graphs.encoder`, without torch and without allocation.

Nodes are rows and embeddings are contiguous, so that inner loops run over the units of one output and are vectorised
without reordering a sum. Maps of a node are multiplied once per node; an edge costs one sum of two rows, its own few
features and, where a node has several edges of a relation, one product with the attention vector. The last layer is
computed for all agents, but only for the tasks that a decision asks about.

A habit of numba shapes the code. A function is compiled anew for each literal argument; so node types,
relations and maps are looked up in tables, and constants that are passed on are of type int64.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graphs.arrays import END_NODE, FIRST_NODE, ON_TASK, Float32Array, Graph
from graphs.encode import encode
from graphs.layout import (
    ACTOR_AGENT,
    ACTOR_OUT,
    ACTOR_ROW,
    ACTOR_TASK,
    CORE,
    CORE_DONE_BY,
    CORE_TARGETS,
    EDGE,
    FIRST_LAYER,
    HEAD,
    KIND,
    LAYER_SLOTS,
    LAYERS,
    MAP_BLOCK,
    MAP_COUNT,
    MAP_KIND,
    MAP_NODE,
    MAPS,
    MESSAGES,
    NUM_COLUMNS,
    NUM_MAPS,
    NUM_NODE_TYPES,
    NUM_RELATIONS,
    OFFSETS,
    OUTPUT,
    SIDE,
    SOURCE_BLOCK,
    SUM_BLOCK,
    TARGET_BLOCK,
    TARGET_TYPE,
    UPDATE,
    WAIT_AGENT,
    WAIT_OUT,
    WIDTH,
    Network,
)
from graphs.products import ZERO, add_product, add_products, add_scaled, copy, cut, dot, mix, start
from graphs.room import KEY_NOW, KEY_ROWS, Room
from graphs.schema import NUM_FEATURES
from problems.instance import FloatArray, IntArray
from problems.simulator.arrays import NONE, NOW, NUM_OPEN, NUM_ROWS, Problem, State
from problems.simulator.jit import jit

ONE, LOWEST = np.float32(1.0), np.float32(-3e38)
CORE_ENTRY: Any = np.int64(CORE)
TASK_TYPE: Any = np.int64(ON_TASK)
NUM_CORE_TARGETS: Any = np.int64(CORE_TARGETS)
DONE_BY_BLOCK: Any = np.int64(CORE_DONE_BY)
NO_BLOCK: Any = np.int64(0)
ONE_BLOCK: Any = np.int64(1)


@jit
def forget(room: Room) -> None:
    """Make the next decision encode its state."""
    room.key[KEY_NOW] = -1


@jit
def look(problem: Problem, state: State, network: Network, graph: Graph, room: Room) -> None:
    """Encode ``state``, unless this was done earlier at the same instant."""
    now, rows = state.clock[NOW], state.clock[NUM_ROWS]
    if room.key[KEY_NOW] == now and room.key[KEY_ROWS] <= rows:
        return
    encode(problem, state, graph)
    embed(network, graph, room)
    room.wanted[:] = 0
    for slot in range(state.clock[NUM_OPEN]):
        node = graph.task_node[state.open[slot]]
        if node != NONE:
            room.wanted[node] = 1
    finish_tasks(network, graph, room)
    room.key[KEY_NOW], room.key[KEY_ROWS] = now, rows


@jit
def is_ready(graph: Graph, room: Room, task: int) -> bool:
    """Whether the last layer of ``task`` has been computed."""
    return room.is_final[graph.task_node[task]] != 0


@jit
def embed(network: Network, graph: Graph, room: Room) -> None:
    """All layers but the last for every node; the last for agents."""
    layout = network.layout
    room.is_final[:] = 0
    _embed_nodes(network, graph, room)
    for layer in range(layout[LAYERS]):
        first, is_last = FIRST_LAYER + layer * LAYER_SLOTS, layer == layout[LAYERS] - 1
        if layout[MESSAGES]:
            for entry in range(NUM_MAPS):
                if is_last and entry == CORE:
                    _map(network, first, entry, DONE_BY_BLOCK, ONE_BLOCK, graph, room, room.every)
                elif not is_last or entry < CORE:
                    _map(network, first, entry, NO_BLOCK, network.maps[entry, MAP_COUNT], graph, room, room.every)
            for relation in range(NUM_RELATIONS):
                if not is_last or network.relations[relation, TARGET_TYPE] == 0:
                    _send(network, first, relation, graph, room, room.every)
        for kind in range(1 if is_last else NUM_NODE_TYPES):
            _update(network, first, kind, graph, room, room.every, room.nodes)
    _prepare_agent_heads(network, graph, room)


@jit
def finish_tasks(network: Network, graph: Graph, room: Room) -> None:
    """The last layer and the share in the actor head of all ``wanted`` tasks."""
    layout, head = network.layout, network.layout[HEAD]
    first = FIRST_LAYER + (layout[LAYERS] - 1) * LAYER_SLOTS
    if layout[MESSAGES]:
        _mark_needed(graph, room)
        _map(network, first, CORE_ENTRY, NO_BLOCK, NUM_CORE_TARGETS, graph, room, room.wanted)
        for entry in range(CORE + 1, NUM_MAPS):
            _map(network, first, entry, NO_BLOCK, network.maps[entry, MAP_COUNT], graph, room, room.needed)
        for relation in range(NUM_RELATIONS):
            if network.relations[relation, TARGET_TYPE] == ON_TASK:
                _send(network, first, relation, graph, room, room.wanted)
    _update(network, first, TASK_TYPE, graph, room, room.wanted, room.final)
    at = layout[OFFSETS + ACTOR_TASK]
    for node in range(graph.ranges[ON_TASK, FIRST_NODE], graph.ranges[ON_TASK, END_NODE]):
        if room.wanted[node]:
            room.is_final[node] = 1
            room.head[node, :] = ZERO
            add_product(network.weights, at, head, room.final[node], room.head[node])


@jit
def _mark_needed(graph: Graph, room: Room) -> None:
    """Mark the wanted tasks and those next to them."""
    for node in range(len(room.needed)):
        room.needed[node] = room.wanted[node]
    for edge in range(graph.edge_ptr[2], graph.edge_ptr[4]):
        one, other = graph.edges[edge, 0], graph.edges[edge, 1]
        if room.wanted[one]:
            room.needed[other] = 1
        if room.wanted[other]:
            room.needed[one] = 1


@jit
def _list_nodes(graph: Graph, node_type: int, mask: IntArray, room: Room) -> int:
    """Write the nodes of a type that are in ``mask`` to ``room.chosen``; returns their number."""
    count = 0
    for node in range(graph.ranges[node_type, FIRST_NODE], graph.ranges[node_type, END_NODE]):
        if mask[node]:
            room.chosen[count] = node
            count += 1
    return count


@jit
def _embed_nodes(network: Network, graph: Graph, room: Room) -> None:
    width, weights = network.layout[WIDTH], network.weights
    for kind in range(NUM_NODE_TYPES):
        at, columns = network.layout[OFFSETS + kind], room.widths[kind]
        for node in range(graph.ranges[kind, FIRST_NODE], graph.ranges[kind, END_NODE]):
            out = room.nodes[node]
            start(weights, at + columns * width, out)
            add_product(weights, at, width, graph.rows[node, :columns], out)
            cut(out)


@jit
def _map(
    network: Network, first: int, entry: int, block: int, blocks: int, graph: Graph, room: Room, mask: IntArray
) -> None:
    """Multiply the nodes in ``mask`` by some of the maps of an entry, unless there are no edges to use them."""
    kind = network.maps[entry, MAP_KIND]
    if graph.edge_ptr[kind] == graph.edge_ptr[kind + 1]:
        return
    width, weights = network.layout[WIDTH], network.weights
    stride, size = network.maps[entry, MAP_COUNT] * width, blocks * width
    at = network.layout[OFFSETS + first + MAPS + entry] + block * width
    low = (network.maps[entry, MAP_BLOCK] + block) * width
    count = _list_nodes(graph, network.maps[entry, MAP_NODE], mask, room)
    for place in range(0, count, 2):
        one, other = room.chosen[place], room.chosen[min(place + 1, count - 1)]
        out = room.maps[one, low : low + size]
        out_other = room.maps[other, low : low + size] if other != one else room.spare[:size]
        start(weights, at + width * stride, out)
        start(weights, at + width * stride, out_other)
        add_products(weights, at, stride, room.nodes[one], room.nodes[other], out, out_other)


@jit
def _send(network: Network, first: int, relation: int, graph: Graph, room: Room, mask: IntArray) -> None:
    """Messages of one relation: u = relu(source + target + edge), weighted by a softmax at each target, summed.

    A target with one edge takes its message as it is: its weight is 1.
    """
    width, weights = network.layout[WIDTH], network.weights
    kind, side, node_type = (
        network.relations[relation, KIND],
        network.relations[relation, SIDE],
        network.relations[relation, TARGET_TYPE],
    )
    low, high = graph.edge_ptr[kind], graph.edge_ptr[kind + 1]
    if low == high:
        return
    at, columns = network.layout[OFFSETS + first + EDGE + relation], network.relations[relation, NUM_COLUMNS]
    source_column = network.relations[relation, SOURCE_BLOCK] * width
    target_column = network.relations[relation, TARGET_BLOCK] * width
    column = (1 + network.relations[relation, SUM_BLOCK]) * width
    for node in range(graph.ranges[node_type, FIRST_NODE], graph.ranges[node_type, END_NODE]):
        room.degree[node], room.top[node], room.total[node] = 0, LOWEST, ZERO
        room.sums[node, column : column + width] = ZERO
    for edge in range(low, high):
        room.degree[graph.edges[edge, 1 - side]] += 1
    for edge in range(low, high):
        source, target = graph.edges[edge, side], graph.edges[edge, 1 - side]
        if not mask[target]:
            continue
        single = room.degree[target] == 1
        out = room.sums[target, column : column + width] if single else room.message[edge]
        from_source = room.maps[source, source_column : source_column + width]
        mix(from_source, room.maps[target, target_column : target_column + width], out)
        for place in range(columns):
            value = graph.edge_rows[edge, place]
            if value != ZERO:
                add_scaled(weights, at + width + place * width, value, out)
        cut(out)
        if not single:
            room.strength[edge] = dot(weights, at, out, room.lanes)
            room.top[target] = max(room.top[target], room.strength[edge])
    _sum_up(low, high, 1 - side, column, width, node_type, graph, room, mask)


@jit
def _sum_up(
    low: int, high: int, side: int, column: int, width: int, node_type: int, graph: Graph, room: Room, mask: IntArray
) -> None:
    """Weighted sums at targets with several edges."""
    for edge in range(low, high):
        target = graph.edges[edge, side]
        if room.degree[target] > 1 and mask[target]:
            weight = np.exp(room.strength[edge] - room.top[target])
            room.total[target] += weight
            out, message = room.sums[target, column : column + width], room.message[edge]
            for unit in range(width):
                out[unit] += weight * message[unit]
    for node in range(graph.ranges[node_type, FIRST_NODE], graph.ranges[node_type, END_NODE]):
        if room.degree[node] > 1 and mask[node]:
            scale, out = ONE / room.total[node], room.sums[node, column : column + width]
            for unit in range(width):
                out[unit] *= scale


@jit
def _find_spans(network: Network, node_type: int, graph: Graph, room: Room) -> int:
    """Write which blocks of ``sums`` hold something to ``room.spans``; returns how many there are in all.

    The node itself and relations that every graph has come first, then precedences, then near tasks.
    """
    blocks = 1
    for span in range(3):
        room.spans[span, 0], room.spans[span, 1] = 0, 0
    room.spans[0, 1] = 1
    for relation in range(NUM_RELATIONS):
        if network.relations[relation, TARGET_TYPE] == node_type:
            kind = network.relations[relation, KIND]
            span = max(kind - 1, 0)
            if network.layout[MESSAGES] and graph.edge_ptr[kind + 1] > graph.edge_ptr[kind]:
                if room.spans[span, 1] == 0:
                    room.spans[span, 0] = blocks
                room.spans[span, 1] = blocks + 1
            blocks += 1
    return blocks


@jit
def _update(
    network: Network, first: int, node_type: int, graph: Graph, room: Room, mask: IntArray, out: Float32Array
) -> None:
    """``out = node + V relu(U [node, sums] + b) + c`` for the nodes in ``mask``."""
    width, weights, layout = network.layout[WIDTH], network.weights, network.layout
    at, last = layout[OFFSETS + first + UPDATE + node_type], layout[OFFSETS + first + OUTPUT + node_type]
    count, size = _list_nodes(graph, node_type, mask, room), width * width
    bias = at + _find_spans(network, node_type, graph, room) * size
    hidden, hidden_other = room.hidden[0, :width], room.hidden[1, :width]
    for place in range(0, count, 2):
        one, other = room.chosen[place], room.chosen[min(place + 1, count - 1)]
        row, row_other = room.sums[one], room.sums[other]
        copy(room.nodes[one], row)
        copy(room.nodes[other], row_other)
        start(weights, bias, hidden)
        start(weights, bias, hidden_other)
        for span in range(3):
            low, high = room.spans[span, 0] * width, room.spans[span, 1] * width
            if high > low:
                add_products(weights, at + low * width, width, row[low:high], row_other[low:high], hidden, hidden_other)
        cut(hidden)
        cut(hidden_other)
        result = out[one]
        result_other = out[other] if other != one else room.spare[:width]
        copy(row[:width], result)
        copy(row_other[:width], result_other)
        add_scaled(weights, last + size, ONE, result)
        add_scaled(weights, last + size, ONE, result_other)
        add_products(weights, last, width, hidden, hidden_other, result, result_other)


@jit
def _prepare_agent_heads(network: Network, graph: Graph, room: Room) -> None:
    """Share of agents in the actor head, and the scores of waiting."""
    width, head, weights = network.layout[WIDTH], network.layout[HEAD], network.weights
    at, wait = network.layout[OFFSETS + ACTOR_AGENT], network.layout[OFFSETS + WAIT_AGENT]
    out, hidden = network.layout[OFFSETS + WAIT_OUT], room.hidden[0, :head]
    for agent in range(len(room.wait)):
        start(weights, at + width * head, room.head[agent])
        add_product(weights, at, head, room.nodes[agent], room.head[agent])
        start(weights, wait + width * head, hidden)
        add_product(weights, wait, head, room.nodes[agent], hidden)
        cut(hidden)
        room.wait[agent] = weights[out + head] + dot(weights, out, hidden, room.lanes)


@jit
def actor_score(network: Network, graph: Graph, room: Room, agent: int, task: int, row: FloatArray) -> float:
    """Head's score of a candidate: ``agent``, ``task`` and the candidate's features (float64 [F])."""
    head, weights = network.layout[HEAD], network.weights
    at, out = network.layout[OFFSETS + ACTOR_ROW], network.layout[OFFSETS + ACTOR_OUT]
    hidden = room.hidden[0, :head]
    mix(room.head[agent], room.head[graph.task_node[task]], hidden)
    for column in range(NUM_FEATURES):
        value = np.float32(row[column])
        if value != ZERO:
            add_scaled(weights, at + column * head, value, hidden)
    cut(hidden)
    return float(weights[out + head] + dot(weights, out, hidden, room.lanes))
