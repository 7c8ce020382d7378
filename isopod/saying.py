"""What a person says of a spec outside of a dispute: find the spec, take the answer, say what to do next."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

from isopod.escape import escape
from isopod.face import Face
from isopod.words import one_line
from isopod.workplace import spec_path, workspace
from isopod.writing import changed_lines, diff_lines
from pipeline.answers import Docket, open_docket
from pipeline.bench import Bench
from pipeline.workspace import Workspace
from schemas.errors import RefusedError
from schemas.outputs import WrittenOutput
from store.transaction import Transaction

Take = Callable[[Docket, str | None], Transaction]


def say(
    face: Face,
    command: str,
    take: Take,
    *,
    named: tuple[str, ...] = (),
    claim: str | None = None,
    offline: bool,
    dry_run: bool,
) -> None:
    """Write what `take` makes of the docket of a spec and the words that were named.

    `named` is what the command line says: a spec, words, both or nothing. The spec is the one that is named, that alone holds the
    words, or that holds the claim.
    """
    place = workspace(face)
    spec, words = _spec_and_words(place, named)
    path = _spec_of_claim(place, claim) if claim is not None else _spec_of_words(place, spec, words)
    docket = open_docket(place, path, offline=offline)
    transaction = take(docket, words)
    diff = transaction.diff() if dry_run else ""
    changed = transaction.changed if dry_run else transaction.commit()
    source = escape(docket.table.bench.spec.path)

    def lines() -> Iterator[str]:
        yield from diff_lines(face, diff) if dry_run else changed_lines(changed, dry_run)
        yield f"The next compile heeds it: isopod compile {shlex.quote(source)}{' --offline' if offline else ''}"

    face.give(WrittenOutput(command=command, dry_run=dry_run, changed=changed), lines)


def words_of_line(docket: Docket, lines: tuple[int, int] | None) -> str:
    """The one sentence, item or row that begins in these lines.

    Raises RefusedError when none or several do.
    """
    bench = docket.table.bench
    if lines is None:
        raise RefusedError("words-missing", "say which words are the claim", fix="quote them exactly, or name --line N")
    begin = [unit for unit in bench.structure.units if unit.claim_bearing and lines[0] <= unit.lines[0] <= lines[1]]
    if len(begin) != 1:
        there = "; ".join(f'"{one_line(bench.spec.quoted(unit.span), 60)}"' for unit in begin)
        found = f"several sentences begin there: {there}" if begin else "no sentence that could be a claim begins there"
        raise RefusedError("words-missing", found, fix="quote the exact words")
    return bench.spec.quoted(begin[0].span)


def _spec_and_words(place: Workspace, named: tuple[str, ...]) -> tuple[str | None, str | None]:
    if len(named) > 2:
        raise RefusedError("usage", "name a spec and the words, in quotes", fix="isopod claim --help")
    if len(named) == 2:
        return named[0], named[1]
    if len(named) == 1 and _is_spec(place, named[0]):
        return named[0], None
    return None, named[0] if named else None


def _is_spec(place: Workspace, name: str) -> bool:
    keys = [file.key for file in place.snapshot.spec_files] if place.snapshot is not None else []
    try:
        return name in keys or Path(name).is_file()
    except (OSError, ValueError):  # words that cannot be a file's name
        return False


def _spec_of_claim(place: Workspace, claim: str) -> Path:
    for store in place.stores:
        if place.snapshot is not None and any(anchor.id == claim for anchor in store.anchors):
            return place.snapshot.instance.root / store.spec.path
    raise RefusedError("unknown-id", f"no claim is called {claim!r}", fix="isopod status")


def _spec_of_words(place: Workspace, spec: str | None, words: str | None) -> Path:
    """The spec that is named, or the only one that holds the words.

    Raises RefusedError when no spec holds them, or several do.
    """
    files = place.snapshot.spec_files if place.snapshot is not None else ()
    if spec is not None or words is None or place.snapshot is None or len(files) == 1:
        return spec_path(place, spec)
    root = place.snapshot.instance.root
    holding = [file.path for file in files if _holds(place, root / file.path, words)]
    if len(holding) == 1:
        return root / holding[0]
    several = f"several specs hold these words: {', '.join(holding)}" if holding else "no spec holds these words"
    raise RefusedError("spec-missing", several, fix="name the spec before the words; quote the words exactly")


def _holds(place: Workspace, path: Path, words: str) -> bool:
    bench = Bench.of(place.read(path))
    return bool(words.strip()) and bench.grounder.find(words, (0, len(bench.spec.text))) is not None
