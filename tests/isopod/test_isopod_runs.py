"""isopod runs: records that are there are listed, shown call by call and compared over time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Run, fingerprint
from rich.cells import cell_len
from test_isopod_instance import read_json

from schemas.anchors import Reading
from schemas.bookline import BookLine, CallLine, End, KindFigures, LeftOutLine, RoundLine, Start
from schemas.call import Purpose, Usage
from schemas.kinds import ANCHOR_KINDS
from schemas.reading import Difference
from store.book import Book

KOREAN = "specs/예약 알림 서비스의 발송 창과 수신 거부에 대한 명세.md"
EVIL = "evil\x1b[31m\u202emodel"


def call(
    model: str,
    *,
    reader: str = "a",
    money: float | None = None,
    currency: str = "USD",
    usage: Usage | None = None,
    purpose: Purpose = "read",
    outcome: str = "answered",
    retries: int = 0,
) -> CallLine:
    return CallLine(
        at="2026-11-30T09:00:01Z",
        request="1" * 64,
        reader=reader,
        provider="openai",
        model=model,
        purpose=purpose,
        round=0,
        place="링크 > 갱신 \x1b[2J",
        outcome=outcome,
        stop="stop" if outcome == "answered" else None,
        usage=usage,
        money=money,
        currency=None if money is None else currency,
        seconds=2.25,
        retries=retries,
    )


def after(number: int, disputes: int = 0, **kinds: tuple[int, int, int]) -> RoundLine:
    """A round with (agreed, only a, only b) of each kind."""
    assert set(kinds) <= set(ANCHOR_KINDS)
    figures = {
        kind: KindFigures(agreed=kinds[kind][0], only_a=kinds[kind][1], only_b=kinds[kind][2])
        for kind in ANCHOR_KINDS
        if kind in kinds
    }
    differing = sum(one.only_a + one.only_b for one in figures.values())
    return RoundLine(
        round=number,
        difference=Difference(anchors=differing, edges=1),
        strict=Difference(anchors=differing + 1, edges=2),
        disputes=disputes,
        edges_agreed=3,
        kinds=figures,
    )


def record(
    instance: Path,
    at: str,
    *lines: BookLine,
    spec: str = "specs/links.md",
    models: tuple[str, ...] = ("claude", "gpt"),
    exit_code: int | None = 0,
) -> str:
    """A record of a compile on disk; its id."""
    readers = tuple(
        Reading(reader=name, provider="openai", model=model) for name, model in zip("ab", models, strict=False)
    )
    book = Book(instance / ".isopod", Start(at=at, command="compile", spec=spec, readers=readers))
    for line in lines:
        book.write(line)
    if exit_code is not None:
        book.write(End(at=at, exit_code=exit_code))
    assert book.path is not None
    return book.path.stem


@pytest.fixture
def history(instance: Path) -> list[str]:
    """Four runs: a dispute that a repair round settles, one cut off, one without prices, a replay; their ids, the oldest first."""
    usage = Usage(input=1200, output=300, cached=200)
    first = after(0, 2, requirement=(8, 1, 1), constraint=(4, 1, 0), term=(3, 0, 0))
    last = after(1, 0, requirement=(9, 0, 0), constraint=(5, 0, 0), term=(3, 0, 0))
    return [
        record(
            instance,
            "2026-11-28T09:00:00Z",
            call("claude", money=0.25, usage=usage),
            call("gpt", reader="b", money=0.1, currency="EUR", usage=usage, retries=2),
            call("gpt", reader="b", usage=usage),
            call("gpt", reader="b", outcome="model-busy"),
            LeftOutLine(reader="b", place="링크", codes={"quote-not-found": 2, "crossing": 1}),
            first,
            last,
            exit_code=3,
        ),
        record(instance, "2026-11-29T09:00:00Z", call("claude", money=0.00001, usage=usage), exit_code=None),
        record(
            instance,
            "2026-11-30T09:00:00Z",
            call(EVIL),
            call("gpt", reader="b"),
            after(0, 4, requirement=(199, 1, 0)),
            spec=KOREAN,
            models=(EVIL, "gpt"),
        ),
        record(instance, "2026-12-01T09:00:00Z", first, last),
    ]


def told(isopod: Run, *arguments: str) -> str:
    done = isopod("runs", *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    assert all(cell_len(line) <= 80 for line in done.stdout.splitlines()), done.stdout
    assert "\x1b" not in done.stdout and "\u202e" not in done.stdout
    return done.stdout


def data(isopod: Run, name: str, *arguments: str) -> dict[str, Any]:
    return read_json(isopod("runs", *arguments, "--format", "json").stdout, name)


def test_without_a_record_it_says_how_to_make_one(instance: Path, isopod: Run) -> None:
    assert told(isopod) == "No run yet: a command that asks a model leaves a record (isopod compile SPEC).\n"
    assert "Nothing to compare yet" in told(isopod, "--compare")
    assert data(isopod, "runs")["runs"] == []
    done = isopod("runs", "--show", "last")
    assert (done.returncode, "there is no run yet" in done.stderr) == (2, True)


def test_the_table_says_what_each_run_came_to(history: list[str], isopod: Run) -> None:
    shown = told(isopod)
    heads = ["when", "calls", "in", "out", "cached", "spec"]
    assert shown.splitlines()[0].split() == heads
    words = " ".join(shown.split())
    assert "2026-11-28 09:00 4 3,600 900 600 specs/links.md" in words
    assert ": waits for a person (exit 3) 0.1000 EUR + 0.2500 USD + 1 call without a price" in words
    assert "1 call failed and may have been paid" in words
    assert (
        "first reading: 15 of 18 claims agreed; difference 3 claims and 1 relation (strictly 4 and 2); 2 disputes"
        in words
    )
    assert (
        "repair round 1: 17 of 17 claims agreed; difference 0 claims and 1 relation (strictly 1 and 2); 0 disputes"
        in words
    )
    assert "left out of reader b's answers, 링크: crossing 1, quote-not-found 2" in words
    assert "cut off (or still running) under 0.0001 USD" in words
    assert "2 ? ? ? specs/예약 알림" in words and "no price, tokens of 2 calls not counted" in words
    assert "a: evil\\e[31m\\u202emodel (openai); b: gpt (openai)" in words
    assert "4 runs: 7 calls with 2 retries; 4,800 tokens in (800 of them cached), 1,200 out;" in words
    assert "0.1000 EUR + 0.2500 USD + 3 calls without a price" in words
    assert "proves agreement, not a right reading" in words
    assert [shown.index(name) for name in history] == sorted(shown.index(name) for name in history)


def test_the_runs_of_one_spec_by_path_by_key_and_the_last_of_them(history: list[str], isopod: Run) -> None:
    def ids(*arguments: str) -> list[str]:
        return [run["id"] for run in data(isopod, "runs", *arguments)["runs"]]

    links = [history[0], history[1], history[3]]
    assert ids("specs/links.md") == ids("links") == ids("./specs/../specs/links.md") == links
    assert ids(KOREAN) == [history[2]]  # a spec whose file is gone
    assert ids("links", "--last", "2") == links[1:]
    assert ids("--last", "9") == history
    assert "2 runs of 3: 1 call;" in told(isopod, "links", "--last", "2")
    done = isopod("runs", "specs/lnks.md")
    assert done.returncode == 2 and "no spec is called 'specs/lnks.md'" in done.stderr


def test_json_holds_every_call_and_sums_no_currencies(history: list[str], isopod: Run) -> None:
    listed = data(isopod, "runs")
    assert [len(run["calls"]) for run in listed["runs"]] == [4, 1, 2, 0]
    assert listed["runs"][1]["end"] is None
    assert listed["total"]["money"] == {"EUR": 0.1, "USD": 0.25001}
    assert (listed["total"]["unpriced"], listed["total"]["failed"]) == (3, 1)
    assert listed["runs"][0]["rounds"][0]["share"] == round(15 / 18, 4)


def test_every_call_of_a_run_is_a_line(history: list[str], isopod: Run) -> None:
    shown = " ".join(told(isopod, "--show", history[0][:13]).split())
    assert "Calls (4)" in shown
    assert (
        "2 b gpt: read, round 0, 링크 > 갱신 \\e[2J; answered (stop: stop); 1,200 in (200 cached), 300 out; 0.1000 EUR; "
        "2.2 s; 2 retries"
    ) in shown
    assert "model-busy; tokens not counted; no price; 2.2 s; 0 retries" in shown
    assert "Together: 4 calls with 2 retries;" in shown
    assert data(isopod, "runs", "--show", "last")["runs"][0]["id"] == history[-1]
    assert data(isopod, "runs", "links", "--show", history[1])["runs"][0]["id"] == history[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--show", "2026"), "several runs begin with '2026'"),
        (("--show", "nothing"), "no run is called 'nothing'"),
        (("--show", ""), "no run is called ''"),
        (("--show", "last", "--compare"), "--show is about one run"),
        (("--show", "last", "--last", "1"), "--show is about one run"),
        (("--last", "0"), "--last"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    history: list[str], isopod: Run, arguments: tuple[str, ...], message: str
) -> None:
    done = isopod("runs", *arguments)
    assert done.returncode == 2 and message in done.stderr


def test_agreement_by_kind_and_pair_of_models(history: list[str], isopod: Run) -> None:
    shown = told(isopod, "--compare")
    words = " ".join(shown.split())
    assert "a: claude b: gpt 1 run first reading after the last round share agreed only a only b share" in words
    assert "requirement 80% 8 1 1 100% 9 0 0" in words
    assert "all kinds 83% 15 2 1 100% 17 0 0" in words
    assert "2026-11-28 09:00 specs/links.md 80 80 100 83 2026-12-01 09:00 specs/links.md 80 80 100 83 *" in words
    assert "requirement 99% 199 1 0 99% 199 1 0" in words  # never 100 while a claim differs
    assert "Agreement is not correctness." in words
    assert "* asked nothing and found what a run before it had found: not summed up" in words
    assert "a: evil\\e[31m\\u202emodel b: gpt" in words


def test_the_comparison_as_json(history: list[str], isopod: Run) -> None:
    first, second = data(isopod, "comparison", "--compare")["pairs"]
    assert [(pair["a"], pair["b"], len(pair["runs"])) for pair in (first, second)] == [
        ("claude", "gpt", 2),
        (EVIL, "gpt", 1),
    ]
    assert first["first"]["kinds"]["constraint"] == {"agreed": 4, "only_a": 1, "only_b": 0, "share": 0.8}
    assert first["first"]["all"] == {"agreed": 15, "only_a": 2, "only_b": 1, "share": round(15 / 18, 4)}
    assert first["last"]["all"]["share"] == 1
    assert [run["repeated"] for run in first["runs"]] == [False, True]
    assert second["first"] == second["last"]
    assert data(isopod, "comparison", "--compare", KOREAN)["pairs"] == [second]


def test_a_fresh_reading_counts_even_when_it_finds_the_same(history: list[str], instance: Path, isopod: Run) -> None:
    same = after(0, 4, requirement=(199, 1, 0))
    record(instance, "2026-12-02T09:00:00Z", call("gpt", reader="b"), same, spec=KOREAN, models=(EVIL, "gpt"))
    drafting = call("gpt", purpose="draft")
    record(instance, "2026-12-03T09:00:00Z", drafting, same, spec=KOREAN, models=(EVIL, "gpt"))
    pair = data(isopod, "comparison", "--compare")["pairs"][1]
    assert [run["repeated"] for run in pair["runs"]] == [False, False, True]
    assert pair["last"]["all"] == {"agreed": 398, "only_a": 2, "only_b": 0, "share": 0.995}


def test_one_model_as_both_readers_is_said(instance: Path, isopod: Run) -> None:
    record(instance, "2026-12-02T09:00:00Z", after(0, requirement=(1, 0, 0)), models=("one", "one"))
    record(instance, "2026-12-03T09:00:00Z", after(0), models=("none", "none"))
    shown = told(isopod, "--compare")
    assert "Both readers are one model: that they agree proves less." in shown
    assert "all kinds - 0 0 0 - 0 0 0" in " ".join(shown.split())
    assert "0 of 0 claims agreed" in told(isopod, "--last", "1")


def test_a_broken_record_is_said_and_hides_nothing(history: list[str], instance: Path, isopod: Run) -> None:
    torn = instance / ".isopod/records" / f"{history[1]}.jsonl"
    torn.write_bytes(torn.read_bytes() + b'{"line": "ro')
    broken = instance / ".isopod/records" / f"{history[2]}.jsonl"
    broken.write_bytes(b"x" + broken.read_bytes())
    done = isopod("runs", "--format", "json")
    listed = json.loads(done.stdout)
    assert done.returncode == 0 and len(listed["runs"]) == 4
    assert [(one["code"], one["where"]["line"]) for one in listed["problems"]] == [("torn-line", 3), ("broken-line", 1)]
    assert f"{history[2]}.jsonl:1: a line that no record has" in done.stderr
    shown = isopod("runs").stdout
    assert f"unknown command {history[2]}: holds (exit 0)" in shown
    assert len(data(isopod, "comparison", "--compare")["pairs"]) == 1


def test_looking_at_runs_writes_nothing(history: list[str], instance: Path, isopod: Run) -> None:
    before, records = fingerprint(instance), sorted((instance / ".isopod/records").iterdir())
    for arguments in ((), ("--compare",), ("--show", "last")):
        assert isopod("runs", *arguments).returncode == 0
    assert fingerprint(instance) == before
    assert sorted((instance / ".isopod/records").iterdir()) == records
