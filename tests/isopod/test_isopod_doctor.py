"""isopod doctor: packages, readers, keys, prices, folders, and one tiny question when it is asked for."""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, Run, fingerprint
from servers.loopback import KEY, Loopback
from servers.outcomes import Reply, Status

from pipeline import checkup
from store.book import load_books
from store.instance import open_instance

SECRET = "sk-ant-0123456789-not-a-real-key"

ANSWERS = 'import sys; sys.stdin.read(); print("""Yes. ```json\\n{"ready": true}\\n```""")'
CHATS = 'import sys; sys.stdin.read(); print("I am ready, how can I help?")'
FAILS = 'import sys; sys.stdin.read(); print("no credit left", file=sys.stderr); sys.exit(3)'

Configure = Callable[..., None]


@pytest.fixture
def configure(instance: Path, monkeypatch: pytest.MonkeyPatch) -> Configure:
    """Put readers, and other lines, in the config of the instance; no key is set."""
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_BASE_URL", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    path = instance / "config.yaml"

    def change(a: dict[str, Any] | None = None, b: dict[str, Any] | None = None, **more: Any) -> None:
        lines = []
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("  a: {provider:") and a is not None:
                line = f"  a: {json.dumps(a)}"
            if line.startswith("  b: {provider:") and b is not None:
                line = f"  b: {json.dumps(b)}"
            if line.split(":")[0] not in more:
                lines.append(line)
        lines += [f"{key}: {json.dumps(value)}" for key, value in more.items()]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")

    return change


def checks(isopod: Run, *arguments: str, code: int, **env: str) -> dict[str, dict[str, Any]]:
    """Every check by its name."""
    done = isopod("doctor", "--format", "json", *arguments, **env)
    assert done.returncode == code, done.stdout + done.stderr
    data = json.loads(done.stdout)
    assert data["schema"] == "isopod.doctor/1"
    return {check["name"]: check for check in data["checks"]}


def program(script: str, model: str = "agent") -> dict[str, Any]:
    """A reader that asks a small program."""
    return {"provider": "command", "model": model, "command": [sys.executable, "-c", script]}


def test_offline_readers_need_nothing(instance: Path, isopod: Run) -> None:
    found = checks(isopod, code=0)
    assert found["Python"]["state"] == "ok"
    assert found["reader a"]["state"] == found["reader b"]["state"] == "ok"
    assert found["drafter"]["message"] == "rules; no model is asked"
    assert found["state folder"]["state"] == "ok"
    assert not [name for name in found if name.startswith("price")]


def test_it_writes_nothing_and_a_call_to_readers_without_a_model_is_none(instance: Path, isopod: Run) -> None:
    before = sorted(path for path in instance.rglob("*"))
    content = fingerprint(instance)
    assert "call of reader a" not in checks(isopod, "--call", code=0)
    assert sorted(path for path in instance.rglob("*")) == before
    assert fingerprint(instance) == content


def test_outside_an_instance_it_checks_what_it_can(isopod: Run) -> None:
    done = isopod("doctor")
    assert done.returncode == 0
    assert "Python: 3." in done.stdout
    assert "There is no instance here" in " ".join(done.stdout.split())


def test_a_missing_key_is_named_by_its_variable(configure: Configure, isopod: Run) -> None:
    configure(
        {"provider": "anthropic", "model": "m-one"}, {"provider": "openai", "model": "m-two", "key_env": "TEAM_KEY"}
    )
    found = checks(isopod, code=1)
    assert found["reader a"]["state"] == found["reader b"]["state"] == "missing"
    assert "ANTHROPIC_API_KEY" in found["reader a"]["message"]
    assert "TEAM_KEY" in found["reader b"]["message"]


def test_a_key_is_never_shown(configure: Configure, isopod: Run) -> None:
    pytest.importorskip("anthropic", reason="the extra `models` is not installed")
    pytest.importorskip("instructor", reason="the extra `models` is not installed")
    address = "https://kim:hunter22@models.example/v1"
    configure(
        {"provider": "anthropic", "model": "m-one"}, {"provider": "openai", "model": "m-two", "base_url": address}
    )
    done = isopod("doctor", ANTHROPIC_API_KEY=SECRET)
    assert done.returncode == 0, done.stdout
    shown = " ".join(done.stdout.split())
    assert "calls go to api.anthropic.com; ANTHROPIC_API_KEY is set" in shown
    assert "calls go to models.example; OPENAI_API_KEY is not set" in shown
    for secret in (SECRET, "hunter22"):
        assert secret not in done.stdout + done.stderr


def test_a_package_that_a_reader_needs_is_missing(
    configure: Configure, isopod: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(name: str) -> str:
        if name in ("anthropic", "instructor", "openai"):
            raise PackageNotFoundError(name)
        return version(name)

    monkeypatch.setattr(checkup, "version", absent)
    configure({"provider": "anthropic", "model": "m-one"})
    found = checks(isopod, code=1)
    assert found["package anthropic"]["state"] == found["package instructor"]["state"] == "missing"
    assert found["package anthropic"]["fix"] == "pip install 'isopod-cards[models]'"
    assert found["package openai"]["state"] == "not-used"


def test_a_version_out_of_range_is_missing_where_it_is_needed(
    configure: Configure, isopod: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkup, "version", lambda name: "1.16.0" if name == "instructor" else "9.0")
    assert checks(isopod, code=0)["package instructor"]["state"] == "not-used"
    configure({"provider": "openai", "model": "m", "base_url": "http://127.0.0.1:1/v1"})
    found = checks(isopod, code=1)
    assert found["package instructor"]["state"] == found["package openai"]["state"] == "missing"
    assert found["package instructor"]["message"] == "1.16.0 (does not fit instructor==1.17.*)"
    assert found["package anthropic"]["state"] == "not-used"


def test_one_model_twice_is_missing_until_config_allows_it(configure: Configure, isopod: Run) -> None:
    one = program(ANSWERS)
    configure(one, one)
    assert checks(isopod, code=1)["two models"]["state"] == "missing"
    configure(allow_same_model=True)
    assert checks(isopod, code=0)["two models"]["state"] == "ok"


def test_prices_are_wanted_only_where_money_is_capped(configure: Configure, isopod: Run) -> None:
    configure(program(ANSWERS, "m-one"))
    assert checks(isopod, code=0)["price of m-one"]["state"] == "not-used"
    configure(models={"money": 5.0})
    assert checks(isopod, code=1)["price of m-one"]["state"] == "missing"
    configure(models={"money": 5.0, "currency": "EUR", "prices": {"m-one": {"input": 3, "output": 15}}})
    assert checks(isopod, code=0)["price of m-one"]["message"] == "3 in, 15 out EUR for a million tokens"


def test_a_model_drafter_needs_a_reader_that_asks_a_model(configure: Configure, isopod: Run) -> None:
    configure(draft={"drafter": "model", "reader": "b"})
    assert checks(isopod, code=1)["drafter"]["state"] == "missing"
    configure(b=program(ANSWERS))
    assert checks(isopod, code=0)["drafter"]["state"] == "ok"


@pytest.mark.parametrize("command", [["./agent.py"], ["~/agent.py"], ["tools/agent"], [sys.executable, "agent.py"]])
def test_paths_of_a_program_must_be_absolute(
    configure: Configure, instance: Path, isopod: Run, command: list[str]
) -> None:
    (instance / "agent.py").write_text("", encoding="utf-8")
    configure(b={"provider": "command", "model": "n", "command": command})
    assert "give the absolute path" in checks(isopod, code=1)["reader b"]["message"]


def test_an_unknown_provider_and_a_program_that_is_not_there(configure: Configure, isopod: Run) -> None:
    configure(
        {"provider": "no-such", "model": "m"}, {"provider": "command", "model": "n", "command": ["/no/such/program"]}
    )
    found = checks(isopod, code=1)
    assert "no-such" in found["reader a"]["message"]
    assert "/no/such/program" in found["reader b"]["message"]


def test_a_broken_config_is_a_finding_and_the_rest_is_still_checked(instance: Path, isopod: Run) -> None:
    path = instance / "config.yaml"
    path.write_text(path.read_text(encoding="utf-8") + "no_such_key: 1\n", encoding="utf-8")
    done = isopod("doctor")
    assert done.returncode == 2
    assert "no_such_key" in done.stdout
    assert "no instance here" not in done.stdout
    assert "config.yaml is not valid" in done.stdout
    assert "Python: 3." in done.stdout


def test_a_call_says_first_what_it_sends_and_is_on_record(configure: Configure, instance: Path, isopod: Run) -> None:
    configure(program(ANSWERS))
    done = isopod("doctor", "--call")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "nothing of a spec, to agent (the program" in done.stderr
    assert "call of reader a: agent answers in the form that is asked for" in " ".join(done.stdout.split())
    (book,) = load_books(open_instance(instance)).kept
    assert book.start is not None
    assert book.start.command == "doctor"
    assert [(call.purpose, call.outcome) for call in book.calls] == [("check", "answered")]
    assert book.end is not None
    assert book.end.exit_code == 0


def test_a_call_is_sent_each_time_and_leaves_no_answer(configure: Configure, instance: Path, isopod: Run) -> None:
    configure(program(ANSWERS))
    for _ in range(2):
        assert checks(isopod, "--call", code=0)["call of reader a"]["call"]["stop"] == "exit 0"
    assert len(load_books(open_instance(instance)).kept) == 2
    assert not (instance / ".isopod/answers").exists()


@pytest.mark.parametrize(("script", "words"), [(CHATS, "not in the form"), (FAILS, "no credit left")])
def test_a_call_without_a_usable_answer_fails(configure: Configure, isopod: Run, script: str, words: str) -> None:
    configure(program(script))
    found = checks(isopod, "--call", code=4)["call of reader a"]
    assert found["state"] == "failed"
    assert words in found["message"]
    assert found["call"]["seconds"] >= 0


def test_a_reader_that_lacks_something_is_not_asked(configure: Configure, isopod: Run) -> None:
    configure({"provider": "anthropic", "model": "m-one"}, program(ANSWERS))
    found = checks(isopod, "--call", code=1)
    assert "call of reader a" not in found
    assert found["call of reader b"]["state"] == "ok"


@pytest.fixture
def both(configure: Configure, monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    """An instance whose readers ask both faces of a server on this machine, with its key set."""
    pytest.importorskip("instructor", reason="the extra `models` is not installed")
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, KEY)
    with Loopback() as server:
        configure(
            {"provider": "anthropic", "model": "m-one", "base_url": server.anthropic_url},
            {"provider": "openai", "model": "m-two", "base_url": server.openai_url},
        )
        yield server


def test_a_call_through_both_sdks_sends_one_fixed_sentence_each(both: Loopback, isopod: Run) -> None:
    found = checks(isopod, "--call", code=0)
    for name in ("call of reader a", "call of reader b"):
        assert found[name]["state"] == "ok"
        assert found[name]["call"]["usage"] == {"input": 1200, "output": 300, "cached": 0}
    assert [question.model for question in both.questions] == ["m-one", "m-two"]
    assert {question.user for question in both.questions} == {"Are you ready?"}


def test_a_refused_key_fails_the_call_and_is_not_shown(both: Loopback, isopod: Run) -> None:
    wrong = "sk-ant-9876543210-wrong"
    done = isopod("doctor", "--call", ANTHROPIC_API_KEY=wrong)
    assert done.returncode == 4
    assert "(key-refused)" in " ".join(done.stdout.split())
    assert "call of reader b: m-two answers" in " ".join(done.stdout.split())
    for secret in (wrong, KEY):
        assert secret not in done.stdout + done.stderr


def test_a_busy_model_is_asked_twice_and_no_more(both: Loopback, isopod: Run) -> None:
    both.fail_next(*[Status(529, headers={"Retry-After": "0"})] * 9, model="m-one")
    found = checks(isopod, "--call", code=4)
    assert found["call of reader a"]["state"] == "failed"
    assert [question.model for question in both.questions].count("m-one") == 2


def test_a_cut_off_answer_says_what_it_took(both: Loopback, isopod: Run) -> None:
    both.brain = lambda question: Reply(text="I am", stop="max_tokens" if question.model == "m-one" else "length")
    found = checks(isopod, "--call", code=4)
    assert found["call of reader a"]["call"]["stop"] == "max_tokens"
    assert found["call of reader b"]["call"]["usage"]["output"] == 300
    assert "(truncated)" in found["call of reader b"]["message"]


def test_the_extra_models_states_the_tested_lines_and_has_them() -> None:
    stated = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert stated["models"] == ["instructor==1.17.*", "openai>=3,<4", "anthropic>=2,<3"]
    found = {}
    for name in ("instructor", "openai", "anthropic"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            pytest.skip("the extra `models` is not installed")
    assert found["instructor"].startswith("1.17.")
    assert found["openai"].startswith("3.")
    assert found["anthropic"].startswith("2.")
