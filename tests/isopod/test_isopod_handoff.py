"""`isopod extract --export` and `--import`: a compile carried by hand, through files alone."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from scenes import fingerprint
from servers.brains import sentences

SPEC = """\
# Links

## Making

- A link must open the page that it was made for.
- The page must count each visit.
- A short code must be at most six characters.

## Ending

- A link must end after 30 days.
- Owners will get a mail before that.
"""

CONFIG = """\
schema: isopod.config/1
project: test
teams:
  - {{id: growth, name: Growth team, capabilities: {{manages_tracker: true, writes_cards: true, renders: true, schema: own}}}}
default_team: growth
readers:
  a: {a}
  b: {b}
draft: {{drafter: {drafter}, reader: a}}
models: {{section_chars: 200}}
"""
A = "{provider: handoff, model: chat-one}"
B = "{provider: handoff, model: chat-two}"

Brain = Callable[[str], str]
Isopod = Callable[..., Any]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "specs/recorded").mkdir(parents=True)
    configure(tmp_path)
    write(tmp_path, SPEC)
    return tmp_path


def configure(root: Path, *, a: str = A, b: str = B, drafter: str = "model") -> None:
    (root / "config.yaml").write_text(CONFIG.format(a=a, b=b, drafter=drafter), encoding="utf-8")


def write(root: Path, text: str) -> None:
    (root / "specs/links.md").write_bytes(text.encode())


def export(isopod: Isopod, reader: str = "a", folder: str | None = None, *more: str) -> Any:
    return isopod("extract", "specs/links.md", "--reader", reader, "--export", folder or f"p-{reader}", *more)


def bring(isopod: Isopod, reader: str = "a", folder: str | None = None, *more: str) -> Any:
    return isopod("extract", "specs/links.md", "--reader", reader, "--import", folder or f"p-{reader}", *more)


def manifest(folder: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((folder / "handoff.json").read_bytes())
    return data


def open_prompts(folder: Path) -> list[Path]:
    """The prompts that wait, in order."""
    return [folder / one["prompt"] for one in manifest(folder)["prompts"] if one["state"] == "asked"]


def answer_file(prompt: Path, ending: str = "json") -> Path:
    return prompt.with_name(prompt.name.replace(".prompt.md", f".answer.{ending}"))


def task_of(text: str) -> str:
    """The part of a prompt that is no word of ours about how to read."""
    starts = (
        "Read this part of the spec.",
        "List the relations between claims of different parts.",
        "The readers differ here:",
        "Judge each of these claims.",
    )
    return next(text[text.index(f"\n{start}") :] for start in starts if f"\n{start}" in text)


def reading(text: str, *, without: str = "\0") -> str:
    """Claims every sentence of the numbered lines, without those that hold these words; draws no relation."""
    task = task_of(text).split("\nIts units")[0]
    if task.startswith("\nList the relations"):
        return '{"edges": []}'
    claims = [
        {
            "ref": f"a{number}",
            "kind": "constraint" if "at most" in words else "requirement",
            "quote": words,
            "first_line": line,
            "last_line": line,
            "nth": 0,
        }
        for number, (line, words) in enumerate(sentences(task), 1)
        if without not in words
    ]
    return json.dumps({"anchors": claims, "edges": []})


def judgements(text: str) -> str:
    """One story of all claims: judged by the ids that the prompt lists."""
    ids = re.findall(r'^\{"id": "(ANC-[0-9A-Z]+)"', task_of(text), re.MULTILINE)
    made = [{"anchor": one, "leader": ids[0], "kind": "story", "team": "growth", "aligned": True} for one in ids]
    return json.dumps({"judgements": made})


def answer_all(folder: Path, brain: Brain = reading) -> list[Path]:
    """Answer what waits, as one who pastes each prompt into a chat."""
    prompts = open_prompts(folder)
    for prompt in prompts:
        answer_file(prompt).write_text(brain(prompt.read_text(encoding="utf-8")), encoding="utf-8")
    return prompts


def carry(isopod: Isopod, root: Path, reader: str = "a", brain: Brain = reading) -> Any:
    """Answer what waits in the folder of this reader until nothing does; gives what the last import left behind."""
    while prompts := answer_all(root / f"p-{reader}", brain):
        done = bring(isopod, reader)
        assert done.returncode == (3 if open_prompts(root / f"p-{reader}") else 0), done.stderr
        assert prompts != open_prompts(root / f"p-{reader}")
    return done


def test_a_whole_compile_goes_through_files_alone(root: Path, isopod: Isopod) -> None:
    """First readings, a violation, a fence around an answer, a repair round, the drafter's judgements, the cards."""
    waiting = isopod("compile", "specs/links.md")
    assert waiting.returncode == 3
    command = "isopod extract specs/links.md --reader a --export prompts-links-a"
    assert f"{command}, and {command.replace('-a', '-b').replace('reader a', 'reader b')}" in waiting.stderr

    # Reader a: two parts; in one of them a quote that the text does not hold, and the other is wrapped in prose.
    done = export(isopod)
    assert done.returncode == 3
    assert "2 questions for chat-one (reader a) wait for an answer in p-a:" in done.stdout
    assert "then: isopod extract specs/links.md --reader a --import p-a" in done.stdout
    assert "reader b is still to read, 2 questions: isopod extract specs/links.md --reader b" in done.stderr
    one, two = open_prompts(root / "p-a")
    assert [one.name[:8], two.name[:8]] == ["01-read-", "02-read-"]
    wrong = reading(one.read_text()).replace("count each visit", "count every visit")
    answer_file(one).write_text(wrong)
    answer_file(two, "md").write_text(f"Here you are {{as asked}}:\n\n```json\n{reading(two.read_text())}\n```\n")
    again = bring(isopod)
    assert again.returncode == 3
    assert "2 answers taken: " in again.stderr
    (third,) = open_prompts(root / "p-a")
    assert third.name.startswith("03-read-")
    assert "these words" in third.read_text() or "quote-not-found" in third.read_text()
    assert "specs/links.md lines 3-8, again" in again.stdout
    assert "(quote-not-found)" in " ".join(again.stdout.split())
    answer_file(third, "txt").write_text("\ufeff" + reading(one.read_text()), encoding="utf-8")
    assert bring(isopod).returncode == 3
    (fourth,) = open_prompts(root / "p-a")
    assert fourth.name.startswith("04-edges-")
    done = carry(isopod, root)
    assert done.returncode == 0
    run = json.loads(done.stdout)
    assert (run["schema"], run["reader"]) == (
        "isopod.run/1",
        {"name": "a", "provider": "handoff", "model": "chat-one", "round": 0},
    )
    assert len(run["anchors"]) == 5

    # Reader b overlooks a claim: both decide again, alone.
    assert export(isopod, "b").returncode == 3
    for _ in range(2):
        answer_all(root / "p-b", lambda text: reading(text, without="at most"))
        assert bring(isopod, "b").returncode == 3
    (prompt,) = open_prompts(root / "p-b")
    assert prompt.name.startswith("04-repair-")
    assert export(isopod).returncode == 3
    (own,) = open_prompts(root / "p-a")
    assert own.name.startswith("05-repair-")
    for folder, reader in (("p-a", "a"), ("p-b", "b")):
        answer_all(root / folder)
        done = bring(isopod, reader)
    assert done.returncode == 0
    assert len(json.loads(done.stdout)["anchors"]) == 4, "extract prints the first reading"
    assert "reader a is still to read, 1 question: isopod extract" in done.stderr

    # The drafter is reader a too.
    assert "--reader a --export" in isopod("compile", "specs/links.md").stderr
    assert export(isopod).returncode == 3
    (draft,) = open_prompts(root / "p-a")
    assert draft.name.startswith("06-draft-")
    answer_all(root / "p-a", judgements)
    last = bring(isopod)
    assert last.returncode == 0
    assert "isopod compile specs/links.md goes on" in last.stderr
    assert [one["state"] for one in manifest(root / "p-a")["prompts"]] == ["answered"] * 6

    made = isopod("compile", "specs/links.md", "--format", "json")
    assert made.returncode == 0, made.stderr
    compiled = json.loads(made.stdout)
    assert (compiled["calls"], len(compiled["anchors"]), len(compiled["rounds"])) == (0, 5, 2)
    assert [card["kind"] for card in compiled["cards"]].count("story") == 1
    assert isopod("audit").returncode == 0
    before = fingerprint(root)
    assert isopod("compile", "specs/links.md").returncode == 0
    assert fingerprint(root) == before
    nothing = export(isopod)
    assert (nothing.returncode, nothing.stdout) == (0, "")
    assert "no section of specs/links.md is to be read" in nothing.stderr
    runs = json.loads(isopod("runs", "--format", "json").stdout)
    assert runs


def test_an_export_twice_changes_nothing_and_no_answer_is_written_over(root: Path, isopod: Isopod) -> None:
    assert export(isopod).returncode == 3
    one, _ = open_prompts(root / "p-a")
    answer_file(one).write_text("mine")
    seen = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in (root / "p-a").iterdir()}
    done = export(isopod)
    assert done.returncode == 3
    assert "answers lie there that were not taken yet: 01-read-" in done.stderr
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in (root / "p-a").iterdir()} == seen


def test_an_import_twice_changes_nothing(root: Path, isopod: Isopod) -> None:
    export(isopod)
    first = carry(isopod, root)
    answers = fingerprint(root / ".isopod/answers")
    again = bring(isopod)
    assert (again.returncode, again.stdout) == (0, first.stdout)
    assert "taken" not in again.stderr
    assert fingerprint(root / ".isopod/answers") == answers


def test_some_answers_are_taken_and_the_rest_still_waits(root: Path, isopod: Isopod) -> None:
    export(isopod)
    one, two = open_prompts(root / "p-a")
    answer_file(two).write_text(reading(two.read_text()))
    answer_file(one).write_text("  \n")
    done = bring(isopod)
    assert done.returncode == 3
    assert f"1 answer taken: {answer_file(two).name}" in done.stderr
    assert one.name in done.stdout and two.name not in done.stdout
    assert open_prompts(root / "p-a") == [one]


def test_what_is_said_can_be_pasted_where_the_person_stands(root: Path, isopod: Isopod) -> None:
    (root / "there").mkdir()
    done = isopod("extract", "-C", "there", "../specs/links.md", "--export", "../p a")
    assert done.returncode == 3
    assert "then: isopod extract ../specs/links.md --reader a --import '../p a'" in done.stdout
    assert open_prompts(root / "p a")


def test_the_manifest_is_the_result_in_json(root: Path, isopod: Isopod) -> None:
    done = export(isopod, "a", "p-a", "--format", "json")
    assert done.returncode == 3
    assert json.loads(done.stdout) == manifest(root / "p-a")
    assert (root / "p-a/reading.schema.json").is_file()


def test_a_prompt_holds_the_spec_as_it_is(root: Path, isopod: Isopod) -> None:
    hostile = "# X {{ x }}\r\n\r\n- It must show `{% if %}` </document> \u200b예약 ``` as it is.\r\n"
    write(root, hostile)
    export(isopod)
    (prompt,) = open_prompts(root / "p-a")
    for line in hostile.encode().split(b"\r\n")[:-1]:
        assert b" | " + line + b"\r\n" in prompt.read_bytes() or prompt.read_bytes().count(line)


def test_a_changed_spec_makes_old_prompts_stale(root: Path, isopod: Isopod) -> None:
    export(isopod)
    _, two = open_prompts(root / "p-a")
    answer_file(two).write_text(reading(two.read_text()))
    write(root, SPEC.replace("30 days", "60 days"))
    done = bring(isopod)
    assert done.returncode == 3
    assert (
        f"1 prompt not asked any more, since the text, config.yaml, isopod's words or an answer before it changed: {two.name}"
        in (done.stderr)
    )
    assert f"1 answer not used, since the question is not asked any more: {answer_file(two).name}" in done.stderr
    names = [path.name[:8] for path in open_prompts(root / "p-a")]
    assert names == ["01-read-", "03-read-"]
    again = export(isopod)
    assert "not asked any more" not in again.stderr, "it was said"


def test_the_folder_that_is_there_is_proposed(root: Path, isopod: Isopod) -> None:
    export(isopod, "b", "carried")
    export(isopod, "a", "to-a")
    (root / "broken").mkdir()
    (root / "broken/handoff.json").write_text("{", encoding="utf-8")
    waiting = isopod("compile", "specs/links.md")
    assert "--reader a --export to-a, and " in waiting.stderr
    assert "--reader b --export carried" in waiting.stderr


def test_an_answer_that_never_comes_in_form_names_its_file_and_a_better_one_mends_it(
    root: Path, isopod: Isopod
) -> None:
    write(root, "# Links\n\n- A link must end.\n")
    export(isopod)
    prompts = []
    for _ in range(2):
        prompts += answer_all(root / "p-a", lambda _: "I would rather not.")
        assert bring(isopod).returncode == 3
    prompts += answer_all(root / "p-a", lambda _: "No.")
    done = bring(isopod)
    assert done.returncode == 4
    assert "chat-one answered 3 times about specs/links.md" in done.stderr
    assert f"put a better answer into p-a/{answer_file(prompts[0]).name}" in done.stderr.replace("\n", " ")
    answer_file(prompts[0]).write_text(reading(prompts[0].read_text()))
    done = bring(isopod)
    assert done.returncode == 0
    assert f"1 answer replaced by what the file says now: {answer_file(prompts[0]).name}" in done.stderr
    assert len(json.loads(done.stdout)["anchors"]) == 1


def test_after_such_answers_a_new_folder_asks_anew(root: Path, isopod: Isopod) -> None:
    write(root, "# Links\n\n- A link must end.\n")
    export(isopod)
    (first,) = open_prompts(root / "p-a")
    for _ in range(3):
        answer_all(root / "p-a", lambda _: "no")
        bring(isopod)
    assert export(isopod, "a", "other").returncode == 3
    assert [path.name for path in open_prompts(root / "other")] == [first.name]


def test_what_a_model_answered_itself_is_not_replaced_by_a_file(root: Path, isopod: Isopod) -> None:
    export(isopod)
    carry(isopod, root)
    for path in (root / ".isopod/answers").glob("*.json"):
        data = json.loads(path.read_bytes())
        path.write_text(json.dumps(data | {"stop": "end_turn", "provider": "anthropic"}))
    first = answer_file(root / "p-a" / manifest(root / "p-a")["prompts"][0]["prompt"])
    first.write_text('{"anchors": [], "edges": []}')
    done = bring(isopod)
    assert done.returncode == 0
    assert len(json.loads(done.stdout)["anchors"]) == 5


# --- what is refused --------------------------------------------------------------------------------------------------


def test_an_answer_to_what_was_never_asked_is_refused_and_nothing_is_taken(root: Path, isopod: Isopod) -> None:
    export(isopod)
    answer_all(root / "p-a")
    (root / "p-a/07-read-0123abcd.answer.json").write_text("{}")
    done = bring(isopod)
    assert done.returncode == 2
    assert "no prompt of this folder has this name (unknown-answer)" in done.stderr
    assert not (root / ".isopod/answers").exists()


@pytest.mark.parametrize("name", ["{stem}.answer.json.txt", "{stem}.answer", "{stem}.answers.json", "answer.answer.md"])
def test_a_file_that_is_almost_an_answer_is_named(root: Path, isopod: Isopod, name: str) -> None:
    export(isopod)
    stem = open_prompts(root / "p-a")[0].name.removesuffix(".prompt.md")
    (root / "p-a" / name.format(stem=stem)).write_text("{}")
    done = bring(isopod)
    assert done.returncode == 2
    assert "(unknown-answer)" in done.stderr


def test_all_that_is_wrong_with_a_folder_is_said_at_once(root: Path, isopod: Isopod) -> None:
    export(isopod)
    one, two = open_prompts(root / "p-a")
    secret = root / "secret.txt"
    secret.write_text("a secret")
    answer_file(one).symlink_to(secret)
    answer_file(two).write_bytes(b'{"anchors": \xff')
    answer_file(two, "md").mkdir()
    done = bring(isopod)
    assert done.returncode == 2
    for code in ("unsafe-path", "invalid-encoding", "not-a-file"):
        assert f"({code})" in done.stderr
    assert not (root / ".isopod/answers").exists()


def test_two_answers_to_one_prompt_are_refused_unless_they_are_equal(root: Path, isopod: Isopod) -> None:
    export(isopod)
    one = answer_all(root / "p-a")[0]
    answer_file(one, "txt").write_text("something else")
    done = bring(isopod)
    assert (done.returncode, "(two-answers)" in done.stderr) == (2, True)
    answer_file(one, "txt").write_text(answer_file(one).read_text())
    assert "2 answers taken" in bring(isopod).stderr


def test_an_answer_that_is_too_large_is_not_read(root: Path, isopod: Isopod, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipeline.models.papers.MAX_BYTES", 100)
    export(isopod)
    answer_file(open_prompts(root / "p-a")[0]).write_text("x" * 101)
    done = bring(isopod)
    assert (done.returncode, "(too-large)" in done.stderr) == (2, True)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes in folders")
def test_a_pipe_in_the_place_of_an_answer_is_not_waited_for(root: Path, isopod: Isopod) -> None:
    export(isopod)
    os.mkfifo(answer_file(open_prompts(root / "p-a")[0]))
    done = bring(isopod)
    assert (done.returncode, "(not-a-file)" in done.stderr) == (2, True)


def test_a_folder_belongs_to_one_reader(root: Path, isopod: Isopod) -> None:
    export(isopod)
    for command in (export, bring):
        done = command(isopod, "b", "p-a")
        assert done.returncode == 2
        assert "holds the prompts of reader a for specs/links.md (other-handoff)" in done.stderr


@pytest.mark.parametrize("folder", ["specs", "specs/prompts", "cards/x", ".isopod/x", "specs/recorded/x"])
def test_prompts_never_lie_among_specs_or_cards(root: Path, isopod: Isopod, folder: str) -> None:
    done = export(isopod, "a", folder)
    assert (done.returncode, "(folder-taken)" in done.stderr) == (2, True)
    assert not list(root.rglob("*.prompt.md"))


def test_nor_among_other_things(root: Path, isopod: Isopod) -> None:
    (root / "notes").mkdir()
    (root / "notes/mine.txt").write_text("mine")
    for folder in ("notes", ".", "config.yaml"):
        done = export(isopod, "a", folder)
        assert done.returncode == 2, folder
    assert [path.name for path in (root / "notes").iterdir()] == ["mine.txt"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--import", "nowhere"), "no-prompts"),
        (("--export", "x", "--import", "x"), "usage"),
        (("--reader", "lexicon", "--export", "x"), "asks-no-model"),
    ],
)
def test_what_cannot_be_carried_is_refused(root: Path, isopod: Isopod, arguments: tuple[str, ...], code: str) -> None:
    done = isopod("extract", "specs/links.md", *arguments)
    assert (done.returncode, f"({code})" in done.stderr) == (2, True)


def test_a_manifest_that_was_tampered_with_makes_nothing_known(root: Path, isopod: Isopod) -> None:
    export(isopod)
    answer_all(root / "p-a")
    path = root / "p-a/handoff.json"
    data = manifest(root / "p-a")
    first = data["prompts"][0]
    for change in ({"prompt": "../../01-read-00000000.prompt.md"}, {"request": "0" * 64}, {"answer_schema": "../x"}):
        path.write_text(json.dumps(data | {"prompts": [first | change]}))
        done = bring(isopod)
        assert (done.returncode, "(invalid-handoff)" in done.stderr) == (2, True)
    stranger = first | {"request": "0" * 64, "prompt": "01-read-00000000.prompt.md"}
    path.write_text(json.dumps(data | {"prompts": [stranger]}))
    for answer in (root / "p-a").glob("*.answer.json"):
        answer.unlink()
    (root / "p-a/01-read-00000000.answer.json").write_text("{}")
    done = bring(isopod)
    assert done.returncode == 3
    assert "1 answer not used" in done.stderr
    assert not (root / ".isopod/answers").exists()


# --- other readers ----------------------------------------------------------------------------------------------------


def test_the_prompts_of_a_reader_with_a_key_can_be_carried_too(root: Path, isopod: Isopod) -> None:
    pytest.importorskip("anthropic")
    configure(root, a="{provider: anthropic, model: model-one}")
    assert export(isopod).returncode == 3
    done = carry(isopod, root)
    assert json.loads(done.stdout)["reader"]["provider"] == "handoff"


def test_a_reader_is_carried_whatever_the_other_one_lacks(root: Path, isopod: Isopod) -> None:
    configure(root, b="{provider: recorded, model: chat-two}")
    done = export(isopod)
    assert done.returncode == 3
    assert "a compile stops elsewhere: " in done.stderr and "(not-recorded)" in done.stderr
    done = carry(isopod, root)
    assert len(json.loads(done.stdout)["anchors"]) == 5


AGENT = """
import json, re, sys
text = sys.stdin.read()
if "List the relations between claims of different parts." in text:
    print('{"edges": []}')
    raise SystemExit
task = text[text.index("\\nRead this part of the spec."):].split("\\nIts units")[0]
found = re.findall(r"^ *(\\d+) \\| - (.*)$", task, re.MULTILINE)
claims = [dict(ref=f"a{n}", kind="requirement", quote=q, first_line=int(l), last_line=int(l), nth=0) for n, (l, q) in enumerate(found)]
print("Here it is:", json.dumps({"anchors": claims, "edges": []}))
"""


def test_a_compile_with_a_program_and_a_person(root: Path, isopod: Isopod) -> None:
    """Reader a is a program, reader b is carried: the command asks the one and says what to hand over of the other."""
    agent = root / "agent.py"
    agent.write_text(AGENT)
    configure(
        root,
        a=f"{{provider: command, model: my-agent, command: {json.dumps([sys.executable, str(agent)])}}}",
        drafter="rules",
    )
    write(root, SPEC.replace("at most six", "six"))
    done = isopod("compile", "specs/links.md")
    assert done.returncode == 3
    assert "2 questions to a language model wait for an answer" in done.stderr
    assert "--reader b --export" in done.stderr and "--reader a --export" not in done.stderr
    extracted = isopod("extract", "specs/links.md", "--reader", "a")
    assert extracted.returncode == 0
    assert json.loads(extracted.stdout)["reader"]["provider"] == "command"
    assert export(isopod, "b").returncode == 3
    carry(isopod, root, "b")
    made = isopod("compile", "specs/links.md", "--format", "json")
    assert made.returncode == 0, made.stderr
    assert (json.loads(made.stdout)["calls"], len(json.loads(made.stdout)["anchors"])) == (0, 5)


def test_extract_asks_a_reader_live_and_keeps_what_it_said(root: Path, isopod: Isopod) -> None:
    agent = root / "agent.py"
    agent.write_text(AGENT)
    configure(root, a=f"{{provider: command, model: my-agent, command: {json.dumps([sys.executable, str(agent)])}}}")
    first = isopod("extract", "specs/links.md", "--reader", "a")
    assert first.returncode == 0, first.stderr
    assert len(json.loads(first.stdout)["anchors"]) == 5
    agent.write_text("raise SystemExit(3)")
    assert isopod("extract", "specs/links.md", "--reader", "a").stdout == first.stdout


def test_a_program_that_fails_ends_the_command_with_its_words(root: Path, isopod: Isopod) -> None:
    agent = root / "agent.py"
    agent.write_text("import sys; sys.exit('\\x1b[31mnot logged in')")
    configure(root, a=f"{{provider: command, model: my-agent, command: {json.dumps([sys.executable, str(agent)])}}}")
    done = isopod("compile", "specs/links.md")
    assert done.returncode == 4
    assert "not logged in (command-failed)" in done.stderr
    assert "\x1b" not in done.stderr


def _files(folder: Path) -> Iterator[Path]:
    yield from (path for path in folder.rglob("*") if path.is_file())


def test_neither_folder_holds_a_word_of_the_other_reader(root: Path, isopod: Isopod) -> None:
    for reader, words in (("a", "ONLY-A-SAYS-THIS"), ("b", "ONLY-B-SAYS-THIS")):
        export(isopod, reader)
        for prompt in answer_all(root / f"p-{reader}"):
            answer_file(prompt).write_text(answer_file(prompt).read_text().replace("Owners will", words))
        assert bring(isopod, reader).returncode == 3
    for reader, other in (("a", "ONLY-B"), ("b", "ONLY-A")):
        assert all(other not in path.read_text() for path in _files(root / f"p-{reader}"))


# --- after the first compile ------------------------------------------------------------------------------------------


def compiled(root: Path, isopod: Isopod, draft: Brain = judgements) -> None:
    """Carry everything of both readers, and write the cards."""
    for reader in "ab":
        export(isopod, reader)
        carry(isopod, root, reader)
    export(isopod)
    while open_prompts(root / "p-a"):
        answer_all(root / "p-a", draft)
        bring(isopod)
    made = isopod("compile", "specs/links.md")
    assert made.returncode == 0, made.stderr


def test_of_a_changed_spec_only_the_changed_sections_are_asked(root: Path, isopod: Isopod) -> None:
    compiled(root, isopod)
    write(root, SPEC.replace("30 days", "60 days"))
    assert export(isopod, "a", "q").returncode == 3
    (prompt,) = open_prompts(root / "q")
    assert "60 days" in prompt.read_text() and "count each visit" not in task_of(prompt.read_text())


def test_a_drafter_that_never_answers_in_form_gives_way_to_the_rules(root: Path, isopod: Isopod) -> None:
    compiled(root, isopod, draft=lambda _: "I would rather not.")
    assert [one["state"] for one in manifest(root / "p-a")["prompts"] if one["purpose"] == "draft"] == ["answered"] * 2
    assert isopod("audit").returncode == 0


def test_what_no_compile_asks_cannot_be_carried_and_the_way_out_is_named(root: Path, isopod: Isopod) -> None:
    compiled(root, isopod)
    with (root / "config.yaml").open("a") as config:
        config.write("limits: {acceptance_per_card: 3}\n")
    done = isopod("draft", "specs/links.md", "--again")
    assert done.returncode == 3
    assert "try: set draft: {drafter: rules} in config.yaml" in done.stderr


def test_disputes_left_after_repair_are_settled_as_ever(root: Path, isopod: Isopod) -> None:
    configure(root, drafter="rules")
    export(isopod)
    carry(isopod, root)
    export(isopod, "b")

    def stubborn(text: str) -> str:
        return reading(text, without="at most")

    for _ in range(4):
        for reader, brain in (("a", reading), ("b", stubborn)):
            export(isopod, reader)
            answer_all(root / f"p-{reader}", brain)
            bring(isopod, reader)
    waits = isopod("compile", "specs/links.md", "--format", "json")
    assert waits.returncode == 3, waits.stderr
    assert [one["type"] for one in json.loads(waits.stdout)["disputes"]] == ["missing"]
    settled = ("--accept", "union", "--by", "Kim", "--because", "the text says so")
    assert isopod("compile", "specs/links.md", *settled).returncode == 0
