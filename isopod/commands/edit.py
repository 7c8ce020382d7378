"""isopod edit: a person edits a card."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from isopod import options
from isopod.face import Face
from schemas.errors import RefusedError

if TYPE_CHECKING:
    from isopod.looking import Looking
    from pipeline.deeds.hand import Hand


@options.command(
    "edit",
    examples=[
        ("isopod edit STY-7Q4M2K9X title='Renewal' --by Kim", "the title is yours from then on"),
        ("isopod edit STY-7Q4M2K9X due=2026-Q4 team=growth start=false", "several fields at once"),
        (
            "isopod edit STY-7Q4M2K9X subtasks+='write the test' subtasks.S1=done",
            "lists: a new item, and one by its id",
        ),
        ("isopod edit STY-7Q4M2K9X acceptance+='within 30 ms' --tightens A3", "all that a published card may get"),
        ("isopod edit STY-7Q4M2K9X depends_on-=DEC-CGXNM6HH", "it does not lean on that any more"),
        ("isopod edit STY-7Q4M2K9X", "the whole card in $EDITOR"),
    ],
)
@click.argument("card_id", metavar="ID")
@click.argument("fields", nargs=-1, metavar="[FIELD=VALUE]...")
@click.option("--tightens", metavar="LINE", default=None, help="The line that the new one makes stricter.")
@options.named
@options.yes
@options.dry_run
def command(
    face: Face, card_id: str, fields: tuple[str, ...], tightens: str | None, by: str | None, yes: bool, dry_run: bool
) -> None:
    """Edit the card ID: the fields that are named, or the whole card in $EDITOR.

    FIELD is title, team, parent, due, start, notes, or one of the lists acceptance, subtasks, related, depends_on: `list+=text` adds,
    `list.ID=value` changes one item, `list-=ID` takes it away, and `field=null` empties a field. What a card was published with
    stays word for word: lines are added to it, none is changed. A planned card whose title, lines or edges change is drafted again.
    """
    from isopod.deeds import at_hand, hand_lines, ids_of
    from isopod.writing import ask_and_commit

    looking = at_hand(face)
    (known,) = ids_of(looking, [card_id])
    if fields:
        hand = _by_fields(looking, known, fields, tightens, by)
    elif tightens is not None:
        raise RefusedError("usage", "--tightens is said of a new line", fix="acceptance+='...' --tightens A2")
    else:
        hand = _in_editor(face, looking, known, by)
    ask_and_commit(face, hand.transaction, command="edit", dry_run=dry_run, yes=yes, told=[*hand_lines(hand, face)])


def _by_fields(looking: Looking, card_id: str, fields: tuple[str, ...], tightens: str | None, by: str | None) -> Hand:
    from isopod.deeds import anybody
    from pipeline.deeds.edit import edit
    from pipeline.deeds.fields import assigned, assignment

    after = assigned(looking.snapshot.card_by_id[card_id], [assignment(field) for field in fields], tightens)
    return edit(looking.snapshot, after, anybody(by))


def _in_editor(face: Face, looking: Looking, card_id: str, by: str | None) -> Hand:
    """The text that is edited is the file's, comments too; a comment that is added there is not taken over."""
    from isopod.deeds import anybody
    from isopod.editor import edited
    from pipeline.deeds.edit import edit
    from schemas.card import Card
    from store.records import record_of
    from store.yamlio import decode

    if face.as_json:
        raise RefusedError("usage", "with --format json no editor is opened", fix=f"isopod edit {card_id} field=value")
    snapshot = looking.snapshot
    data = snapshot.view.read(snapshot.instance.root / snapshot.file_of(card_id)) or b""

    def use(content: bytes, name: str) -> Hand:
        after = record_of(content, name, Card)
        if after.id != card_id:
            raise RefusedError("fixed-field", f"{card_id}: `id` is given at birth and kept for ever")
        return edit(snapshot, after, anybody(by))

    return edited(face, decode(data, card_id), f"{card_id}.yaml", use)
