"""The graph of cards in formats that other programs draw; titles are untrusted: each format has its escaping."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from isopod.escape import escape
from isopod.render.columns import fit, wrap
from schemas.kinds import CardKind
from schemas.outputs import CardItem, GraphEdge, GraphOutput

_TITLE: Final = 60
_MERMAID_SHAPES: Final[dict[CardKind, tuple[str, str]]] = {
    "epic": ("([", "])"),
    "story": ("[", "]"),
    "gate": ("{{", "}}"),
    "decision": ("[/", "/]"),
    "request": ("[[", "]]"),
    "migration": ("[", "]"),
    "external": ("[(", ")]"),
}
_DOT_SHAPES: Final[dict[CardKind, str]] = {
    "epic": "oval",
    "story": "box",
    "gate": "hexagon",
    "decision": "parallelogram",
    "request": "component",
    "migration": "box",
    "external": "cylinder",
}
_WORDS: Final = {"waits_for": "waits for", "replaces": "replaces", "related": "related to"}


def text(graph: GraphOutput, width: int) -> Iterator[str]:
    """Every card with what it waits for beneath it."""
    nodes = {node.id: node for node in graph.nodes}
    edges: dict[str, list[GraphEdge]] = {node.id: [] for node in graph.nodes}
    for edge in graph.edges:
        edges[edge.from_].append(edge)
    for node in graph.nodes:
        mark = node.standing or node.state
        yield from wrap(f"{node.id}  {node.title}  [{mark}]", width, indent="    ", first="")
        for edge in edges[node.id]:
            because = f" ({edge.label})" if edge.label else ""
            holds = edge.kind != "waits_for" or edge.to in node.waits_for
            verb = _WORDS[edge.kind] if holds else "leans on"
            words = f"{verb} {edge.to}  {nodes[edge.to].title}{because}"
            yield from wrap(words, width, indent="      ", first="  ")


def mermaid(graph: GraphOutput, width: int) -> Iterator[str]:
    """A Mermaid flowchart; an arrow goes from a card to what it waits for."""
    names = _names(graph)
    yield "flowchart LR"
    for node in graph.nodes:
        opening, closing = _MERMAID_SHAPES[node.kind]
        yield f'  {names[node.id]}{opening}"{_mermaid(_label(node))}"{closing}'
    for edge in graph.edges:
        arrow = {"waits_for": "-->", "replaces": "-. replaces .->", "related": "-.-"}[edge.kind]
        yield f"  {names[edge.from_]} {arrow} {names[edge.to]}"
    yield "  classDef ready stroke-width:3px"
    ready = ",".join(names[node.id] for node in graph.nodes if node.ready)
    if ready:
        yield f"  class {ready} ready"


def dot(graph: GraphOutput, width: int) -> Iterator[str]:
    """Graphviz DOT."""
    yield "digraph isopod {"
    yield "  rankdir=LR;"
    for node in graph.nodes:
        pen = ", penwidth=3" if node.ready else ""
        yield f"  {_dot(node.id)} [shape={_DOT_SHAPES[node.kind]}, label={_dot(_label(node))}{pen}];"
    for edge in graph.edges:
        look = {"waits_for": "", "replaces": " [style=dashed, label=replaces]", "related": " [style=dotted, dir=none]"}[
            edge.kind
        ]
        yield f"  {_dot(edge.from_)} -> {_dot(edge.to)}{look};"
    yield "}"


def graphml(graph: GraphOutput, width: int) -> Iterator[str]:
    """GraphML, written by networkx."""
    import networkx

    drawn: networkx.DiGraph[str] = networkx.DiGraph()
    for node in graph.nodes:
        drawn.add_node(
            node.id,
            title=escape(node.title),
            kind=node.kind,
            state=node.state,
            team=escape(node.team),
            ready=node.ready,
        )
    for edge in graph.edges:
        drawn.add_edge(edge.from_, edge.to, kind=edge.kind, label=escape(edge.label))
    yield from networkx.generate_graphml(drawn)


DRAWINGS: Final[dict[str, Callable[[GraphOutput, int], Iterator[str]]]] = {
    "text": text,
    "mermaid": mermaid,
    "dot": dot,
    "graphml": graphml,
}


def _names(graph: GraphOutput) -> dict[str, str]:
    """Mermaid node names: plain ones, because ids may be of any script and `end` is a word of the language."""
    return {node.id: f"n{index}" for index, node in enumerate(graph.nodes)}


def _label(node: CardItem) -> str:
    return f"{node.id}: {fit(node.title, _TITLE)}"


def _mermaid(label: str) -> str:
    """Quotes would end the label; `#` begins an entity, `<` a tag, a backtick turns Markdown on."""
    return "".join(f"#{ord(char)};" if char in '"#<>&`\\' else char for char in label)


def _dot(label: str) -> str:
    escaped = label.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
