"""Decisions, edges, migrations, mirrors, contracts, exemptions and the ledger, as they are typed."""

from __future__ import annotations

import json
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
NEW = "Links are kept in SQLite"
DECIDE = ("decide", NEW, *BY, "--supersedes", DECISION, "--all", "move")
MIRROR = ("mirror", "add", "DATA-12", "--for", REQUEST, "--title", "이벤트 스트림", "--by", "김")
# What may be taken back; a contract stands in the ledger and stays.
DEEDS = (
    ("confirm", STORY, FREE),
    ("confirm", STORY, FREE, *BY),
    ("decide", "Codes are random", *BY, "--affects", STORY, "--spec", "links"),
    ("decide", DECISION, *BY, "--affects", "all"),
    DECIDE,
)


def text_of(root: Path, card: str) -> str:
    return (root / f"cards/{card}.yaml").read_text(encoding="utf-8")


def put(root: Path, card: str, old: str, new: str) -> None:
    assert old in text_of(root, card)
    (root / f"cards/{card}.yaml").write_text(text_of(root, card).replace(old, new), encoding="utf-8")


def valid(output: str, name: str) -> dict[str, object]:
    data: dict[str, object] = json.loads(output)
    jsonschema.validate(data, schema_of(name), jsonschema.Draft202012Validator)
    return data


def new_card(root: Path, kind: str, before: set[str]) -> str:
    (name,) = {path.stem for path in (root / "cards").glob(f"{kind}-*.yaml")} - before
    return name


@pytest.mark.parametrize("arguments", DEEDS, ids=lambda arguments: " ".join(arguments[:2]))
def test_a_deed_is_shown_written_and_taken_back(instance: Path, isopod: Run, arguments: tuple[str, ...]) -> None:
    before = fingerprint(instance)
    shown = isopod(*arguments, "--dry-run")
    assert shown.returncode == 0 and "would write cards/" in shown.stdout
    refused = isopod(*arguments)
    assert refused.returncode == 2 and "(not-confirmed)" in refused.stderr
    assert fingerprint(instance) == before
    told = shown.stdout.split("\ndiff ")[0].splitlines()
    assert told and max(map(cell_len, told)) <= 80, told
    written = valid(isopod(*arguments, "--yes", "--format", "json").stdout, "written")
    assert written["command"] == arguments[0] and fingerprint(instance) != before
    assert isopod("undo", "--yes").returncode == 0 and fingerprint(instance) == before


def test_a_script_names_every_edge_that_leans_on_what_it_replaces(instance: Path, isopod: Run) -> None:
    assert isopod("decide", NEW, *BY, "--yes").returncode == 0
    new = new_card(instance, "DEC", {DECISION, OLD})
    replace = ("supersede", DECISION, "--by", new)
    nameless = isopod(*replace, "--all", "move", "--yes")
    assert nameless.returncode == 2 and "--who NAME" in nameless.stderr
    before = fingerprint(instance)
    unanswered = isopod(*replace, "--who", "김", "--yes", "--format", "json")
    error = valid(unanswered.stdout, "error")
    assert (unanswered.returncode, error["code"]) == (2, "edge-open") and FREE in str(error["message"])
    assert fingerprint(instance) == before
    kept = isopod(*replace, "--who", "김", "--keep", f"{FREE}=먼저 나간다", "--until", "2026-12-31", "--yes")
    assert kept.returncode == 0
    assert f"{FREE} still leans on {DECISION}; every audit shows it" in " ".join(kept.stdout.split())
    audit = json.loads(isopod("audit", "--select", "C222,C250,C263", "--format", "json").stdout)
    assert [(one["code"], one["severity"]) for one in audit["findings"]] == [("C222", "warn"), ("C263", "warn")]
    assert isopod("undo", "--yes").returncode == 2, "what the ledger holds is never taken away"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("supersede", DECISION, "--by", OLD, "--who", "x", "--all", "drop"), "(replaced)"),
        (("supersede", DECISION, "--by", FREE, "--who", "x"), "(no-decision)"),
        (("supersede", OLD, "--by", DECISION, "--who", "x", "--move", FREE), "(no-edge)"),
        (("supersede", OLD, "--by", DECISION, "--who", "x", "--move", FREE, "--drop", FREE), "two things"),
        (("supersede", OLD, "--by", DECISION, "--who", "x", "--until", "soon"), "is no date"),
        (("decide", "DEC-0000000Z", *BY, "--affects", FREE), "DEC-0000000Z"),
        (("decide", DECISION, *BY), "--affects CARD"),
        (("decide", DECISION, *BY, "--affects", FREE, "--spec", "links"), "is there already"),
        (("decide", "Some words", *BY, "--all", "move"), "belong to --supersedes"),
        (("decide", "Some words", *BY, "--affects", "all", "--affects", FREE), "all, or the cards by name"),
        (("decide", "Some words", "--by", "x"), "(reason-missing)"),
        (("decide", "Some words", "--because", "x"), "(name-missing)"),
        (("confirm", FREE, STORY), "(no-edge)"),
        (("confirm", STORY, FREE, "--because", "x"), "(name-missing)"),
        (("migrate", STORY, "--line", "A1", "--with", "x", "--by", "x"), "(still-open)"),
        (("migrate", STORY, "--line", "A1", "--with", "x"), "(name-missing)"),
        (("mirror", "add", "A B", "--for", REQUEST, "--title", "x", "--by", "x"), "one printable word"),
        (("mirror", "add", "A", "--for", REQUEST, "--title", "x", "--url", "ftp://x", "--by", "x"), "http or https"),
        (("mirror", "add", "A", "--for", STORY, "--title", "x", "--by", "x"), "(no-request)"),
        (("mirror", "add", "A", "--for", REQUEST, "--title", "x", "--status", "Odd", "--by", "x"), "(status-unmapped)"),
        (("contract", "show", STORY), "(not-external)"),
        (("contract", "show", STORY, "--text", "x"), "belongs to contract pin"),
        (("contract", "pin", STORY, "--from", "1"), "belongs to contract diff"),
    ],
)
def test_what_cannot_be_done_is_refused_in_words_and_writes_nothing(
    instance: Path, isopod: Run, arguments: tuple[str, ...], words: str
) -> None:
    before = fingerprint(instance)
    flags = () if arguments[:2] == ("contract", "show") else ("--yes",)
    done = isopod(*arguments, *flags)
    assert done.returncode == 2 and words in done.stderr + done.stdout, done.stderr
    assert "Traceback" not in done.stderr and fingerprint(instance) == before


def on_a_terminal(monkeypatch: pytest.MonkeyPatch, *keys: str) -> None:
    """stdin is a terminal, and these keys are pressed."""
    pressed = iter(keys)
    terminal = SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr("isopod.writing.sys", terminal)
    monkeypatch.setattr("isopod.replacing.sys", terminal)
    monkeypatch.setattr("click.getchar", lambda: next(pressed))


def test_on_a_terminal_each_edge_is_asked_for(instance: Path, isopod: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    depends = "depends_on:\n  - card: DEC-00000004\n    because:\n      - {rule: D13, text: stored there}\n"
    put(instance, REQUEST, "request: {team: data}\n", f"request: {{team: data}}\n{depends}")
    assert isopod("decide", NEW, *BY, "--yes").returncode == 0
    new = new_card(instance, "DEC", {DECISION, OLD})
    on_a_terminal(monkeypatch, "x", "m", "k")
    done = isopod("supersede", DECISION, "--by", new, stdin="김\n먼저 나간다\ny\n")
    assert done.returncode == 0, done.stderr
    assert "stored there (D13)" in done.stdout and "2 open:" in done.stderr and "1 open:" in done.stderr
    kept, moved = sorted((FREE, REQUEST), key=lambda card: f"card: {new}" in text_of(instance, card))
    assert "먼저 나간다" in text_of(instance, kept) and f"card: {DECISION}" in text_of(instance, kept)
    assert f"card: {DECISION}" not in text_of(instance, moved)


def test_who_leaves_in_the_middle_has_written_nothing(
    instance: Path, isopod: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = fingerprint(instance)
    on_a_terminal(monkeypatch, "q")
    done = isopod("decide", NEW, *BY, "--supersedes", DECISION, stdin="\ny\n")
    assert done.returncode == 2 and "nothing was written" in done.stderr
    assert fingerprint(instance) == before


def test_on_a_terminal_the_cards_that_may_lean_on_a_decision_are_offered(
    instance: Path, isopod: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_a_terminal(monkeypatch)
    done = isopod("decide", NEW, *BY, "--spec", "links", stdin=f"{STORY}, {FREE.lower()}\ny\n")
    assert done.returncode == 0, done.stderr
    assert f"{STORY}  Owners can renew" in done.stdout and "Which cards lean on it" in done.stderr
    new = new_card(instance, "DEC", {DECISION, OLD})
    assert all(f"card: {new}" in text_of(instance, card) for card in (STORY, FREE))


def test_a_migration_says_what_it_restates_and_what_it_waits_for(
    instance: Path, isopod: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(instance, FREE, "state: drafted", "state: published")
    made = isopod("migrate", FREE, "--line", "A1", "--with", "링크는 60일 동안 산다.", "--by", "김", "--yes")
    assert made.returncode == 0
    assert "restates A1 of STY-00000002: 링크는 만든 날부터 30일 동안 산다." in made.stdout
    assert "it waits for STY-00000002, which is published" in made.stdout
    assert isopod("audit", "--select", "C213,C231,C204").returncode == 0
    again = isopod("migrate", FREE, "--line", "A1", "--with", "x", "--by", "김", "--yes")
    assert again.returncode == 2 and "(restated-already)" in again.stderr
    assert isopod("undo", "--yes").returncode == 0
    path = instance / "cards/anchors/links.yaml"
    live, lost = (f"  - id: ANC-00000002\n    kind: constraint\n    status: {status}" for status in ("live", "lost"))
    path.write_text(path.read_text(encoding="utf-8").replace(live, lost), encoding="utf-8")
    on_a_terminal(monkeypatch)
    asked = isopod("migrate", FREE, "--line", "A1", "--by", "김", stdin="60일\ny\n")
    assert asked.returncode == 0 and "What holds instead of A1" in asked.stderr, asked.stderr


def test_an_issue_takes_over_a_request_and_its_contract_is_shown_pinned_and_compared(
    instance: Path, isopod: Run
) -> None:
    depends = "depends_on:\n  - card: REQ-00000006\n    because:\n      - {person: 김, text: 필요하다, at: 2026-11-30T09:00:00Z}\n"
    put(
        instance,
        DECISION,
        "decision: {supersedes: [DEC-00000005]}\n",
        f"decision: {{supersedes: [DEC-00000005]}}\n{depends}",
    )
    shown = isopod(*MIRROR, "--url", "https://data.example/DATA-12", "--dry-run")
    assert shown.returncode == 0 and "site: data.example" in shown.stdout
    told = shown.stdout.split("\ndiff ")[0].splitlines()
    assert told and max(map(cell_len, told)) <= 80, told
    assert valid(isopod(*MIRROR, "--yes", "--format", "json").stdout, "written")["command"] == "mirror"
    card = new_card(instance, "EXT", set())
    assert f"card: {card}" in text_of(instance, DECISION) and "state: done" in text_of(instance, REQUEST)
    one = valid(isopod("contract", "show", card, "--format", "json").stdout, "contract")
    assert (one["requests"], len(one["contract"])) == ([REQUEST], 1)  # type: ignore[arg-type]
    assert "version 1 -> what REQ-00000006 says today: the same" in isopod("contract", "diff", card).stdout
    pin = ("contract", "pin", card, "--text", "An endpoint", "--line", "초당 3,000건", "--by", "김", "--yes")
    assert isopod(*pin).returncode == 0
    assert "Nothing to write" in isopod(*pin).stdout
    assert "- 초당 3,000건" in isopod("contract", "show", card).stdout
    compared = isopod("contract", "diff", card)
    assert compared.returncode == 1 and "+ 초당 3,000건" in compared.stdout and "- 초당 3,000건" in compared.stdout
    data = valid(
        isopod("contract", "diff", card, "--from", "1", "--to", "2", "--format", "json").stdout, "contract-diff"
    )
    assert [entry["added"] for entry in data["diff"]] == [["초당 3,000건"]]  # type: ignore[attr-defined]
    assert isopod("audit", "--select", "C261,C262,C213,C203,C246").returncode == 0


def test_every_override_is_listed_and_counted(instance: Path, isopod: Run) -> None:
    assert "No rule was ever overridden here." in isopod("exemptions").stdout
    put(instance, FREE, "state: drafted", "state: published")
    assert isopod("done", FREE, *BY, "--yes").returncode == 0
    assert isopod("decide", NEW, *BY, "--affects", STORY, "--yes").returncode == 0
    new = new_card(instance, "DEC", {DECISION, OLD})
    assert isopod("decide", "Links are kept in files", *BY, "--yes").returncode == 0
    newer = new_card(instance, "DEC", {DECISION, OLD, new})
    keep = (
        "supersede",
        new,
        "--by",
        newer,
        "--who",
        "이",
        "--keep",
        f"{STORY}=먼저 나간다",
        "--reason-kind",
        "deadline",
    )
    assert isopod(*keep, "--until", "2020-01-31", "--yes").returncode == 0
    data = valid(isopod("exemptions", "--format", "json").stdout, "exemptions")
    assert data["counts"] == {
        "open": 2, "regular": 0, "replaced": 0, "ran_out": 1, "open_attested": 1, "open_deadline": 1,
    }  # fmt: skip
    rows = [(one["subject"], one["by"], one["standing"]) for one in data["exemptions"]]  # type: ignore[attr-defined]
    assert sorted(rows) == [(STORY, "이", "open"), (FREE, "김", "open")]
    shown = isopod("exemptions").stdout
    assert "C222 (audit), by 이 on " in shown and "ran out on 2020-01-31" in shown
    assert "2 exemptions: 2 open, 0 regular, 0 made anew since; 1 ran out" in shown
    assert max(map(cell_len, shown.splitlines())) <= 80
    assert isopod("edit", STORY, f"depends_on-={new}", "--yes").returncode == 0
    assert "1 open, 1 regular" in isopod("exemptions").stdout
    assert STORY not in isopod("exemptions", "--open").stdout


def test_the_ledger_is_verified_and_its_heads_are_named_after_a_merge(instance: Path, isopod: Run) -> None:
    assert isopod("ledger").stdout == "The ledger is empty.\n"
    put(instance, FREE, "state: drafted", "state: published")
    assert isopod("done", FREE, *BY, "--yes").returncode == 0
    data = valid(isopod("ledger", "--format", "json").stdout, "ledger-state")
    assert data["entries"] == {"attestation": 1, "exemption": 1, "seal": 1}
    assert (len(data["heads"]), data["unnamed"], data["problems"]) == (1, [], [])  # type: ignore[arg-type]
    folder = instance / "cards/ledger"
    ours = (folder / "checkpoint.json").read_bytes()
    (folder / "checkpoint.json").unlink()
    kept = {path.name: path.read_bytes() for path in folder.glob("*.json")}
    for path in folder.glob("*.json"):
        path.unlink()
    assert isopod(*MIRROR, "--yes").returncode == 0  # the other branch
    for name, content in kept.items():
        (folder / name).write_bytes(content)
    theirs = (folder / "checkpoint.json").read_bytes()
    merged = isopod("ledger")
    assert merged.returncode == 0 and "the checkpoint does not name it" in merged.stdout
    (folder / "checkpoint.json").write_bytes(ours + theirs)
    named = isopod("ledger", "checkpoint")
    assert named.returncode == 0 and "wrote cards/ledger/checkpoint.json" in named.stdout
    (line,) = (folder / "checkpoint.json").read_text(encoding="utf-8").splitlines()
    assert len(json.loads(line)["heads"]) == 2
    assert "Nothing to write" in isopod("ledger", "checkpoint").stdout
    next(path for path in folder.glob("?" * 64 + ".json") if path.name in kept).unlink()
    broken = isopod("ledger")
    assert broken.returncode == 1 and "does not hold" in broken.stdout
    refused = isopod("ledger", "checkpoint")
    assert refused.returncode == 1 and "(ledger-broken)" in refused.stderr
