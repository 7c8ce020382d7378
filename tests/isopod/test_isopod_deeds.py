"""The commands that change cards, as they are typed: what they ask, what they show, what they leave behind."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from types import SimpleNamespace

import jsonschema
import pytest
from conftest import Run, fingerprint
from rich.cells import cell_len

from schemas.jsonschema import schema_of

STORY, FREE, QUESTION, DECISION, OLD, REQUEST = (
    "STY-00000001", "STY-00000002", "GAT-00000003", "DEC-00000004", "DEC-00000005", "REQ-00000006",
)  # fmt: skip
BY = ("--by", "김", "--because", "그렇게 정했다")
DEEDS = (
    ("approve", FREE),
    ("approve", "--spec", "links"),
    ("edit", FREE, "title=링크의 수명", "due=2026-12-31", *BY[:2]),
    ("answer", QUESTION, "--with", "유료 요금제는 365일이다", *BY),
    ("cut", FREE, *BY),
)


def text_of(root: Path, card: str) -> str:
    return (root / f"cards/{card}.yaml").read_text(encoding="utf-8")


def put(root: Path, card: str, state: str) -> None:
    old = next(line for line in text_of(root, card).splitlines() if line.startswith("state: "))
    (root / f"cards/{card}.yaml").write_text(text_of(root, card).replace(old, f"state: {state}"), encoding="utf-8")


@pytest.mark.parametrize("arguments", DEEDS, ids=lambda arguments: " ".join(arguments[:2]))
def test_a_deed_is_shown_first_and_written_when_it_is_wanted(
    instance: Path, isopod: Run, arguments: tuple[str, ...]
) -> None:
    before = fingerprint(instance)
    shown = isopod(*arguments, "--dry-run")
    assert shown.returncode == 0 and "would write cards/" in shown.stdout
    refused = isopod(*arguments)
    assert refused.returncode == 2 and "(not-confirmed)" in refused.stderr
    assert fingerprint(instance) == before
    written = isopod(*arguments, "--yes")
    assert written.returncode == 0 and "+" in written.stdout and "wrote cards/" in written.stdout
    assert fingerprint(instance) != before
    taken = isopod("undo", "--yes", "--format", "json")
    assert taken.returncode == 0 and fingerprint(instance) == before


@pytest.mark.parametrize("arguments", DEEDS, ids=lambda arguments: " ".join(arguments[:2]))
def test_a_deed_as_json_is_of_its_schema(instance: Path, isopod: Run, arguments: tuple[str, ...]) -> None:
    done = isopod(*arguments, "--yes", "--format", "json")
    data = json.loads(done.stdout)
    jsonschema.validate(data, schema_of("written"), jsonschema.Draft202012Validator)
    assert (data["command"], data["dry_run"]) == (arguments[0], False)
    assert all((instance / path).exists() for path in data["changed"])


@pytest.mark.parametrize(("answer", "written"), [("y\n", True), ("n\n", False), ("\n", False)])
def test_on_a_terminal_a_person_is_asked(
    instance: Path, isopod: Run, monkeypatch: pytest.MonkeyPatch, answer: str, written: bool
) -> None:
    monkeypatch.setattr("isopod.writing.sys", SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True)))
    done = isopod("approve", FREE, stdin=answer)
    assert done.returncode == 0
    assert "-state: drafted" in done.stdout and "Write this?" in done.stderr
    assert ("state: planned" in text_of(instance, FREE)) is written


def test_what_a_deed_says_fits_eighty_columns_in_korean(instance: Path, isopod: Run) -> None:
    title = "링크는 만든 날부터 삼십 일 동안 살고, 그 뒤에는 아무도 그 짧은 주소를 열 수 없으며 다시 쓰지도 않는다"
    assert isopod("edit", FREE, f"title={title}", "--yes").returncode == 0
    for arguments in (("approve", FREE), ("cut", FREE, *BY), ("impact", FREE)):
        flags = ("--dry-run",) if arguments[0] != "impact" else ()
        lines = isopod(*arguments, *flags).stdout.splitlines()
        told = lines[: next((number for number, line in enumerate(lines) if line.startswith("diff ")), len(lines))]
        assert told and max(map(cell_len, told)) <= 80, told


def test_a_card_goes_the_whole_way(instance: Path, isopod: Run) -> None:
    assert "drafted -> planned" in isopod("approve", FREE.lower(), "--yes").stdout
    assert "once it is published" in isopod("start", FREE, "--yes").stderr
    put(instance, FREE, "published")
    assert "published -> in progress" in isopod("start", FREE, "--yes").stdout
    assert "in progress -> in review" in isopod("review", FREE, "--yes").stdout
    assert isopod("done", FREE, "--by", "Kim", "--yes").returncode == 2
    done = isopod("done", FREE, *BY, "--yes")
    assert done.returncode == 0 and "in review -> done" in done.stdout
    assert len(list((instance / "cards/ledger").glob("?" * 64 + ".json"))) == 3
    for arguments in (("start", FREE), ("edit", FREE, "notes=x"), ("cut", FREE, *BY), ("undo",)):
        assert isopod(*arguments, "--yes").returncode == 2, arguments
    assert isopod("audit", "--select", "C240,C246").returncode == 0


def test_a_started_card_that_waits_says_for_what(instance: Path, isopod: Run) -> None:
    put(instance, STORY, "published")
    assert f"{STORY} still waits for {QUESTION}, {FREE}" in isopod("start", STORY, "--yes").stdout
    assert f"waits for {QUESTION}, {FREE}" in isopod("done", STORY, *BY, "--yes").stderr


def test_an_answer_says_what_is_ready_then(instance: Path, isopod: Run) -> None:
    done = isopod("answer", QUESTION, "--with", "365일", *BY, "--yes")
    assert f"{STORY} still waits for {FREE}" in done.stdout
    assert "planned -> drafted, so that somebody looks at it again" in " ".join(done.stdout.split())
    isopod("edit", STORY, f"depends_on-={FREE}", "--yes")
    assert "ready" in isopod("cards", "--ready").stdout
    assert STORY in isopod("frontier").stdout


def test_a_spec_is_approved_by_its_key_or_its_file(instance: Path, isopod: Run) -> None:
    put(instance, STORY, "in_review")
    done = isopod("approve", "--spec", "specs/links.md", "--yes")
    assert f"as it is, in review: {STORY}" in done.stdout
    assert f"as it is, replaced by another decision: {OLD}" in done.stdout
    assert "Nothing to write" in isopod("approve", "--spec", "links", "--yes").stdout
    assert isopod("approve", "--spec", "nowhere").returncode == 2
    assert isopod("approve").returncode == 2


def test_a_cut_names_what_it_takes_along_and_the_issue_that_publish_still_closes(instance: Path, isopod: Run) -> None:
    issue = 'tracker: {provider: jira, site: "x", id: "1", key: GROW-12}\n'
    (instance / f"cards/{FREE}.yaml").write_text(text_of(instance, FREE) + issue, encoding="utf-8")
    put(instance, FREE, "published")
    done = isopod("cut", FREE, *BY, "--yes")
    assert "1 claim out of scope: ANC-00000002" in done.stdout
    assert "issue GROW-12: the next publish comments on it" in done.stdout
    assert FREE not in text_of(instance, STORY)
    assert isopod("audit", "--select", "C210,C213,A130").returncode == 0


# --- $EDITOR ---------------------------------------------------------------------------------------------------------


def editor(root: Path, old: str, new: str) -> str:
    """An editor that replaces words, as $EDITOR names one with arguments."""
    script = root / "an editor.py"
    script.write_text(
        "import pathlib, sys\n"
        "path = pathlib.Path(sys.argv[-1])\n"
        "path.write_text(path.read_text('utf-8').replace(sys.argv[1], sys.argv[2]), 'utf-8')\n",
        encoding="utf-8",
    )
    return shlex.join([sys.executable, str(script), old, new])


def test_the_whole_card_is_edited_in_an_editor(instance: Path, isopod: Run) -> None:
    done = isopod(
        "edit", FREE, "--by", "Kim", "--yes", EDITOR=editor(instance, "링크는 만든", "모든 링크는 만든"), VISUAL=""
    )
    assert done.returncode == 0, done.stderr
    assert 'title: "모든 링크는' in text_of(instance, FREE) or "title: 모든 링크는" in text_of(instance, FREE)
    assert "title_by: Kim" in text_of(instance, FREE)


def test_an_editor_that_changes_nothing_writes_nothing(instance: Path, isopod: Run) -> None:
    before = fingerprint(instance)
    done = isopod("edit", FREE, EDITOR=editor(instance, "no such words", ""), VISUAL="")
    assert done.returncode == 0 and "Nothing to write" in done.stdout
    (instance / "an editor.py").unlink()
    assert fingerprint(instance) == before


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("notes:", "note:", "unknown key"),
        ("kind: story", "kind: {story", "invalid-yaml"),
        ("state: drafted", "state: done", "`state` is not edited by hand"),
        ("id: STY-00000002", "id: STY-00000009", "kept for ever"),
        ("card: DEC-00000004", "card: DEC-00000044", "is no card"),
    ],
)
def test_what_an_editor_leaves_broken_is_shown_kept_and_not_written(
    instance: Path, isopod: Run, old: str, new: str, said: str
) -> None:
    before = text_of(instance, FREE)
    done = isopod("edit", FREE, "--yes", EDITOR=editor(instance, old, new), VISUAL="")
    assert done.returncode == 2 and said in done.stderr
    assert text_of(instance, FREE) == before
    kept = Path(next(line for line in done.stderr.splitlines() if "is kept in" in line).rpartition("kept in ")[2])
    assert new in kept.read_text(encoding="utf-8")


def test_a_broken_text_can_be_edited_again(instance: Path, isopod: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr("isopod.editor.sys", terminal)
    # The second time the words that broke it are gone.
    twice = editor(instance, 'notes: ""', "note: x")
    script = instance / "an editor.py"
    script.write_text(script.read_text("utf-8") + "if 'note: x' in path.read_text('utf-8') and path.with_suffix('.once').exists():\n"
                      "    path.write_text(path.read_text('utf-8').replace('note: x', 'notes: x'), 'utf-8')\n"
                      "path.with_suffix('.once').touch()\n", "utf-8")  # fmt: skip
    done = isopod("edit", FREE, "--yes", stdin="y\n", EDITOR=twice, VISUAL="")
    assert done.returncode == 0, done.stderr
    assert "unknown key" in done.stderr and "Edit it again?" in done.stderr
    assert "notes: x" in text_of(instance, FREE)


@pytest.mark.parametrize(
    ("program", "code", "said"),
    [
        ("", 2, "names no editor"),
        ("false", 4, "ended with 1"),
        ("no-such-editor", 4, "cannot be started"),
        ("'", 2, "EDITOR"),
    ],
)
def test_without_a_working_editor_nothing_is_written(
    instance: Path, isopod: Run, program: str, code: int, said: str
) -> None:
    before = fingerprint(instance)
    done = isopod("edit", FREE, EDITOR=program, VISUAL="")
    assert done.returncode == code and said in done.stderr
    assert fingerprint(instance) == before


# --- what slips ------------------------------------------------------------------------------------------------------


def test_what_slips_is_listed_with_what_is_due_too_early_first(instance: Path, isopod: Run) -> None:
    isopod("edit", STORY, "due=2026-12-01", "--yes")
    isopod("edit", FREE, "due=2026-12-31", "--yes")
    shown = isopod("impact", FREE).stdout
    assert "Due before what they wait for (1)" in shown and f"2026-12-01 < {FREE}" in shown
    data = json.loads(isopod("impact", DECISION, "--format", "json").stdout)
    jsonschema.validate(data, schema_of("impact"), jsonschema.Draft202012Validator)
    assert [(one["card"], one["through"], one["depth"]) for one in data["impact"]] == [
        (STORY, FREE, 2), (FREE, DECISION, 1),
    ]  # fmt: skip
    assert "in force and holds nothing up" in isopod("impact", DECISION).stdout
    assert isopod("impact", REQUEST).stdout.splitlines()[-1].strip() == "No card that is not over depends on it."


def test_undo_without_a_write_says_so(instance: Path, isopod: Run) -> None:
    done = isopod("undo", "--yes")
    assert done.returncode == 2 and "(nothing-to-undo)" in done.stderr
