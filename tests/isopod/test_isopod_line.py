"""The line on real readings: the demo, disputes and their answers, what people add and take away."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import shlex
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest
from conftest import ROOT, Run, fingerprint
from test_isopod_instance import change, read_json

SHOWN_FIGURES = (
    "39 claims by reader a, 40 by reader b, 36 agreed. Difference: 6 claims and 2 relations (strictly 9 and 12).",
    "38 claims by reader a, 38 by reader b, 38 agreed. Difference: 0 claims and 0 relations (strictly 0 and 0).",
    "4 relations that order work and 17 hints",
    "6 stories with 19 lines, 1 question, 1 request, 3 decisions and 1 replaced, 1 epic",
    "33 claims by reader a, 34 by reader b, 33 agreed. Difference: 1 claim and 0 relations (strictly 1 and 1).",
    "3 relations that order work and 8 hints",
    "5 stories with 16 lines, 1 question, 1 request, 2 decisions and 1 replaced, 1 epic",
)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """One run of the demo: its folder and what it printed."""
    folder = tmp_path_factory.mktemp("demo") / "instance"
    done = subprocess.run(
        [sys.executable, "-m", "isopod", "demo", str(folder)],
        capture_output=True,
        encoding="utf-8",
        env=os.environ | {"PYTHONPATH": str(ROOT), "COLUMNS": "80"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder, done.stdout


@pytest.fixture
def disputed(demo: tuple[Path, str], tmp_path: Path) -> Path:
    """The demo's specs and readings, without a repair round and without cards: five disputes are open."""
    folder = demo[0]
    for path in [folder / "config.yaml", *(folder / "specs").rglob("*")]:
        if path.is_file():
            target = tmp_path / path.relative_to(folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
    config = tmp_path / "config.yaml"
    config.write_text(config.read_text(encoding="utf-8") + "repair_rounds: 0\n", encoding="utf-8")
    return tmp_path


def open_ids(isopod: Run) -> list[str]:
    data = read_json(isopod("settle", "link-shortener", "--format", "json").stdout, "settle")
    return [one["dispute"]["id"] for one in data["disputes"]]  # type: ignore[attr-defined]


def test_the_demo_tells_its_story_with_computed_figures(demo: tuple[Path, str]) -> None:
    told = " ".join(demo[1].split())
    for figures in SHOWN_FIGURES:
        assert figures in told
    assert told.count("Two readings agreeing proves agreement, not a right reading.") == 2
    assert "Three things to try next" in told


def test_the_cards_of_the_demo_hold(demo: tuple[Path, str], isopod: Run) -> None:
    folder = str(demo[0])
    assert isopod("-C", folder, "audit").returncode == 0
    ready = read_json(isopod("-C", folder, "frontier", "--format", "json").stdout, "frontier")["frontier"]
    assert [card["title"] for card in ready][:4] == [  # type: ignore[attr-defined]
        "Creating a link",
        "Opening a link",
        "Expiry: A link lives for 30 days from its creation",
        "Statistics: The owner page shows both figures for the last 30 days",
    ]
    assert (demo[0] / "docs/schemas/card.json").is_file()


def test_the_demo_again_changes_no_byte(demo: tuple[Path, str], isopod: Run) -> None:
    before = fingerprint(demo[0])
    done = isopod("demo", str(demo[0]), "--format", "json")
    assert done.returncode == 0
    assert [compiled["changed"] for compiled in read_json(done.stdout, "demo")["demo"]] == [[], []]  # type: ignore[attr-defined]
    assert fingerprint(demo[0]) == before


def test_status_says_what_changed_since_it_was_read(disputed: Path, isopod: Run) -> None:
    change(disputed / "config.yaml", "repair_rounds: 0", "repair_rounds: 2")
    assert "link-shortener: not compiled yet (isopod compile specs/link-shortener.md)" in isopod("status").stdout
    isopod("compile", "link-shortener")
    status = isopod("status").stdout
    assert "link-shortener: 38 claims; 13 cards, 4 ready; read by recorded" in status
    assert "changed since" not in status and "Last reading on this machine: 2" in status
    spec = disputed / "specs/link-shortener.md"
    text = spec.read_text(encoding="utf-8")
    spec.write_text(text.replace("lives for 30 days from", "lives for 31 days from"), encoding="utf-8")
    status = isopod("status").stdout
    assert "(1 changed in the spec)" in status and "1 section changed since it was read" in status
    spec.write_text(text[: text.index("## Expiry")], encoding="utf-8")
    assert "no longer in the spec" in isopod("status").stdout
    spec.unlink()
    assert "link-shortener: specs/link-shortener.md is gone" in isopod("status").stdout


def test_nothing_is_built_on_a_store_that_cannot_be_read(disputed: Path, isopod: Run) -> None:
    change(disputed / "config.yaml", "repair_rounds: 0", "repair_rounds: 2")
    isopod("compile", "link-shortener")
    card = next((disputed / "cards").glob("STY-*.yaml"))
    card.write_text(card.read_text(encoding="utf-8") + "<<<<<<< HEAD\na: 1\n=======\n>>>>>>> x\n", encoding="utf-8")
    before = fingerprint(disputed)
    for arguments in (
        ("compile", "link-shortener"),
        ("compile", "reminder-ko"),
        ("settle", "link-shortener"),
        ("draft", "link-shortener"),
    ):
        done = isopod(*arguments)
        assert done.returncode == 2
        assert f"cards/{card.name}:" in done.stderr and "(merge-conflict)" in done.stderr
    assert isopod("audit").stdout.startswith("F101 merge-conflict")
    assert isopod("compile", "link-shortener", "--preview").returncode == 0
    assert fingerprint(disputed) == before


def test_the_demo_leaves_a_folder_of_something_else_alone(tmp_path: Path, isopod: Run) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/file.txt").write_text("mine")
    done = isopod("demo", "mine")
    assert done.returncode == 2 and "(folder-in-use)" in done.stderr
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["file.txt"]


def test_a_join_of_two_runs_needs_no_instance(demo: tuple[Path, str], isopod: Run) -> None:
    spec = str(demo[0] / "specs/link-shortener.md")
    runs = [str(demo[0] / f"specs/recorded/link-shortener.{reader}.round0.json") for reader in "ab"]
    done = isopod("join", spec, *runs, "--format", "json")
    assert done.returncode == 1
    joined = read_json(done.stdout, "join")
    assert joined["symmetric_difference"] == {"anchors": 6, "edges": 2}
    text = isopod("join", spec, *runs)
    assert text.stdout.count("\nD-") == 5
    assert isopod("ground", spec, runs[0]).returncode == 0
    later = [run.replace("round0", "round1") for run in runs]
    assert isopod("join", spec, *later, "--strict").returncode == 0


def test_a_run_of_another_text_is_refused_as_a_join(demo: tuple[Path, str], isopod: Run) -> None:
    spec = str(demo[0] / "specs/link-shortener.md")
    run = str(demo[0] / "specs/recorded/reminder-ko.a.round0.json")
    done = isopod("join", spec, run, run, "--format", "json")
    assert done.returncode == 2
    assert read_json(done.stdout, "join")["verdict"] == "refused"
    assert "(other-spec)" in done.stderr
    text = isopod("join", spec, run, run)
    assert (text.returncode, text.stdout) == (2, "")
    grounded = isopod("ground", spec, run, "--format", "json")
    assert grounded.returncode == 2
    assert read_json(grounded.stdout, "error")["code"] == "other-spec"


def test_a_quote_that_is_not_there_is_named_and_left_out(demo: tuple[Path, str], isopod: Run) -> None:
    spec = str(demo[0] / "specs/link-shortener.md")
    run = json.loads((demo[0] / "specs/recorded/link-shortener.a.round0.json").read_text(encoding="utf-8"))
    run["anchors"][0]["quote"] += " never"
    done = isopod("ground", spec, "-", "--format", "json", stdin=json.dumps(run))
    assert done.returncode == 2
    grounded = read_json(done.stdout, "ground")
    assert grounded["violations"][0]["code"] == "quote-not-found"  # type: ignore[index]
    assert "(quote-not-found)" in isopod("ground", spec, "-", stdin=json.dumps(run)).stdout


def test_extract_prints_a_run_that_grounds(demo: tuple[Path, str], isopod: Run) -> None:
    spec = str(demo[0] / "specs/reminder-ko.md")
    run = isopod("extract", spec, "--reader", "lexicon")
    assert run.returncode == 0
    read_json(run.stdout, "run")
    assert isopod("ground", spec, "-", stdin=run.stdout).returncode == 0


def test_compile_waits_for_a_person_and_writes_nothing(disputed: Path, isopod: Run) -> None:
    before = fingerprint(disputed)
    done = isopod("compile", "specs/link-shortener.md")
    assert done.returncode == 3
    assert "Nothing is written until these are decided: isopod settle specs/link-shortener.md" in done.stdout
    assert isopod("settle", "link-shortener").returncode == 3
    assert fingerprint(disputed) == before
    preview = read_json(isopod("compile", "link-shortener", "--preview", "--format", "json").stdout, "compile")
    assert len(preview["disputes"]) == 5 and preview["cards"]  # type: ignore[arg-type]


def test_answers_are_kept_replayed_and_taken_back(disputed: Path, isopod: Run) -> None:
    first, second, *others = open_ids(isopod)
    dry = isopod("settle", "link-shortener", "--answer", f"{first}=b", "--by", "Kim", "--dry-run")
    assert dry.returncode == 0 and "+answer: b" in dry.stdout and not (disputed / "cards").exists()
    words = "The service turns a long link into a short one that is easy to read aloud"
    done = isopod(
        "settle", "link-shortener", "--answer", f"{first}=none", "--cut", f'{second}=requirement:"{words}"', "--by", "Kim"
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert open_ids(isopod) == others
    undone = isopod("settle", "link-shortener", "--undo")
    assert f"took back {second}" in undone.stdout
    assert open_ids(isopod) == [second, *others]
    every = isopod("settle", "link-shortener", "--all", "union", "--by", "Kim", "--because", "first draft")
    assert every.returncode == 0 and "Nothing is open" in every.stdout
    assert isopod("compile", "link-shortener").returncode == 0
    assert isopod("audit").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--answer", "D-00000000=a", "--by", "Kim"), "unknown-dispute"),
        (("--answer", "nonsense", "--by", "Kim"), "usage"),
        (("--cut", "D-00000000=story:x", "--by", "Kim"), "usage"),
        (("--all", "union", "--by", "Kim"), "reason-missing"),
        (("--all", "union", "--because", "x"), "name-missing"),
        (("--undo",), "nothing-to-undo"),
        (("--undo", "--all", "a"), "usage"),
    ],
)
def test_answers_that_cannot_be_taken(disputed: Path, isopod: Run, arguments: tuple[str, ...], code: str) -> None:
    done = isopod("settle", "link-shortener", *arguments, "--format", "json")
    assert done.returncode == 2
    assert read_json(done.stdout, "error")["code"] == code
    assert not (disputed / "cards").exists()


def test_accept_answers_all_at_once_with_a_name_and_a_reason(disputed: Path, isopod: Run) -> None:
    assert isopod("compile", "link-shortener", "--accept", "union", "--by", "Kim").returncode == 2
    assert isopod("compile", "link-shortener", "--by", "Kim").returncode == 2
    arguments = ("compile", "link-shortener", "--accept", "agreed", "--by", "Kim", "--because", "only what both say")
    dry = isopod(*arguments, "--dry-run")
    assert dry.returncode == 0 and "+answer: agreed" in dry.stdout and not (disputed / "cards").exists()
    done = isopod(*arguments)
    assert done.returncode == 0
    assert "All that was open is answered by Kim" in done.stdout
    before = fingerprint(disputed)
    again = isopod("compile", "link-shortener")
    assert again.returncode == 0 and "Nothing to write" in again.stdout
    assert fingerprint(disputed) == before


def test_people_add_claims_take_some_away_and_mark_what_is_none(
    demo: tuple[Path, str], disputed: Path, isopod: Run
) -> None:
    change(disputed / "config.yaml", "repair_rounds: 0", "repair_rounds: 2")
    assert isopod("compile", "reminder-ko").returncode == 0
    missed = "예약한 환자의 약 12%가 나타나지 않는다."
    assert isopod("claim", missed, "--kind", "requirement").returncode == 2  # nobody says so
    done = isopod("claim", missed, "--kind", "requirement", "--by", "Kim")
    assert done.returncode == 0, done.stderr
    assert "isopod compile specs/reminder-ko.md" in done.stdout
    line = isopod("not-a-claim", "specs/reminder-ko.md", "--line", "3", "--by", "Kim")
    assert line.returncode == 0, line.stderr
    compiled = read_json(isopod("compile", "reminder-ko", "--format", "json").stdout, "compile")
    [claim] = [anchor["id"] for anchor in compiled["anchors"] if anchor["exact"] == missed]  # type: ignore[attr-defined]
    assert isopod("audit", "--select", "unclaimed-unit", "--strict").returncode == 0
    gone = isopod("discard", claim, "--reason", "background", "--by", "Kim", "--because", "only why")
    assert gone.returncode == 0, gone.stderr
    assert isopod("compile", "reminder-ko").returncode == 0
    assert "left out (background: only why; Kim)" in isopod("show", claim).stdout
    assert isopod("discard", "ANC-00000000", "--reason", "background", "--by", "K", "--because", "x").returncode == 2
    assert isopod("claim", "words that no spec holds", "--kind", "term", "--by", "Kim").returncode == 2
    assert isopod("claim", "specs/reminder-ko.md", "--line", "x", "--kind", "term").returncode == 2


def test_draft_again_follows_a_changed_config(disputed: Path, isopod: Run) -> None:
    change(disputed / "config.yaml", "repair_rounds: 0", "repair_rounds: 2")
    assert isopod("draft", "link-shortener").returncode == 2  # nothing is adopted yet
    assert isopod("compile", "link-shortener").returncode == 0
    assert "Nothing to write" in isopod("draft", "link-shortener", "--again").stdout
    change(disputed / "config.yaml", 'name: Data team\n    aliases: ["the Data team"]', "name: Nobody\n    aliases: []")
    before = fingerprint(disputed)
    shown = read_json(isopod("draft", "link-shortener", "--again", "--dry-run", "--format", "json").stdout, "draft")
    assert shown["changed"] and fingerprint(disputed) == before
    done = read_json(isopod("draft", "link-shortener", "--again", "--format", "json").stdout, "draft")
    live = [card for card in done["cards"] if card["state"] != "deleted"]  # type: ignore[attr-defined]
    assert sum(card["kind"] == "story" for card in live) == 5  # DRAFTING.md section 3: without the Data team
    assert not any(card["kind"] == "request" for card in live)
    assert isopod("audit").returncode == 0


def test_any_file_is_previewed_offline_without_an_instance(tmp_path: Path, isopod: Run) -> None:
    (tmp_path / "spec.md").write_text(
        "# A\n\n## Requirements\n\n- The service must answer within 50 ms.\n", encoding="utf-8"
    )
    done = isopod("compile", "spec.md", "--offline", "--preview", "--format", "json")
    assert done.returncode == 0
    compiled = read_json(done.stdout, "compile")
    assert compiled["heuristic"] is True and compiled["calls"] == 0
    assert "Read by heuristics" in isopod("compile", "spec.md", "--offline", "--preview").stdout
    refused = isopod("compile", "spec.md", "--offline")
    assert refused.returncode == 2 and "add --preview" in refused.stderr
    assert fingerprint(tmp_path).keys() == {"spec.md"}


def test_no_claims_waits_for_a_person(tmp_path: Path, isopod: Run) -> None:
    (tmp_path / "empty.md").write_text("# Nothing\n", encoding="utf-8")
    assert isopod("compile", "empty.md", "--offline", "--preview", "--format", "json").returncode == 3


def test_a_suggestion_of_the_preview_is_taken_with_one_command(disputed: Path, isopod: Run) -> None:
    change(disputed / "config.yaml", "repair_rounds: 0", "repair_rounds: 2")
    compiled = read_json(isopod("compile", "link-shortener", "--format", "json").stdout, "compile")
    offer = next(one["do"] for one in compiled["suggestions"] if one["do"].startswith("isopod depend"))  # type: ignore[attr-defined]
    arguments = shlex.split(offer)[1:]
    before = fingerprint(disputed)
    assert isopod(*arguments, "--dry-run").returncode == 0 and fingerprint(disputed) == before
    done = isopod(*arguments)
    assert done.returncode == 0, done.stderr
    card, other = arguments[1], arguments[3]
    assert other in isopod("show", card).stdout
    back = isopod("depend", other, "--on", card, "--by", "Kim", "--because", "x")
    assert back.returncode == 2
    assert isopod("depend", card, "--on", other, "--by", "Kim").returncode == 2
    assert isopod("audit").returncode == 0
    assert "Nothing to write" in isopod("compile", "link-shortener").stdout


def test_fix_shows_asks_and_gives_the_later_claim_its_own_id(disputed: Path, isopod: Run) -> None:
    change(disputed / "config.yaml", "repair_rounds: 0", "repair_rounds: 2")
    isopod("compile", "link-shortener")
    assert "Nothing to fix" in isopod("fix").stdout
    anchors = disputed / "cards/anchors/link-shortener.yaml"
    ids = re.findall(r"- id: (ANC-\w+)", anchors.read_text(encoding="utf-8"))
    change(anchors, ids[-1], ids[0])
    assert "A104" in isopod("audit").stdout
    before = fingerprint(disputed)
    assert "+  - id: ANC-" in isopod("fix", "--dry-run").stdout
    assert isopod("fix", "--format", "json").returncode == 2  # nobody can be asked
    assert isopod("fix", stdin="n\n").returncode == 0
    assert isopod("fix").returncode == 2  # the input ended before the answer
    assert fingerprint(disputed) == before
    done = read_json(isopod("fix", "--yes", "--format", "json").stdout, "fix")
    assert [one["old"] for one in done["fixes"]] == [ids[0]]  # type: ignore[attr-defined]
    assert "A104" not in isopod("audit").stdout


def talk(folder: Path, arguments: tuple[str, ...], typed: list[tuple[str, str]]) -> tuple[int, str]:
    """A command on a terminal: for each pair, wait until the first is shown, then type the second."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.environ |= {"PYTHONPATH": str(ROOT), "TERM": "xterm", "COLUMNS": "80"}
        os.execv(sys.executable, [sys.executable, "-m", "isopod", *arguments])
    shown, seen = "", 0
    deadline = time.monotonic() + 30
    while True:
        ready, _, _ = select.select([terminal], [], [], max(0.0, deadline - time.monotonic()))
        try:
            data = os.read(terminal, 65536) if ready else b""
        except OSError:  # the other end is closed
            data = b""
        if not data:
            break
        shown += data.decode("utf-8", "replace")
        if typed and typed[0][0] in shown[seen:]:
            seen = len(shown)
            keys = typed.pop(0)[1]
            # A single key is read raw: what is typed before the terminal is switched would be thrown away.
            while len(keys) == 1 and termios.tcgetattr(terminal)[3] & termios.ICANON and time.monotonic() < deadline:
                select.select([], [], [], 0.002)
            os.write(terminal, keys.encode())
    if typed:
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    assert not typed, shown
    return os.waitstatus_to_exitcode(status), shown


def test_on_a_terminal_one_key_settles_one_dispute(disputed: Path, isopod: Run) -> None:
    first, second, third, *others = open_ids(isopod)
    code, shown = talk(
        disputed,
        ("settle", "link-shortener"),
        [
            ("Your name", "Kim\r"),
            ("5 open:", "x"),  # a key that means nothing asks again
            ("5 open:", "n"),
            ("4 open:", "c"),
            ("Kind", "requirement\r"),
            ("Exact words", "words that are not there\r"),
            ("4 open:", "b"),
            ("3 open:", "u"),
            ("4 open:", "b"),
            ("3 open:", "s"),
            ("2 open:", "d"),
            ("1 open:", "q"),
        ],
    )
    assert code == 3
    assert "(quote-not-found)" in shown
    assert f"took back the answer to {second}" in shown
    assert open_ids(isopod) == [third, others[1]]
    settled = {path.stem for path in (disputed / "cards/settlements/link-shortener").iterdir()}
    assert settled == {first, second, others[0]}
    assert re.search(r"by: Kim", (disputed / f"cards/settlements/link-shortener/{first}.yaml").read_text())
