"""isopod mirror add: an issue of another team takes over a request of ours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

from isopod import options
from isopod.face import Face
from schemas.errors import RefusedError

if TYPE_CHECKING:
    from isopod.looking import Looking
    from pipeline.deeds.mirror import Mirrored

_KEY_CAP = 200


@options.command(
    "mirror",
    examples=[
        (
            "isopod mirror add DATA-12 --for REQ-7Q4M2K9X --title 'Event stream' --by Kim",
            "what waited for the request waits for their issue",
        ),
        (
            "isopod mirror add DATA-12 --for REQ-7Q4M2K9X --title 'Stream' --status Doing --by Kim --dry-run",
            "with the status that their tracker says; only show it",
        ),
    ],
)
@click.argument("action", metavar="add", type=click.Choice(["add"]))
@click.argument("key", metavar="KEY")
@click.option("--for", "request", required=True, metavar="REQUEST", help="The request of ours that it takes over.")
@click.option("--title", required=True, metavar="TEXT", help="The title of their issue.")
@click.option("--status", default=None, metavar="STATUS", help="Its status, as tracker.status in config maps it.")
@click.option("--url", default=None, metavar="URL", help="Where it can be read.")
@click.option("--id", "issue_id", default=None, metavar="ID", help="The tracker's own id of it; KEY when not given.")
@click.option("--site", default=None, metavar="SITE", help="The tracker; the host of --url when not given.")
@options.by
@options.yes
@options.dry_run
def command(
    face: Face,
    action: str,
    key: str,
    request: str,
    title: str,
    status: str | None,
    url: str | None,
    issue_id: str | None,
    site: str | None,
    by: str | None,
    yes: bool,
    dry_run: bool,
) -> None:
    """Say that KEY, an issue that another team has, is for a request of ours.

    A card mirrors the issue, what we expect of it is pinned from the request's lines, what waited for the request waits for that
    card, and the request is done: all of it, or nothing. What the issue says is told by hand here; it is not read from a tracker.
    """
    from isopod.deeds import at_hand, ids_of
    from isopod.workplace import said
    from isopod.writing import ask_and_commit
    from pipeline.deeds.mirror import mirror_for
    from schemas.card import TrackerPart

    looking = at_hand(face)
    (known,) = ids_of(looking, [request])
    who = said(by, None)
    provider = looking.snapshot.config.tracker.provider
    name = _plain(key, "KEY")
    issue = TrackerPart(
        provider=provider,
        site=_plain(site or _host(url) or provider, "--site"),
        id=_plain(issue_id or name, "--id"),
        key=name,
        url=url,
        title=title,
        status=status,
        read_at=who.at,
    )
    made = mirror_for(looking.snapshot, issue, known, who)
    told = [*_lines(made, looking, face)]
    ask_and_commit(face, made.hand.transaction, command="mirror", dry_run=dry_run, yes=yes, told=told)


def _plain(word: str, option: str) -> str:
    """A word that can stand in a list. Raises RefusedError for one with spaces or characters that act on a terminal."""
    if not word or len(word) > _KEY_CAP or not word.isprintable() or any(char.isspace() for char in word):
        raise RefusedError("usage", f"{option} is one printable word", fix="isopod mirror --help")
    return word


def _host(url: str | None) -> str | None:
    """The host of an address. Raises RefusedError for what is none."""
    if url is None:
        return None
    try:
        parts = urlsplit(url)
        host = parts.hostname if parts.scheme in ("http", "https") else None
    except ValueError:
        host = None
    if host is None:
        raise RefusedError("usage", "--url is an http or https address", fix="--url https://...")
    return host


def _lines(made: Mirrored, looking: Looking, face: Face) -> Iterator[str]:
    from isopod.deeds import hand_lines
    from isopod.render.columns import wrap
    from isopod.render.contract import version_lines

    yield from hand_lines(made.hand, face)
    words = f"what we expect of {made.card.id}, {looking.team_name(made.card.team)}:"
    yield from wrap(words, face.width, indent="    ", first="")
    yield from version_lines(made.contract, face)
    for card_id in made.waiting:
        yield from wrap(f"{card_id} waits for {made.card.id} now", face.width, indent="    ", first="")
