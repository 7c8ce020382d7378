"""Algorithms on directed graphs given as adjacency of integers: `out[i]` holds the targets of node i."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

Adjacency = Sequence[Sequence[int]]


def components(out: Adjacency) -> list[tuple[int, ...]]:
    """Strongly connected components, each sorted, targets before sources (Tarjan without recursion, linear time)."""
    count = len(out)
    order = [-1] * count
    low = [0] * count
    on_path = bytearray(count)
    path: list[int] = []
    found: list[tuple[int, ...]] = []
    clock = 0
    for root in range(count):
        if order[root] != -1:
            continue
        order[root] = low[root] = clock
        clock += 1
        path.append(root)
        on_path[root] = 1
        stack = [(root, iter(out[root]))]
        while stack:
            node, targets = stack[-1]
            for target in targets:
                if order[target] == -1:
                    order[target] = low[target] = clock
                    clock += 1
                    path.append(target)
                    on_path[target] = 1
                    stack.append((target, iter(out[target])))
                    break
                if on_path[target] and order[target] < low[node]:
                    low[node] = order[target]
            else:
                stack.pop()
                if stack and low[node] < low[stack[-1][0]]:
                    low[stack[-1][0]] = low[node]
                if low[node] == order[node]:
                    found.append(_pop_component(path, on_path, node))
    return found


def _pop_component(path: list[int], on_path: bytearray, node: int) -> tuple[int, ...]:
    members = []
    while True:
        member = path.pop()
        on_path[member] = 0
        members.append(member)
        if member == node:
            return tuple(sorted(members))


def shortest_cycle(component: Sequence[int], out: Adjacency) -> tuple[int, ...]:
    """A shortest cycle inside a strongly connected component, turned so that its smallest node is first.

    A search from one node finds the shortest cycle through it; then that node, and whatever lies on no cycle without
    it, is taken away, so that later searches see ever less. Searches stop at the length of the best cycle so far.
    """
    members = set(component)
    ahead = {node: {target for target in out[node] if target in members} for node in component}
    behind: dict[int, set[int]] = {node: set() for node in component}
    for node, targets in ahead.items():
        if node in targets:
            return (node,)
        for target in targets:
            behind[target].add(node)
    best: tuple[int, ...] = ()
    for node in sorted(component):
        if node not in ahead:
            continue
        cycle = _cycle_through(node, ahead, len(best) - 1 if best else len(component))
        if cycle:
            best = cycle
            if len(best) == 2:
                break
        _take_away(node, ahead, behind)
    first = best.index(min(best))
    return best[first:] + best[:first]


def _cycle_through(start: int, ahead: dict[int, set[int]], longest: int) -> tuple[int, ...]:
    """The shortest cycle through `start` of at most `longest` nodes; empty when there is none."""
    came_from = {start: start}
    level = [start]
    for _ in range(longest):
        following = []
        for node in level:
            for target in sorted(ahead[node]):
                if target == start:
                    cycle = [node]
                    while cycle[-1] != start:
                        cycle.append(came_from[cycle[-1]])
                    return tuple(reversed(cycle))
                if target not in came_from:
                    came_from[target] = node
                    following.append(target)
        level = following
        if not level:
            break
    return ()


def _take_away(start: int, ahead: dict[int, set[int]], behind: dict[int, set[int]]) -> None:
    """Remove `start`, and then every node that has lost all its sources or all its targets."""
    queue = deque([start])
    while queue:
        node = queue.popleft()
        if node not in ahead:
            continue
        for target in ahead.pop(node):
            behind[target].discard(node)
            if not behind[target]:
                queue.append(target)
        for source in behind.pop(node):
            if source in ahead:
                ahead[source].discard(node)
                if not ahead[source]:
                    queue.append(source)


def redundant_edges(order: Sequence[tuple[int, ...]], out: Adjacency) -> list[tuple[int, int]]:
    """Edges (source, target) whose target is also reached through another target of the same source.

    `order` is the result of `components`. Reachability is one bitset (an int) a node, built targets first; a bitset is
    dropped when its last source has read it. Nodes in cycles count as one; edges from or to them are never reported.
    """
    place_of = [0] * len(out)
    for place, component in enumerate(order):
        for node in component:
            place_of[node] = place
    readers = [0] * len(order)
    targets_of: list[list[int]] = []
    for place, component in enumerate(order):
        targets = sorted({place_of[target] for node in component for target in out[node]} - {place}, reverse=True)
        targets_of.append(targets)
        for target in targets:
            readers[target] += 1
    reach: list[int] = [0] * len(order)
    found = []
    for place, component in enumerate(order):
        through = 0
        # A path from here to a target leads through targets that are placed later, so the latest are read first.
        for target in targets_of[place]:
            if through >> target & 1 and len(component) == 1 and len(order[target]) == 1:
                found.append((component[0], order[target][0]))
            through |= reach[target] | 1 << target
            readers[target] -= 1
            if not readers[target]:
                reach[target] = 0
        if readers[place]:
            reach[place] = through
    return found


def reach_counts(
    order: Sequence[tuple[int, ...]], out: Adjacency, asked: Iterable[int], counted: Iterable[int]
) -> dict[int, int]:
    """For each node asked about: how many of the nodes `counted`, itself aside, lead to it over any number of edges.

    `order` is the result of `components`. What leads to a node is one bitset (an int), built sources first and dropped
    when the node was counted.
    """
    wanted = frozenset(asked)
    if not wanted:
        return {}
    into: dict[int, list[int]] = {}
    for source, targets in enumerate(out):
        for target in targets:
            into.setdefault(target, []).append(source)
    leading = _leading(into, wanted)
    bit_of = {node: 1 << bit for bit, node in enumerate(node for node in counted if node in leading)}
    place_of = {node: place for place, component in enumerate(order) for node in component if node in leading}
    behind: dict[int, int] = {}
    counts = {}
    for place in range(len(order) - 1, -1, -1):
        members = [node for node in order[place] if node in leading]
        if not members:
            continue
        bits = behind.pop(place, 0)
        inside = 0
        for node in members:
            inside |= bit_of.get(node, 0)
        for node in wanted.intersection(members):
            # In a cycle every member leads to every other one.
            counts[node] = ((bits | inside) & ~bit_of.get(node, 0)).bit_count()
        onward = {place_of[target] for node in members for target in out[node] if target in leading} - {place}
        for target in onward:
            behind[target] = behind.get(target, 0) | bits | inside
    return counts


def _leading(into: dict[int, list[int]], ends: frozenset[int]) -> set[int]:
    """The nodes from which a path leads to one of `ends`, these too."""
    found = set(ends)
    ahead = list(ends)
    while ahead:
        for source in into.get(ahead.pop(), ()):
            if source not in found:
                found.add(source)
                ahead.append(source)
    return found
