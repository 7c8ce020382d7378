"""Where records name anchors: the fields say so themselves, so that references are rewritten by walking the schema."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Final, TypeVar, get_args, get_origin

from schemas.base import Record

R = TypeVar("R", bound=Record)


class Names:
    """Marks a field that holds an id; `what` says of which thing."""

    def __init__(self, what: str) -> None:
        self.what = what


ANCHOR: Final = Names("anchor")
AnchorId = Annotated[str, ANCHOR]


def renamed(record: R, rename: Callable[[str], str]) -> R:
    """The record with every anchor id in it, at any depth, replaced by `rename(id)`."""
    update = {}
    for name, field in type(record).model_fields.items():
        annotation = Annotated[(field.annotation, *field.metadata)] if field.metadata else field.annotation
        old = getattr(record, name)
        new = _renamed(old, annotation, rename)
        if new != old:
            update[name] = new
    return record.model_copy(update=update) if update else record


def _renamed(value: Any, annotation: Any, rename: Callable[[str], str]) -> Any:
    if isinstance(value, Record):
        return renamed(value, rename)
    if isinstance(value, tuple):
        inner = next((part for part in _alternatives(annotation) if get_origin(part) is tuple), None)
        item = get_args(inner)[0] if inner is not None else None
        return tuple(_renamed(one, item, rename) for one in value)
    if isinstance(value, str) and any(_is_marked(part) for part in _alternatives(annotation)):
        return rename(value)
    return value


def _alternatives(annotation: Any) -> tuple[Any, ...]:
    """The parts of a union; any other annotation is its own only part."""
    if annotation is None or get_origin(annotation) in (tuple, Annotated):
        return (annotation,)
    return get_args(annotation) or (annotation,)


def _is_marked(annotation: Any) -> bool:
    return get_origin(annotation) is Annotated and ANCHOR in get_args(annotation)[1:]
