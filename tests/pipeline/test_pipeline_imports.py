"""Items of other tools as cards: what maps to what, what is refused, and that nothing is guessed, lost or made twice."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scenes import SAID, Scene, fingerprint

from gates.run import audit
from pipeline.imports.bring import Brought, ImportOptions, bring
from pipeline.imports.markdown import lines, parts, steps
from pipeline.imports.placing import place
from pipeline.imports.protocol import Foreign, Foreigners, ImportRequest
from pipeline.imports.registry import importer_of, importers
from pipeline.imports.stages import Stages
from schemas.errors import OwnershipError, Place, RefusedError
from schemas.imported import ImportedItem
from store.instance import open_instance
from store.snapshot import load


def put(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def task(item_id: str, title: str = "A title", more: str = "", body: str = "", status: str = "To Do") -> str:
    return f"---\nid: {item_id}\ntitle: {title}\nstatus: {status}\n{more}---\n{body}"


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene.new(tmp_path / "instance")


@pytest.fixture
def backlog(tmp_path: Path) -> Path:
    folder = tmp_path / "project" / "backlog"
    (folder / "tasks").mkdir(parents=True)
    return folder


def run(scene: Scene, kind: str, path: Path, columns: dict[str, str] | None = None, **options: Any) -> Brought:
    wanted = ImportOptions(**({"team": "growth"} | options))
    request = ImportRequest(path, path.name, columns or {})
    return bring(load(open_instance(scene.root)), importer_of(kind), request, wanted, SAID)


def item(brought: Brought, theirs: str) -> ImportedItem:
    (found,) = [one for one in brought.items if one.theirs == theirs]
    return found


def card_of(brought: Brought, theirs: str) -> Any:
    card = item(brought, theirs).card
    assert card is not None
    return brought.hand.card(card)


def refusals(brought: Brought) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for one in brought.refused:
        found.setdefault(one.code, []).append(one.message)
    return found


# --- the importers ----------------------------------------------------------------------------------------------------


def test_every_kind_is_found_and_another_one_names_them() -> None:
    assert list(importers()) == ["backlog-md", "beads", "csv", "task-master"]
    with pytest.raises(RefusedError, match="backlog-md, beads, csv, task-master"):
        importer_of("jira")


def test_a_markdown_task_keeps_its_own_text(scene: Scene, backlog: Path) -> None:
    body = """
## Description

<!-- SECTION:DESCRIPTION:BEGIN -->
Why it is there.
<!-- SECTION:DESCRIPTION:END -->

## Acceptance Criteria
<!-- AC:BEGIN -->
- [x] #1 The first holds
  over two lines
- [ ] #2 **한국어** 줄
<!-- AC:END -->

## Definition of Done
- [x] #1 tests pass
- [ ] #2 docs

## Plan

```
## Acceptance Criteria
```
"""
    put(
        backlog, "tasks/back-1 - One.md", task("BACK-1", "'One: two'", "priority: high\nlabels: [a, b]\n", body, "Done")
    )
    card = card_of(run(scene, "backlog-md", backlog), "BACK-1")
    assert (card.kind, card.state, card.title, card.title_by) == ("story", "drafted", "One: two", SAID.by)
    assert (card.spec, card.anchors) == (None, ())
    assert [line.text for line in card.acceptance] == ["The first holds over two lines", "**한국어** 줄"]
    assert [(step.text, step.done) for step in card.subtasks] == [("tests pass", True), ("docs", False)]
    assert card.notes.startswith(
        "Imported from Backlog.md, backlog: BACK-1\nIt is Done there; a card becomes done by evidence"
    )
    assert "priority: high\nlabels: a, b" in card.notes
    assert "## Description\n\nWhy it is there." in card.notes
    assert "```\n## Acceptance Criteria\n```" in card.notes
    assert "SECTION" not in card.notes


def test_renamed_prefixes_are_found_by_number_and_only_where_no_item_bears_the_old_one(
    scene: Scene, backlog: Path
) -> None:
    put(backlog, "tasks/a.md", task("BACK-1"))
    put(backlog, "tasks/b.md", task("BACK-2", more="dependencies: [task-1]\n"))
    put(backlog, "drafts/c.md", task("DRAFT-3", more="dependencies: [draft-1, task-9]\n", status="Draft"))
    brought = run(scene, "backlog-md", backlog.parent)
    assert item(brought, "BACK-2").waits_for == (item(brought, "BACK-1").card,)
    assert item(brought, "BACK-2").renamed == ("task-1",)
    assert refusals(brought)["dangling-edge"] == [
        "DRAFT-3 waits for draft-1, which is not here",
        "DRAFT-3 waits for task-9, which is not here",
    ]


def test_parents_milestones_decisions_documents_and_the_archive(scene: Scene, backlog: Path) -> None:
    put(backlog, "tasks/1.md", task("BACK-1", more="milestone: m-1\n"))
    put(
        backlog,
        "tasks/1.1.md",
        task("BACK-1.1", more="parent_task_id: BACK-1\nmilestone: m-1\ndependencies: [BACK-1]\n"),
    )
    put(backlog, "tasks/2.md", task("BACK-2", more="dependencies: [BACK-3]\nmilestone: later\n"))
    put(backlog, "milestones/m-1.md", "---\nid: m-1\ntitle: First\n---\n")
    put(backlog, "decisions/d1.md", task("decision-1", status="accepted"))
    put(backlog, "decisions/d2.md", task("decision-2", status="proposed"))
    put(backlog, "decisions/d3.md", task("decision-3", status="superseded"))
    put(backlog, "archive/tasks/3.md", task("BACK-3"))
    put(backlog, "docs/doc.md", "---\nid: doc-1\ntitle: Guide\n---\n")
    put(backlog, "tasks/readme.md", "# no front matter\n")
    brought = run(scene, "backlog-md", backlog)
    kinds = {one.theirs: (one.kind, one.outcome) for one in brought.items}
    assert kinds == {
        "BACK-1": ("epic", "new"),
        "BACK-1.1": ("story", "new"),
        "BACK-2": ("story", "new"),
        "m-1": ("epic", "new"),
        "decision-1": ("decision", "new"),
        "decision-2": ("gate", "new"),
        "decision-3": (None, "left-out"),
        "BACK-3": (None, "left-out"),
        "doc-1": (None, "left-out"),
    }
    assert item(brought, "BACK-1.1").parent == item(brought, "BACK-1").card
    assert item(brought, "BACK-1").parent == item(brought, "m-1").card
    assert item(brought, "BACK-2").parent is None
    assert "milestone: later" in card_of(brought, "BACK-2").notes
    assert brought.passed_by == 1
    assert refusals(brought) == {
        "edge-to-epic-above": ["BACK-1.1 waits for BACK-1, which it is part of: neither could ever be done"],
        "dangling-edge": ["BACK-2 waits for BACK-3, which is left out: archived there"],
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("---\nid: X-1\ntitle: {a: b\n---\n", "did not find expected"),
        ("---\nid: X-1\ntitle: !!python/object:os.system x\n---\n", "the YAML tag"),
        ("---\nid: &a X-1\ntitle: *a\n---\n", "the YAML anchor"),
        ("---\nid: X-1\nid: X-2\n---\n", "is there twice"),
        ("---\nid: X-1\ntitle: never ends\n", "has no end"),
        ("---\n- a\n- b\n---\n", "is no map"),
        ("---\ntitle: nameless\n---\n", "has no id"),
        ("---\nid: X-1\ntitle: '  '\n---\n", "has no title"),
        ("<<<<<<< a\n=======\n>>>>>>> b\n", None),
        ("---\nid: X-1\n<<<<<<< a\ntitle: a\n=======\ntitle: b\n>>>>>>> b\n---\n", "conflict markers"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_with_its_place_and_the_rest_is_taken(
    scene: Scene, backlog: Path, text: str, said: str | None
) -> None:
    put(backlog, "tasks/bad.md", text)
    put(backlog, "tasks/good.md", task("X-7", more="assignee: @kim\n"))
    brought = run(scene, "backlog-md", backlog)
    assert [one.theirs for one in brought.items] == ["X-7"]
    assert "assignee: @kim" in card_of(brought, "X-7").notes
    if said is None:
        assert (brought.refused, brought.passed_by) == ((), 1)
    else:
        (one,) = brought.refused
        assert said in one.message
        assert one.where.file == "backlog/tasks/bad.md"


def test_links_bytes_that_are_no_text_and_large_files_are_refused(scene: Scene, backlog: Path, tmp_path: Path) -> None:
    secret = put(tmp_path, "secret.md", task("SECRET-1"))
    (backlog / "tasks" / "link.md").symlink_to(secret)
    (backlog / "tasks" / "folder").symlink_to(tmp_path)
    (backlog / "tasks" / "latin.md").write_bytes(b"---\nid: X-1\ntitle: caf\xe9\n---\n")
    (backlog / "tasks" / "large.md").write_bytes(b"---\n" + b"x" * 2_000_001)
    put(backlog, "tasks/good.md", task("X-7"))
    brought = run(scene, "backlog-md", backlog)
    assert [one.theirs for one in brought.items] == ["X-7"]
    assert {one.where.file.rpartition("/")[2]: one.code for one in brought.refused} == {
        "link.md": "unreadable",
        "latin.md": "unreadable",
        "large.md": "too-large",
    }


def test_task_master_with_tags_subtasks_and_their_edges(scene: Scene, tmp_path: Path) -> None:
    one = {
        "id": 1,
        "title": "One",
        "status": "pending",
        "dependencies": [],
        "description": "What.",
        "details": "How.",
        "testStrategy": "Run it.",
        "priority": "high",
        "subtasks": [
            {"id": 1, "title": "First", "status": "done", "dependencies": [], "details": "Of the first."},
            {"id": 2, "title": "Second", "status": "pending", "dependencies": ["1.1", 1, "2.1"]},
            {"id": 3, "title": "Third", "status": "pending", "dependencies": [4]},
            {"id": 4, "title": "Fourth", "status": "pending", "dependencies": []},
        ],
    }
    two = {"id": "2", "title": "Two", "status": "review", "dependencies": []}
    other = {"id": 1, "title": "Other", "status": "cancelled", "dependencies": []}
    tags = {"master": {"tasks": [one, two]}, "later": {"tasks": [other]}, "meta": {"x": 1}}
    path = put(tmp_path, "tasks.json", json.dumps(tags))
    brought = run(scene, "task-master", path)
    card = card_of(brought, "master/1")
    assert [(step.text, step.done) for step in card.subtasks][:2] == [("First", True), ("Second", False)]
    assert [line.text for line in card.acceptance] == ["Run it."]
    assert "What.\n\nHow.\n\nS1 First\n\nOf the first." in card.notes
    assert item(brought, "master/1").waits_for == (item(brought, "master/2").card,)
    assert item(brought, "later/1").outcome == "left-out"
    assert refusals(brought) == {"subtask-edge": ["master/1: step 3 waits for 4, which does not come before it"]}
    old = put(tmp_path, "old.json", json.dumps({"tasks": [two]}))
    assert [one.theirs for one in run(scene, "task-master", old).items] == ["2"]


@pytest.mark.parametrize("text", ["[]", "{}", '{"tasks": 3}', "{", '{"a": 1, "a": 2}', '{"tasks": [NaN]}', "null"])
def test_a_file_that_holds_no_tasks_is_refused_whole(scene: Scene, tmp_path: Path, text: str) -> None:
    with pytest.raises(RefusedError):
        run(scene, "task-master", put(tmp_path, "tasks.json", text))


def test_beads_issues_their_relations_and_lines_that_are_none(scene: Scene, tmp_path: Path) -> None:
    def edge(to: str, kind: str) -> dict[str, str]:
        return {"issue_id": "x", "depends_on_id": to, "type": kind}

    issues: list[Any] = [
        {"id": "bd-1", "title": "Whole", "status": "open", "issue_type": "epic"},
        {
            "id": "bd-1.1",
            "title": "Part",
            "status": "in_progress",
            "issue_type": "bug",
            "priority": 1,
            "description": "It breaks.",
            "acceptance_criteria": "It holds.\n\nAlways.",
            "dependencies": [
                edge("bd-1", "parent-child"),
                edge("bd-2", "blocks"),
                edge("bd-3", "related"),
                edge("bd-3", "waits-for"),
                {"type": "blocks"},
                7,
            ],
        },
        {"id": "bd-2", "title": "Gone", "status": "closed", "close_reason": "shipped"},
        {"id": "bd-3", "title": "Other", "status": "hooked"},
        {"id": "bd-4", "title": "Deleted", "status": "tombstone"},
        {"id": "bd-5", "title": "Hello", "status": "open", "issue_type": "message"},
        {"title": "nameless"},
        [],
    ]
    rows = [json.dumps(issue) for issue in issues]
    path = put(
        tmp_path, "issues.jsonl", "\n".join([*rows, rows[0], '{"id": ', "", '{"id": "bd-9", "title": "\\ud800"}'])
    )
    brought = run(scene, "beads", path)
    card = card_of(brought, "bd-1.1")
    assert card.parent == item(brought, "bd-1").card
    assert item(brought, "bd-1.1").waits_for == (item(brought, "bd-2").card,)
    assert card.related == (item(brought, "bd-3").card,)
    assert [line.text for line in card.acceptance] == ["It holds.", "Always."]
    assert "priority: 1\nissue_type: bug" in card.notes
    assert "## Closed because\n\nshipped" in card_of(brought, "bd-2").notes
    outcomes = {one.theirs: one.outcome for one in brought.items}
    assert (outcomes["bd-4"], outcomes["bd-5"]) == ("left-out", "left-out")
    places = {(one.code, one.where.line) for one in brought.refused}
    assert places == {("unknown-edge", 2), ("no-id", 7), ("unreadable", 8), ("unreadable", 10), ("unreadable", 12)}


def test_a_table_as_jira_exports_it(scene: Scene, tmp_path: Path) -> None:
    text = (
        "\ufeffIssue key,Summary,Status,Issue Type,Description,Inward issue link (Blocks),Inward issue link (Blocks),"
        "Outward issue link (Blocks),Due date,Parent key\r\n"
        'GR-1,"=HYPERLINK(""x"")",Open,Bug,"Two\r\nlines",GR-2,GR-3,,2026-11-30,GR-9\r\n'
        "GR-2,Two,Waiting for legal,Task,,,,GR-3,,\r\n"
        "GR-3,Three,Done,Task,,,,GR-7,30/Nov/26,\r\n"
        ",Nameless,Open,Task,,,,,,\r\n"
        "GR-9,Nine,Open,Epic,,,,,,\r\n"
    )
    path = put(tmp_path, "issues.csv", text)
    brought = run(scene, "csv", path)
    card = card_of(brought, "GR-1")
    assert card.title == '=HYPERLINK("x")'
    assert "type: Bug" in card.notes
    assert card.notes.endswith("Two\nlines")
    assert (card.due, card.parent) == ("2026-11-30", item(brought, "GR-9").card)
    assert item(brought, "GR-1").waits_for == (item(brought, "GR-3").card,)
    assert refusals(brought) == {
        "no-id": ["this row has no id"],
        "unknown-status": ["GR-2: what the status 'Waiting for legal' means is not known"],
        "dangling-edge": [
            "GR-3 blocks gr-7, which is not here",
            "GR-1 waits for GR-2, which is refused",
            "GR-3 waits for GR-2, which is refused",
        ],
        "unknown-date": [
            "GR-3 is due '30/Nov/26', which is neither a milestone of config nor a date such as 2026-11-30"
        ],
    }
    assert [one.where.line for one in brought.refused if one.code == "no-id"] == [6]
    said = run(scene, "csv", path, stages=Stages.of(["waiting for LEGAL=open"]))
    assert item(said, "GR-2").outcome == "new"
    assert item(said, "GR-3").waits_for == (item(said, "GR-2").card,)


def test_columns_are_said_and_unknown_ones_are_refused_with_those_that_there_are(scene: Scene, tmp_path: Path) -> None:
    path = put(tmp_path, "issues.csv", "Nummer;Was;Zustand\n1;Eins;open\n")
    with pytest.raises(RefusedError, match="Nummer, Was, Zustand") as refused:
        run(scene, "csv", path)
    assert refused.value.fix == "--map id=COLUMN --map title=COLUMN"
    brought = run(scene, "csv", path, {"id": "nummer", "title": "Was"})
    assert item(brought, "1").title == "Eins"
    with pytest.raises(RefusedError, match="no column is called 'Wer'"):
        run(scene, "csv", path, {"id": "Nummer", "title": "Wer"})
    with pytest.raises(RefusedError, match="no field is called 'name'"):
        run(scene, "csv", path, {"name": "Was"})
    with pytest.raises(RefusedError):
        run(scene, "csv", put(tmp_path, "broken.csv", 'id,title\n1,"never ends\n'))
    with pytest.raises(RefusedError, match="empty"):
        run(scene, "csv", put(tmp_path, "empty.csv", ""))


# --- rules for all of them --------------------------------------------------------------------------------------------


def foreigners(*items: Foreign) -> Foreigners:
    return Foreigners(items)


def one_of(item_id: str, **more: Any) -> Foreign:
    return Foreign(id=item_id, where=Place(f"{item_id}.md"), title=more.pop("title", item_id), **more)


def test_of_two_items_with_one_id_neither_is_taken() -> None:
    placing = place(
        foreigners(one_of("A-1"), one_of("a-1"), one_of("B", waits_for=("A-1",))), Stages(), open_only=False
    )
    assert [one.item.id for one in placing.placed] == ["B"]
    assert [one.code for one in placing.refused] == ["duplicate-id", "duplicate-id", "dangling-edge"]
    assert placing.refused[2].message == "B waits for A-1, which is refused"


def test_an_archived_twin_does_not_take_the_live_one_down() -> None:
    placing = place(foreigners(one_of("A", left_out="archived there"), one_of("A")), Stages(), open_only=False)
    assert [(one.item.id, one.left_out) for one in placing.placed] == [("A", None)]
    assert [one.code for one in placing.refused] == ["duplicate-id"]


def test_every_edge_of_a_circle_is_refused_and_edges_into_it_stay() -> None:
    items = [one_of("A", waits_for=("B",)), one_of("B", waits_for=("C",)), one_of("C", waits_for=("A", "C"))]
    placing = place(foreigners(*items, one_of("D", waits_for=("A",))), Stages(), open_only=False)
    assert [[other.item.id for other in one.waits_for] for one in placing.placed] == [[], [], [], ["A"]]
    assert [one.code for one in placing.refused] == ["dangling-edge", "cycle", "cycle", "cycle"]
    assert "A -> B -> C -> A" in placing.refused[1].message


def test_nothing_is_part_of_itself_however_far() -> None:
    items = [one_of("A", parent="B"), one_of("B", parent="A"), one_of("C", parent="A")]
    placing = place(foreigners(*items), Stages(), open_only=False)
    assert {one.item.id: one.parent.item.id if one.parent else None for one in placing.placed} == {
        "A": None,
        "B": "A",
        "C": "A",
    }
    assert [one.code for one in placing.refused] == ["no-parent"]


def test_what_is_dropped_or_done_there() -> None:
    items = [one_of("A", status="Won’t do"), one_of("B", status="DONE"), one_of("C", status="In_Progress")]
    placing = place(foreigners(*items), Stages(), open_only=False)
    assert [(one.stage, one.left_out is None) for one in placing.placed] == [
        ("dropped", False),
        ("done", True),
        ("underway", True),
    ]
    only = place(foreigners(*items), Stages(), open_only=True)
    assert [one.left_out is None for one in only.placed] == [False, False, True]


def test_a_status_is_explained_by_one_of_four_stages() -> None:
    with pytest.raises(RefusedError, match="open, underway, done, dropped"):
        Stages.of(["Legal=soon"])
    assert Stages.of(["a=b=done"]).of_status("A=B") == "done"


NAMES = st.sampled_from(["A", "B", "C", "D", "E", "a", "nowhere"])
ITEMS = st.lists(
    st.builds(
        one_of,
        NAMES,
        waits_for=st.lists(NAMES, max_size=4).map(tuple),
        related=st.lists(NAMES, max_size=2).map(tuple),
        parent=st.none() | NAMES,
        status=st.sampled_from(["", "done", "dropped?", "cancelled"]),
        kind=st.sampled_from(["story", "epic", "decision", "question"]),
        left_out=st.none() | st.just("archived"),
    ),
    max_size=8,
)


@given(ITEMS)
@settings(max_examples=200)
def test_whatever_a_source_holds_every_item_is_told_and_no_circle_is_left(items: list[Foreign]) -> None:
    placing = place(foreigners(*items), Stages(), open_only=False)
    refused = sum(one.code in ("no-title", "duplicate-id", "unknown-status", "too-large") for one in placing.refused)
    assert len(placing.placed) + refused == len(items)
    taken = [one for one in placing.placed if one.left_out is None]
    for one in taken:
        assert all(other in taken for other in (*one.waits_for, *one.related))
        assert not set(map(id, one.above())) & {id(one), *map(id, one.waits_for)}
        assert one.parent is None or one.parent.kind == "epic"
    left = list(taken)
    while ready := [one for one in left if not any(other in left for other in one.waits_for)]:
        left = [one for one in left if one not in ready]
    assert left == []


@given(st.text(alphabet="-*+ 1.[]x#`~\n\tab한", max_size=80))
@settings(max_examples=200)
def test_no_word_of_a_text_is_lost_when_it_becomes_lines(text: str) -> None:
    words = [word for word in text.split() if word.strip("-*+1.[]x#`~")]
    kept = " ".join(lines(text)).split()
    assert [word for word in kept if word.strip("-*+1.[]x#`~")] == words
    assert all(one.text == " ".join(one.text.split()) for one in steps(text))
    parts(text)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from(
    [
        "id", "title", "status", "issue_type", "dependencies", "description",
        "acceptance_criteria", "labels", "subtasks", "testStrategy", "details", "type",
        "depends_on_id", "parent_task_id", "milestone", "priority",
    ]
)  # fmt: skip
ODD = st.dictionaries(KEYS, VALUES, max_size=8)


@given(st.lists(ODD | VALUES, max_size=5), st.text(max_size=60), st.text(max_size=60))
@settings(max_examples=150, deadline=None)
def test_whatever_lies_in_a_file_it_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, issues: list[Any], text: str, table: str
) -> None:
    folder = tmp_path_factory.mktemp("odd")
    put(folder, "issues.jsonl", "\n".join(map(json.dumps, issues)))
    put(folder, "tasks.json", json.dumps({"tasks": issues}))
    front = "\n".join(
        f"{key}: {json.dumps(value)}" for one in issues if isinstance(one, dict) for key, value in one.items()
    )
    put(folder, "tasks/odd.md", f"---\n{front}\n---\n{text}")
    put(folder, "tasks/text.md", f"---\n{text}\n---\n{table}")
    (folder / "issues.csv").write_bytes(f"id,title,blocks\n{table}".encode("utf-8", "replace"))
    for kind, name in (
        ("beads", "issues.jsonl"),
        ("task-master", "tasks.json"),
        ("csv", "issues.csv"),
        ("backlog-md", ""),
    ):
        try:
            found = importer_of(kind).read(ImportRequest(folder / name, name or "folder"))
        except RefusedError:
            continue
        placing = place(found, Stages(), open_only=False)
        assert all(one.item.id for one in placing.placed)


# --- in an instance ---------------------------------------------------------------------------------------------------


def test_importing_twice_changes_nothing_and_a_new_item_joins_those_that_are_here(scene: Scene, backlog: Path) -> None:
    put(backlog, "tasks/1.md", task("T-1"))
    put(backlog, "tasks/2.md", task("T-2", more="dependencies: [T-1]\n"))
    run(scene, "backlog-md", backlog).hand.transaction.commit()
    before = fingerprint(scene.root)
    again = run(scene, "backlog-md", backlog)
    assert (again.hand.transaction.changed, {one.outcome for one in again.items}) == ((), {"here"})
    put(backlog, "tasks/1.md", task("T-1", "Another title"))
    put(backlog, "tasks/3.md", task("T-3", more="dependencies: [T-2]\nparent_task_id: T-1\n"))
    third = run(scene, "backlog-md", backlog)
    third.hand.transaction.commit()
    after = fingerprint(scene.root)
    assert {path: after[path] for path in before} == before
    assert item(third, "T-3").waits_for == (item(again, "T-2").card,)
    assert item(third, "T-1").remarks == (
        "another title here: an item of another project? --name tells two sources apart",
    )
    (refused,) = third.refused
    assert refused.message.startswith("T-3 is part of T-1, which is a story here")
    other = run(scene, "backlog-md", backlog, name="shop")
    assert {one.outcome for one in other.items} == {"new"}


def test_an_edge_says_who_brought_it_and_what_the_other_card_promised(scene: Scene, tmp_path: Path) -> None:
    rows = [
        {"id": "a", "title": "A", "status": "open"},
        {"id": "b", "title": "B", "status": "open", "issue_type": "decision"},
    ]
    rows[0]["dependencies"] = [{"depends_on_id": "b", "type": "blocks"}]  # type: ignore[assignment]
    path = put(tmp_path, "issues.jsonl", "\n".join(map(json.dumps, rows)))
    brought = run(scene, "beads", path)
    (entry,) = card_of(brought, "a").depends_on
    (reason,) = entry.because
    assert reason.to_data() == {"person": SAID.by, "text": "imported from beads: a waits for b", "at": SAID.at}
    brought.hand.transaction.commit()
    found = audit(load(open_instance(scene.root))).findings
    assert [one for one in found.findings if one.severity == "error"] == []
    assert "unconfirmed-edge" not in {one.name for one in found.findings}


def test_a_team_that_writes_its_own_cards_is_refused_before_anything_is_read(scene: Scene, tmp_path: Path) -> None:
    with pytest.raises(OwnershipError, match="data"):
        run(scene, "csv", tmp_path / "nothing.csv", team="data")
    with pytest.raises(RefusedError, match="no team is called 'x'"):
        run(scene, "csv", tmp_path / "nothing.csv", team="x")
    with pytest.raises(RefusedError, match="there is no such file"):
        run(scene, "csv", tmp_path / "nothing.csv")
    with pytest.raises(RefusedError, match="this is a folder"):
        run(scene, "beads", tmp_path)
    with pytest.raises(RefusedError, match="there is no such folder"):
        run(scene, "backlog-md", tmp_path / "nothing")
    with pytest.raises(RefusedError, match="there is no item of beads"):
        run(scene, "beads", put(tmp_path, "empty.jsonl", "\n\n"))


def test_hostile_text_is_kept_as_text(scene: Scene, tmp_path: Path) -> None:
    evil = "\x00\x1b[2J\u202e../../etc <script>& {{x}} \u2028 '"
    path = put(tmp_path, "issues.jsonl", json.dumps({"id": "../../x", "title": evil, "status": "open", "notes": evil}))
    brought = run(scene, "beads", path)
    brought.hand.transaction.commit()
    (card,) = load(open_instance(scene.root)).cards
    assert card.title == " ".join(evil.split())
    assert evil.strip() in card.notes
    assert {file.name for file in (scene.root / "cards").glob("*.yaml")} == {f"{card.id}.yaml"}


# --- real projects ----------------------------------------------------------------------------------------------------


def test_a_real_backlog_md_project(scene: Scene, tmp_path: Path, cases: Path) -> None:
    with tarfile.open(cases / "cases" / "graphs" / "backlog-md-raw.tar.gz") as archive:
        archive.extractall(tmp_path / "real", filter="data")
    brought = run(scene, "backlog-md", tmp_path / "real")
    found = refusals(brought)
    assert len(found["duplicate-id"]) == 10
    assert "BACK-1 waits for task-0, which is not here" in found["dangling-edge"]
    assert sum(len(one.renamed) for one in brought.items) > 100
    assert not any(one.code == "unreadable" for one in brought.refused)
    brought.hand.transaction.commit()
    snapshot = load(open_instance(scene.root))
    assert len(snapshot.cards) == sum(one.outcome == "new" for one in brought.items) > 600
    assert not [one for one in audit(snapshot).findings.findings if one.severity == "error"]
    assert run(scene, "backlog-md", tmp_path / "real").hand.transaction.changed == ()


def test_a_real_task_master_file(scene: Scene, cases: Path) -> None:
    brought = run(scene, "task-master", cases / "cases" / "graphs" / "taskmaster-testcraft.json")
    assert len(brought.items) == 34
    assert list(refusals(brought)) == ["subtask-edge"]
    assert {brought.hand.card(one.card).state for one in brought.items if one.card} == {"drafted"}
    assert card_of(brought, "19").depends_on
