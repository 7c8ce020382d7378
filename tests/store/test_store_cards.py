"""Loading cards, and the one function that writes them."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
from typed_store import ADA, CONFIG, DRAFT, MIRROR, change, make, make_instance, put, story, transaction, view

from schemas.card import Card
from schemas.errors import ConflictError, ImmutableCardError, IsopodError, ManyErrors, OwnershipError, RefusedError
from store import cards
from store.cards import Actor
from store.instance import Instance
from store.records import digest

REPOSITORY = Path(__file__).parents[2]
LINES = ({"id": "A1", "text": "It works"},)
RULE = {"rule": "D13", "text": "refines"}


@pytest.fixture
def instance(tmp_path: Path) -> Instance:
    return make_instance(tmp_path)


def files_of(instance: Instance) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in instance.cards_dir.iterdir()}


# --- loading ---------------------------------------------------------------------------------------------------------


def test_a_card_is_read_as_it_was_written(instance: Instance) -> None:
    card = story(title="예약 알림: `GET /{code}` 🐚", acceptance=LINES, due="2026-Q4", notes="two\nlines", start=True)
    sha256 = put(instance, card)
    loaded = cards.load(view(instance), instance, card.id)
    assert (loaded.card, loaded.sha256, loaded.path) == (card, sha256, f"cards/{card.id}.yaml")
    assert cards.load_all(view(instance), instance) == ([loaded], [])


def test_the_first_line_names_the_schema_from_wherever_cards_are(tmp_path: Path) -> None:
    deep = make_instance(tmp_path, CONFIG + "paths: {cards: work/cards}\n")
    assert cards.to_text(story(), deep.config).startswith("# yaml-language-server: $schema=../../docs/schemas/card.json\n")


def test_cards_come_by_file_name_and_only_from_their_folder(instance: Instance) -> None:
    for number in (3, 1, 2):
        put(instance, story(number))
    (instance.cards_dir / "anchors").mkdir()
    (instance.cards_dir / "anchors" / "x.yaml").write_text("not: a card\n")
    (instance.cards_dir / ".hidden.yaml").write_text("not: a card\n")
    (instance.cards_dir / "README.md").write_text("cards\n")
    found, problems = cards.load_all(view(instance), instance)
    assert [file.card.id for file in found] == ["STY-00000001", "STY-00000002", "STY-00000003"]
    assert problems == []


def test_every_wrong_key_of_every_file_is_a_finding_with_its_place(instance: Instance) -> None:
    put(instance, story(1))
    text = cards.to_text(story(2, acceptance=LINES), instance.config)
    broken = text.replace("kind: story", "kind: saga").replace("text: It works", "txt: It works") + "surprise: 1\n"
    (instance.cards_dir / "STY-00000002.yaml").write_text(broken)
    found, problems = cards.load_all(view(instance), instance)
    assert [file.card.id for file in found] == ["STY-00000001"]
    lines = broken.splitlines()
    places = {(one.code, one.where.file, one.where.line, one.message.split(":")[0]) for one in problems}
    acceptance = next(number for number, line in enumerate(lines, 1) if "txt:" in line)
    assert places == {
        ("F100", "cards/STY-00000002.yaml", lines.index("kind: saga") + 1, "kind"),
        ("F100", "cards/STY-00000002.yaml", acceptance, "acceptance[0].text"),
        ("F100", "cards/STY-00000002.yaml", acceptance, "acceptance[0].txt"),
        ("F100", "cards/STY-00000002.yaml", len(lines), "surprise"),
    }


def test_python_names_are_no_keys_of_the_format(instance: Instance) -> None:
    text = cards.to_text(story(), instance.config).replace("schema: isopod.card/1", "schema_id: isopod.card/1")
    (instance.cards_dir / "STY-00000001.yaml").write_text(text)
    _, problems = cards.load_all(view(instance), instance)
    assert [one.message for one in problems] == ["schema_id: unknown key"]


def test_a_wrong_reason_is_one_finding_that_names_no_union(instance: Instance) -> None:
    card = story(depends_on=[{"card": "STY-00000002", "because": [{"edge": "requires", "from": "a", "to": "b", "cue": "c"}]}])
    text = cards.to_text(card, instance.config).replace("edge: requires", "edge: needs")
    (instance.cards_dir / "STY-00000001.yaml").write_text(text)
    _, (problem,) = cards.load_all(view(instance), instance)
    assert problem.message.startswith("depends_on[0].because[0].edge: ")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "F100"),
        ("- a\n- b\n", "F100"),
        ("id: STY-1\nid: STY-2\n", "F100"),
        ("id: [\n", "F100"),
        ("id: a\n<<<<<<< ours\ntitle: a\n=======\ntitle: b\n>>>>>>> theirs\n", "F101"),
        ("title: \x07\n", "F100"),
    ],
)
def test_a_file_that_cannot_be_parsed_is_a_finding_and_stops_nothing(instance: Instance, text: str, code: str) -> None:
    put(instance, story(2))
    (instance.cards_dir / "STY-00000001.yaml").write_text(text)
    found, problems = cards.load_all(view(instance), instance)
    assert len(found) == 1
    assert {one.code for one in problems} == {code}
    with pytest.raises(IsopodError):
        cards.load(view(instance), instance, "STY-00000001")


def test_bytes_that_are_not_utf_8_are_a_finding(instance: Instance) -> None:
    (instance.cards_dir / "STY-00000001.yaml").write_bytes(b"title: \xff\n")
    assert [one.code for one in cards.load_all(view(instance), instance)[1]] == ["F100"]


def test_a_symbolic_link_is_no_card(instance: Instance, tmp_path: Path) -> None:
    (tmp_path / "elsewhere.yaml").write_text(cards.to_text(story(), instance.config))
    (instance.cards_dir / "STY-00000001.yaml").symlink_to(tmp_path / "elsewhere.yaml")
    found, problems = cards.load_all(view(instance), instance)
    assert (found, len(problems)) == ([], 1)


def test_a_card_that_is_not_there_is_named(instance: Instance) -> None:
    with pytest.raises(RefusedError, match="STY-00000009"):
        cards.load(view(instance), instance, "STY-00000009")
    with pytest.raises(RefusedError):
        cards.load(view(instance), instance, "../config")


# --- births ----------------------------------------------------------------------------------------------------------


def test_a_card_is_born_drafted_and_only_once(instance: Instance) -> None:
    make(instance, story())
    with pytest.raises(ConflictError, match="is there already"):
        make(instance, story())
    for state in ("planned", "published", "done", "deleted"):
        with pytest.raises(RefusedError, match="born drafted"):
            make(instance, story(2, state=state))


def external(**more: Any) -> Card:
    data = {"id": "EXT-00000001", "kind": "external", "title": "Their issue", "team": "data", "state": "published"}
    return Card.model_validate({**data, **more})


def test_only_a_mirror_makes_an_external_card(instance: Instance) -> None:
    for actor in (DRAFT, ADA):
        with pytest.raises(OwnershipError, match="only by mirroring"):
            make(instance, external(), actor)
    make(instance, external(), MIRROR)
    with pytest.raises(OwnershipError, match="cannot belong to team growth"):
        make(instance, external(id="EXT-00000002", team="growth"), MIRROR)


def test_a_card_of_ours_cannot_be_given_to_a_team_that_writes_its_own(instance: Instance) -> None:
    with pytest.raises(OwnershipError, match="cannot belong to team data"):
        make(instance, story(team="data"))


@pytest.mark.parametrize(
    ("card", "text"),
    [
        (story(team="nobody"), "team 'nobody' is not in config"),
        (story(due="2031-Q9"), "neither a milestone of config"),
        (story().model_copy(update={"id": "GAT-00000001"}), "the id of a story is STY"),
        (story().model_copy(update={"id": "STY-0000000I"}), "the id of a story is STY"),
        (story(anchors=["STY-00000002"]), "is not the id of a claim"),
        (story(anchors=["ANC-00000001", "ANC-00000001"]), "is there twice"),
        (story(depends_on=[{"card": "STY-00000001", "because": [RULE]}]), "refers to itself"),
        (story(depends_on=[{"card": "ANC-00000001", "because": [RULE]}]), "is not the id of a card"),
        (story(acceptance=[*LINES, *LINES]), "acceptance line A1 is there twice"),
        (story(acceptance=[{"id": "A1", "text": "x", "tightens": "A9"}]), "tightens A9"),
    ],
)
def test_what_config_does_not_know_is_refused_before_anything_is_written(instance: Instance, card: Card, text: str) -> None:
    with pytest.raises(ManyErrors) as error:
        make(instance, card, Actor("Ada", "person"))
    assert any(text in one.message for one in error.value.errors)
    assert files_of(instance) == {}


def test_a_new_prefix_and_team_change_no_code(tmp_path: Path) -> None:
    config = CONFIG.replace("id: growth,", "id: 성장,").replace("default_team: growth", "default_team: 성장")
    prefixes = "".join(
        f"  - {{prefix: {prefix}, kind: {kind}}}\n"
        for prefix, kind in [
            ("주장", "anchor"), ("에픽", "epic"), ("이야기", "story"), ("관문", "gate"), ("결정", "decision"),
            ("요청", "request"), ("이전", "migration"), ("외부", "external"),
        ]
    )  # fmt: skip
    korean = make_instance(tmp_path, config + "prefixes:\n" + prefixes)
    card = Card(id="이야기-7Q4M2K9X", kind="story", title="알림 발송", team="성장", anchors=("주장-7Q4M2K9X",))
    make(korean, card)
    assert cards.load(view(korean), korean, card.id).card == card


# --- edits -----------------------------------------------------------------------------------------------------------


def test_an_edit_that_changes_nothing_writes_nothing(instance: Instance) -> None:
    make(instance, story(acceptance=LINES))
    path = instance.cards_dir / "STY-00000001.yaml"
    path.write_text("# a comment of mine\n" + path.read_text().replace("title: Story 1", "title:   'Story 1'"))
    file = cards.load(view(instance), instance, "STY-00000001")
    tx = transaction(instance)
    assert cards.edit(tx, instance, file.card, {"title": "Story 1"}, actor=ADA, expected=file.sha256) == file.card
    assert tx.changed == ()


def test_comments_of_a_person_stay(instance: Instance) -> None:
    sha256 = make(instance, story(acceptance=LINES))
    path = instance.cards_dir / "STY-00000001.yaml"
    path.write_text(path.read_text().replace("acceptance:", "# agreed with Kim\nacceptance:"))
    file = cards.load(view(instance), instance, "STY-00000001")
    assert file.sha256 != sha256
    after = change(instance, file.card, file.sha256, notes="x")
    assert "# agreed with Kim" in path.read_text()
    assert cards.load(view(instance), instance, "STY-00000001").card == after


def test_two_editors_never_lose_each_others_edit(instance: Instance) -> None:
    sha256 = make(instance, story())
    change(instance, story(), sha256, notes="first")
    before = files_of(instance)
    with pytest.raises(ConflictError, match="changed since it was read"):
        change(instance, story(), sha256, notes="second")
    assert files_of(instance) == before


def test_a_card_that_is_not_the_one_on_disk_opens_no_rule(instance: Instance) -> None:
    sha256 = put(instance, story(state="done"))
    with pytest.raises(ConflictError):
        change(instance, story(state="drafted"), sha256, title="rewritten")


def test_a_card_that_is_gone_is_a_conflict(instance: Instance) -> None:
    with pytest.raises(ConflictError, match="gone"):
        change(instance, story(), "0" * 64, notes="x")


def test_edits_of_several_cards_happen_together_or_not_at_all(instance: Instance) -> None:
    first, second = make(instance, story(1)), put(instance, story(2, state="done"))
    before = files_of(instance)
    tx = transaction(instance)
    cards.edit(tx, instance, story(1), {"notes": "x"}, actor=ADA, expected=first)
    with pytest.raises(ImmutableCardError):
        cards.edit(tx, instance, story(2, state="done"), {"notes": "x"}, actor=ADA, expected=second)
    assert files_of(instance) == before


def test_a_card_can_be_edited_twice_in_one_transaction(instance: Instance) -> None:
    expected = make(instance, story())
    tx = transaction(instance)
    once = cards.edit(tx, instance, story(), {"notes": "x"}, actor=ADA, expected=expected)
    pending = cards.load(tx, instance, once.id)
    twice = cards.edit(tx, instance, pending.card, {"due": "2026-Q4"}, actor=ADA, expected=pending.sha256)
    tx.commit()
    assert cards.load(view(instance), instance, once.id).card == twice
    assert (twice.notes, twice.due) == ("x", "2026-Q4")


def test_records_and_plain_data_are_both_patches(instance: Instance) -> None:
    sha256 = make(instance, story(acceptance=LINES))
    card = story(acceptance=LINES)
    after = change(instance, card, sha256, acceptance=(*card.acceptance, {"id": "A2", "text": "Fast"}))
    assert [line.text for line in after.acceptance] == ["It works", "Fast"]


def test_an_unknown_field_belongs_to_nobody(instance: Instance) -> None:
    sha256 = make(instance, story())
    with pytest.raises(OwnershipError, match="`surprise`"):
        change(instance, story(), sha256, surprise=1)


def test_id_and_kind_are_kept_for_ever(instance: Instance) -> None:
    sha256 = make(instance, story())
    with pytest.raises(ImmutableCardError, match="`kind`"):
        change(instance, story(), sha256, kind="epic")
    with pytest.raises(ImmutableCardError, match="`id`"):
        change(instance, story(), sha256, id="STY-00000002")


@pytest.mark.parametrize("patch", [{"title": "New"}, {"notes": "x"}, {"state": "drafted"}, {"depends_on": []}])
def test_nothing_of_a_done_card_changes_and_the_error_names_the_way_out(instance: Instance, patch: dict[str, Any]) -> None:
    card = story(state="done", depends_on=[{"card": "STY-00000002", "because": [RULE]}])
    sha256 = put(instance, card)
    with pytest.raises(ImmutableCardError, match="STY-00000001 is done") as error:
        change(instance, card, sha256, **patch)
    assert error.value.fix == "isopod migrate STY-00000001 --line A1"


def test_the_tracker_is_outside_the_seal(instance: Instance) -> None:
    card = story(state="done")
    tracker = {"provider": "local", "site": "here", "id": "1", "key": "L-1"}
    after = change(instance, card, put(instance, card), Actor("isopod", "sync"), tracker=tracker)
    assert after.tracker is not None
    with pytest.raises(OwnershipError, match="`tracker` belongs to publish and sync and the mirror"):
        change(instance, after, put(instance, after), tracker=None)


PUBLISHED = story(state="published", acceptance=LINES, anchors=["ANC-00000001"], title_by="Ada")


@pytest.mark.parametrize(
    "patch",
    [
        {"acceptance": [*LINES, {"id": "A2", "text": "It works within 50 ms", "tightens": "A1"}]},
        {"anchors": ["ANC-00000001", "ANC-00000002"]},
        {"subtasks": [{"id": "S1", "text": "write it"}]},
        {"notes": "x"},
        {"due": "2027-01-31"},
        {"team": "web"},
        {"depends_on": [{"card": "STY-00000002", "because": [{"person": "Ada", "text": "x", "at": "2026-11-30T09:00:00Z"}]}]},
        {"title": "Another title"},
    ],
)
def test_a_published_card_grows_and_stays_published(instance: Instance, patch: dict[str, Any]) -> None:
    assert change(instance, PUBLISHED, put(instance, PUBLISHED), **patch).state == "published"


@pytest.mark.parametrize(
    "patch",
    [
        {"acceptance": []},
        {"acceptance": [{"id": "A1", "text": "It works mostly"}]},
        {"acceptance": [{"id": "A2", "text": "before"}, *LINES]},
        {"anchors": []},
        {"parent": "EPC-00000001"},
        {"related": ["STY-00000002"]},
        {"start": True},
        {"state": "planned"},
        {"state": "drafted"},
    ],
)
def test_a_published_card_loses_nothing(instance: Instance, patch: dict[str, Any]) -> None:
    with pytest.raises(ImmutableCardError, match="STY-00000001"):
        change(instance, PUBLISHED, put(instance, PUBLISHED), **patch)


def test_a_published_decision_may_replace_one_more_and_keeps_those_it_replaced(instance: Instance) -> None:
    data = {"id": "DEC-00000001", "kind": "decision", "title": "Use 302", "team": "growth", "state": "published"}
    card = Card.model_validate({**data, "decision": {"supersedes": ["DEC-00000002"]}})
    more = ["DEC-00000002", "DEC-00000003"]
    assert change(instance, card, put(instance, card), decision={"supersedes": more}).decision is not None
    with pytest.raises(ImmutableCardError, match=r"decision.supersedes"):
        change(instance, card, put(instance, card), decision={"supersedes": ["DEC-00000003"]})


def test_the_drafter_leaves_published_cards_alone(instance: Instance) -> None:
    with pytest.raises(ImmutableCardError):
        change(instance, PUBLISHED, put(instance, PUBLISHED), DRAFT, title="x")


def test_a_persons_title_is_never_touched_again(instance: Instance) -> None:
    after = change(instance, story(), make(instance, story()), title="Mine")
    assert after.title_by == "Ada"
    with pytest.raises(OwnershipError, match="`title` belongs to Ada"):
        change(instance, after, put(instance, after), DRAFT, title="Rules know better")


@pytest.mark.parametrize("field", ["subtasks", "notes", "due"])
def test_the_drafter_cannot_write_what_is_peoples(instance: Instance, field: str) -> None:
    value: Any = [{"id": "S1", "text": "x"}] if field == "subtasks" else "2026-Q4"
    with pytest.raises(OwnershipError, match=f"`{field}` belongs to a person"):
        change(instance, story(), make(instance, story()), DRAFT, **{field: value})


DEPENDENCY = {"card": "STY-00000002", "because": [RULE], "seen": f"sha256:{'0' * 64}"}


@pytest.mark.parametrize(
    ("patch", "actor", "state"),
    [
        ({"title": "Another"}, ADA, "drafted"),
        ({"acceptance": []}, ADA, "drafted"),
        ({"anchors": []}, DRAFT, "drafted"),
        ({"depends_on": []}, DRAFT, "drafted"),
        ({"depends_on": []}, Actor("Ada", "cleanup"), "planned"),
        ({"depends_on": [{**DEPENDENCY, "seen": f"sha256:{'1' * 64}"}]}, ADA, "planned"),
        ({"notes": "x", "due": "2026-Q4", "team": "web"}, ADA, "planned"),
    ],
)
def test_a_planned_card_falls_back_when_what_was_approved_changes(
    instance: Instance, patch: dict[str, Any], actor: Actor, state: str
) -> None:
    card = story(state="planned", acceptance=LINES, anchors=["ANC-00000001"], depends_on=[DEPENDENCY])
    assert change(instance, card, put(instance, card), actor, **patch).state == state


def test_clean_up_only_takes_away(instance: Instance) -> None:
    card = story(state="planned", depends_on=[DEPENDENCY])
    with pytest.raises(OwnershipError, match="only takes away"):
        change(
            instance,
            card,
            put(instance, card),
            Actor("Ada", "cleanup"),
            depends_on=[DEPENDENCY, {"card": "STY-00000003", "because": [RULE]}],
        )


def test_a_fix_renames_claims_and_nothing_else(instance: Instance) -> None:
    line = {"id": "A1", "text": "It works", "anchors": ["ANC-00000001"]}
    card = story(state="planned", anchors=["ANC-00000001"], acceptance=[line])
    fix = Actor("isopod", "fix")
    renamed = {"anchors": ["ANC-00000002"], "acceptance": [{**line, "anchors": ["ANC-00000002"]}]}
    assert change(instance, card, put(instance, card), fix, **renamed).state == "planned"
    with pytest.raises(OwnershipError, match="only renames claims"):
        change(instance, card, put(instance, card), fix, acceptance=[{**line, "text": "It fails"}])


def test_approve_publish_start_and_done_in_order(instance: Instance) -> None:
    card = story()
    expected = make(instance, card)
    for state, actor in [
        ("planned", ADA),
        ("published", Actor("isopod", "publish")),
        ("in_progress", ADA),
        ("in_review", Actor("isopod", "sync")),
        ("done", ADA),
    ]:
        card = change(instance, card, expected, actor, state=state)
        expected = digest((instance.cards_dir / f"{card.id}.yaml").read_bytes())
    assert card.state == "done"


def test_a_move_that_the_table_does_not_know_names_the_command_that_does(instance: Instance) -> None:
    card = story(state="planned")
    with pytest.raises(ImmutableCardError, match="from planned to published") as error:
        change(instance, card, put(instance, card), state="published")
    assert error.value.fix == "isopod publish"


def test_an_external_cards_body_is_locked_and_its_mirror_is_not(instance: Instance) -> None:
    make(instance, external(), MIRROR)
    card = external()
    path = instance.cards_dir / "EXT-00000001.yaml"
    with pytest.raises(OwnershipError, match="EXT-00000001: `title` belongs to team data"):
        change(instance, card, digest(path.read_bytes()), title="Ours now")
    with pytest.raises(OwnershipError, match="`notes`"):
        change(instance, card, digest(path.read_bytes()), MIRROR, notes="x")
    card = change(instance, card, digest(path.read_bytes()), MIRROR, state="done", due="2026-12-24")
    card = change(instance, card, digest(path.read_bytes()), MIRROR, state="in_progress")
    version = {"version": 1, "text": "2,000 events a second", "by": "Ada", "at": "2026-11-30T09:00:00Z"}
    card = change(instance, card, digest(path.read_bytes()), consumer_contract=[version])
    with pytest.raises(ImmutableCardError, match="word for word"):
        change(instance, card, digest(path.read_bytes()), consumer_contract=[{**version, "text": "1,000"}])
    with pytest.raises(ManyErrors, match="count 1, 2, 3"):
        change(instance, card, digest(path.read_bytes()), consumer_contract=[version, {**version, "version": 3}])


def test_a_card_of_a_team_that_config_forgot_can_only_be_given_to_another(instance: Instance) -> None:
    card = story(team="forgotten")
    with pytest.raises(OwnershipError, match="team forgotten is not in config"):
        change(instance, card, put(instance, card), notes="x")
    assert change(instance, card, put(instance, card), team="web").team == "web"


# --- there is no second way ------------------------------------------------------------------------------------------


def test_no_other_module_writes_a_card_file() -> None:
    """Whoever hands a path below the folder of cards to a write must be store/cards.py, or write another kind of file."""
    packages = ("schemas", "text", "store", "gates", "trackers", "pipeline", "isopod")
    offenders = []
    for package in packages:
        for path in sorted((REPOSITORY / package).rglob("*.py")):
            if path.relative_to(REPOSITORY).as_posix() == "store/cards.py":
                continue
            tree = ast.parse(path.read_text(encoding="utf-8"))
            offenders += [f"{path.name}:{line}" for line in _card_writes(tree)]
    assert offenders == []


_WRITES = {"write", "write_text", "write_bytes", "write_by_content", "delete", "rename", "unlink"}
_CARD_WORDS = {"cards.path_of", "cards.to_text", "cards_dir"}


def _card_writes(tree: ast.AST) -> list[int]:
    """Lines of functions that write something and also name a card's file, its text or the folder of cards."""
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and _called(node) & _WRITES and _words(node) & _CARD_WORDS
    ]


def _called(tree: ast.AST) -> set[str]:
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return {call.attr if isinstance(call, ast.Attribute) else getattr(call, "id", "") for call in calls}


def _words(tree: ast.AST) -> set[str]:
    attributes = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    dotted = {f"{node.value.id}.{node.attr}" for node in attributes if isinstance(node.value, ast.Name)}
    return dotted | {node.attr for node in attributes}


@pytest.mark.parametrize(
    ("body", "seen"),
    [
        ("tx.write(cards.path_of(instance, x), b'')", True),
        ("path = cards.path_of(instance, x); tx.write(path, b'')", True),
        ("(instance.cards_dir / 'STY-1.yaml').write_text('x')", True),
        ("tx.write(anchors.path_of(instance, key), b'')", False),
        ("cards.edit(tx, instance, card, {}, actor=actor, expected=None)", False),
    ],
)
def test_the_static_check_sees_a_second_way(body: str, seen: bool) -> None:
    assert bool(_card_writes(ast.parse(f"def f():\n    {body}\n"))) is seen
