"""Adopted claims on disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typed_store import make_instance, put, story, transaction, view

from schemas.anchors import AnchorStore
from schemas.errors import ConflictError, ManyErrors, RefusedError
from store import anchors
from store.instance import Instance
from store.records import digest


@pytest.fixture
def instance(tmp_path: Path) -> Instance:
    return make_instance(tmp_path)


def claim(number: int = 1, **more: Any) -> dict[str, Any]:
    data = {"id": f"ANC-{number:08d}", "kind": "requirement", "exact": "It works.", "prefix": "", "suffix": ""}
    return {**data, "section": "Title", **more}


def claims(*anchors: dict[str, Any], key: str = "x", **more: Any) -> AnchorStore:
    data = {
        "spec": {"key": key, "path": f"specs/{key}.md"},
        "readings": [{"reader": "a", "provider": "lexicon", "model": "lexicon-1"}],
        "sections": [{"path": "Title", "digest": f"sha256:{'0' * 64}"}],
        "anchors": list(anchors) or [claim()],
    }
    return AnchorStore.model_validate({**data, **more})


def write(instance: Instance, store: AnchorStore, expected: str | None = None) -> str:
    tx = transaction(instance)
    anchors.write(tx, instance, store, expected)
    tx.commit()
    return digest(anchors.path_of(instance, store.spec.key).read_bytes())


def test_what_is_written_is_read_again(instance: Instance) -> None:
    store = claims(
        claim(1, labels=["constraint", "interface"], kind="constraint"),
        claim(2, status="retired", successor="ANC-00000001"),
        claim(3, home={"discarded": "background", "because": "history", "by": "Ada"}),
        edges=[{"kind": "refines", "from": "ANC-00000001", "to": "ANC-00000002", "cue": "that"}],
    )
    sha256 = write(instance, store)
    found, problems = anchors.load_all(view(instance), instance)
    assert problems == []
    assert [(file.path, file.store, file.sha256) for file in found] == [("cards/anchors/x.yaml", store, sha256)]
    assert anchors.load(view(instance), instance, "x") == found[0]
    assert anchors.load(view(instance), instance, "y") is None


def test_the_file_looks_as_the_formats_show(instance: Instance) -> None:
    text = anchors.to_text(claims(claim(1), claim(2, labels=["constraint", "interface"]), edges=[]))
    assert text.startswith("schema: isopod.anchors/1\nspec: {key: x, path: specs/x.md}\nreadings:")
    assert "{reader: a, provider: lexicon, model: lexicon-1}" in text
    assert text.count("status: live") == text.count("home: card") == text.count("step: exact") == 2
    assert text.count("labels: [constraint, interface]") == 1
    assert "successor" not in text


def test_writing_the_same_claims_again_changes_nothing(instance: Instance) -> None:
    expected = write(instance, claims())
    tx = transaction(instance)
    anchors.write(tx, instance, claims(), expected)
    assert tx.changed == ()


def test_a_persons_comment_stays(instance: Instance) -> None:
    write(instance, claims())
    path = anchors.path_of(instance, "x")
    path.write_text(path.read_text().replace("anchors:", "# read with Kim\nanchors:"))
    write(instance, claims(claim(1), claim(2)), digest(path.read_bytes()))
    assert "# read with Kim" in path.read_text()


def test_two_writers_do_not_lose_each_others_claims(instance: Instance) -> None:
    write(instance, claims())
    with pytest.raises(ConflictError):
        write(instance, claims(claim(2)))
    with pytest.raises(ConflictError):
        write(instance, claims(claim(2)), "0" * 64)
    found = anchors.load(view(instance), instance, "x")
    assert found is not None
    assert found.store == claims()


@pytest.mark.parametrize(
    ("store", "text"),
    [
        (claims(claim(id="STY-00000001")), "is not the id of a claim"),
        (claims(claim(id="ANC-0000000U")), "is not the id of a claim"),
        (claims(claim(1), claim(1)), "ANC-00000001 is that of 2 claims"),
        (claims(edges=[{"kind": "refines", "from": "ANC-00000001", "to": "ANC-00000009", "cue": "x"}]), "no claim"),
    ],
)
def test_claims_that_do_not_hold_together_are_not_written(instance: Instance, store: AnchorStore, text: str) -> None:
    with pytest.raises(ManyErrors, match=text):
        write(instance, store)
    assert not instance.anchors_dir.exists()


@pytest.mark.parametrize("key", ["../x", "a/../../b", "con"])
def test_a_key_never_leads_out_of_the_folder(instance: Instance, key: str) -> None:
    with pytest.raises(RefusedError):
        write(instance, claims(key=key))


def test_a_file_whose_name_is_not_its_key_is_a_finding(instance: Instance) -> None:
    write(instance, claims())
    path = anchors.path_of(instance, "x")
    path.rename(path.with_name("y.yaml"))
    found, problems = anchors.load_all(view(instance), instance)
    assert found == []
    assert [(one.code, one.where.file) for one in problems] == [("F100", "cards/anchors/y.yaml")]


def test_a_wrong_prefix_on_disk_is_for_a_rule_to_say(instance: Instance) -> None:
    instance.anchors_dir.mkdir(parents=True)
    anchors.path_of(instance, "x").write_text(anchors.to_text(claims(claim(id="STY-00000001"))))
    found, problems = anchors.load_all(view(instance), instance)
    assert (len(found), problems) == (1, [])


def test_every_id_that_was_ever_given_is_issued(instance: Instance) -> None:
    write(instance, claims(claim(1), claim(2, status="retired")))
    write(instance, claims(claim(3), key="y"))
    put(instance, story(1, state="deleted"))
    (instance.cards_dir / "STY-00000002.yaml").write_text("broken: [\n")
    assert anchors.issued_ids(view(instance), instance) == {
        "ANC-00000001", "ANC-00000002", "ANC-00000003", "STY-00000001", "STY-00000002",
    }  # fmt: skip
    anchors.path_of(instance, "y").write_text("broken: [\n")
    with pytest.raises(RefusedError):
        anchors.issued_ids(view(instance), instance)
