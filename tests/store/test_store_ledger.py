"""The ledger: entries by content, heads, and what is found when one was changed, lost or cut."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typed_store import make_instance, transaction, view

from schemas.card import Card
from schemas.errors import ConflictError, ManyErrors
from schemas.ledger import ExemptionBody
from store import ledger
from store.instance import Instance

AT = "2026-11-30T09:00:0{}Z"


@pytest.fixture
def instance(tmp_path: Path) -> Instance:
    return make_instance(tmp_path)


def append(instance: Instance, subject: str, second: int = 0) -> str:
    tx = transaction(instance)
    name = ledger.append(tx, instance, kind="seal", subject=subject, body={"n": second}, by="Ada", at=AT.format(second))
    tx.commit()
    return name


def problems(instance: Instance) -> list[tuple[str, str]]:
    return [(one.kind, one.name) for one in ledger.read(view(instance), instance).problems]


def test_an_empty_ledger_holds(instance: Instance) -> None:
    assert ledger.read(view(instance), instance) == ledger.Ledger((), (), ())


def test_each_entry_is_written_on_the_heads_and_named_by_its_content(instance: Instance) -> None:
    first, second = append(instance, "STY-1", 1), append(instance, "STY-2", 2)
    found = ledger.read(view(instance), instance)
    assert [file.name for file in found.entries] == [first, second]
    assert found.entries[1].entry.prev == (f"sha256:{first}",)
    assert found.heads == (second,)
    assert found.problems == ()
    data = (instance.ledger_dir / f"{second}.json").read_bytes()
    assert data == json.dumps(json.loads(data), sort_keys=True, separators=(",", ":")).encode()


def test_entries_of_one_transaction_follow_each_other(instance: Instance) -> None:
    tx = transaction(instance)
    one = ledger.append(tx, instance, kind="seal", subject="STY-1", body={}, by="Ada", at=AT.format(1))
    two = ledger.append(tx, instance, kind="seal", subject="STY-2", body={}, by="Ada", at=AT.format(1))
    tx.commit()
    found = ledger.read(view(instance), instance)
    assert {file.name: file.entry.prev for file in found.entries} == {one: (), two: (f"sha256:{one}",)}
    assert (found.heads, found.problems) == ((two,), ())


def test_nothing_is_written_before_the_transaction_commits(instance: Instance) -> None:
    tx = transaction(instance)
    ledger.append(tx, instance, kind="seal", subject="STY-1", body={}, by="Ada", at=AT.format(1))
    assert not instance.ledger_dir.exists()


def test_a_changed_entry_is_found(instance: Instance) -> None:
    name = append(instance, "STY-1")
    path = instance.ledger_dir / f"{name}.json"
    path.write_bytes(path.read_bytes().replace(b"Ada", b"Eve"))
    assert problems(instance) == [("changed", name)]


def test_a_missing_entry_is_found(instance: Instance) -> None:
    first, second = append(instance, "STY-1", 1), append(instance, "STY-2", 2)
    (instance.ledger_dir / f"{first}.json").unlink()
    assert problems(instance) == [("missing", first)]
    assert ledger.read(view(instance), instance).heads == (second,)


def test_a_cut_entry_is_found_by_the_checkpoint(instance: Instance) -> None:
    append(instance, "STY-1", 1)
    second = append(instance, "STY-2", 2)
    (instance.ledger_dir / f"{second}.json").unlink()
    assert problems(instance) == [("cut", second)]


@pytest.mark.parametrize("content", [None, b"", b"{}", b"nonsense", b"<<<<<<< ours\n"])
def test_a_checkpoint_that_is_gone_or_broken_is_found(instance: Instance, content: bytes | None) -> None:
    append(instance, "STY-1")
    path = instance.ledger_dir / ledger.CHECKPOINT
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)
    assert problems(instance) == [("cut", ledger.CHECKPOINT)]


def test_nothing_is_written_on_a_broken_ledger(instance: Instance) -> None:
    name = append(instance, "STY-1")
    (instance.ledger_dir / f"{name}.json").write_bytes(b"{}")
    with pytest.raises(ConflictError, match="does not hold"):
        append(instance, "STY-2")


def branch(instance: Instance, name: str, tmp_path: Path) -> Instance:
    shutil.copytree(instance.root, tmp_path / name)
    return make_instance(tmp_path / name)


def merged(mine: Instance, theirs: Instance, *, union: bool) -> None:
    """What git does: the union of the files; of the checkpoint both sides' lines, or mine alone."""
    for path in theirs.ledger_dir.glob("*.json"):
        target = mine.ledger_dir / path.name
        if path.name != ledger.CHECKPOINT:
            shutil.copy(path, target)
        elif union:
            target.write_bytes(target.read_bytes() + path.read_bytes())


@pytest.mark.parametrize("union", [True, False])
def test_two_branches_that_both_wrote_join_and_a_cut_is_still_found(tmp_path: Path, union: bool) -> None:
    (tmp_path / "mine").mkdir()
    mine = make_instance(tmp_path / "mine")
    append(mine, "STY-1", 1)
    theirs = branch(mine, "theirs", tmp_path)
    ours, other = append(mine, "STY-2", 2), append(theirs, "STY-3", 3)
    merged(mine, theirs, union=union)
    found = ledger.read(view(mine), mine)
    assert (found.heads, found.problems) == (tuple(sorted((ours, other))), ())
    joined = append(mine, "STY-4", 4)
    after = ledger.read(view(mine), mine)
    assert (after.heads, after.problems) == ((joined,), ())
    (mine.ledger_dir / f"{other}.json").unlink()
    assert problems(mine) == [("missing", other)]


def test_an_override_goes_through_the_one_seam(instance: Instance) -> None:
    body = ExemptionBody(
        rule="C227", surface="audit", reason_kind="deadline", because="shipped first", until="2027-01-31"
    )
    tx = transaction(instance)
    name = ledger.exempt(tx, instance, subject="STY-1", body=body, by="Ada", at=AT.format(1))
    tx.commit()
    (file,) = ledger.read(view(instance), instance).entries
    assert (file.name, file.entry.type, file.entry.by) == (name, "exemption", "Ada")
    assert ExemptionBody.model_validate(file.entry.body) == body


def test_an_entry_without_a_name_or_with_a_local_time_is_refused(instance: Instance) -> None:
    for by, at in (("", AT.format(1)), ("Ada", "2026-11-30 09:00")):
        with pytest.raises(ManyErrors):
            ledger.append(transaction(instance), instance, kind="seal", subject="STY-1", body={}, by=by, at=at)


def sealed_card(**changes: object) -> Card:
    data = {"id": "STY-AAAAAAA1", "kind": "story", "title": "Links", "state": "done", "team": "growth", **changes}
    return Card.parse(data, source="cards/STY-AAAAAAA1.yaml")


def test_a_seal_holds_whatever_happens_to_the_issue_and_breaks_with_every_word_of_the_card(instance: Instance) -> None:
    tx = transaction(instance)
    ledger.seal(tx, instance, card=sealed_card(), by="Ada", at=AT.format(1))
    tx.commit()
    (said,) = ledger.seals(ledger.read(view(instance), instance))["STY-AAAAAAA1"]
    issue = {"provider": "local", "site": "here", "id": "1", "key": "GROW-1"}
    assert ledger.seal_digest(sealed_card(tracker=issue)) == said == ledger.seal_digest(sealed_card())
    for change in ({"title": "Link"}, {"state": "in_review"}, {"due": "2026-12-01"}, {"notes": "later"}):
        assert ledger.seal_digest(sealed_card(**change)) != said


def test_two_seals_of_one_card_are_both_kept(instance: Instance) -> None:
    for second, card in enumerate((sealed_card(), sealed_card(title="Link"))):
        tx = transaction(instance)
        ledger.seal(tx, instance, card=card, by="Ada", at=AT.format(second))
        tx.commit()
    append(instance, "STY-AAAAAAA1", 3)  # a seal that says nothing of the card
    said = ledger.seals(ledger.read(view(instance), instance))["STY-AAAAAAA1"]
    assert said == (ledger.seal_digest(sealed_card()), ledger.seal_digest(sealed_card(title="Link")))
