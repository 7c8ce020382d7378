"""The frame of the command line: start-up, errors, formats, escaping, exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isopod import __version__
from isopod.cli import run
from isopod.crash import report
from isopod.escape import escape, escape_block, escape_json
from isopod.face import Face
from isopod.failure import failure_json, failure_lines
from isopod.table import COMMANDS
from schemas.errors import ManyErrors, Place, RefusedError

ROOT = Path(__file__).parents[2]


def isopod(*arguments: str, cwd: Path | None = None, **env: str) -> subprocess.CompletedProcess[str]:
    """The command line as a process."""
    return subprocess.run(
        [sys.executable, "-m", "isopod", *arguments],
        capture_output=True,
        encoding="utf-8",
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": str(ROOT), "COLUMNS": "80"} | env,
        stdin=subprocess.DEVNULL,
        check=False,
    )


def loaded_by(*arguments: str) -> set[str]:
    """The modules that a command line has loaded when it ends."""
    probe = (
        "import sys\nfrom isopod.__main__ import main\ntry:\n main()\nexcept SystemExit: pass\n"
        "print('\\n'.join(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", probe, *arguments],
        capture_output=True,
        encoding="utf-8",
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        check=False,
    )
    return {name.split(".")[0] for name in done.stderr.split()}


def test_help_loads_nothing_heavy() -> None:
    heavy = {
        "anthropic",
        "openai",
        "instructor",
        "jira",
        "pydantic",
        "yaml",
        "networkx",
        "rich",
        "markdown_it",
        "sqlite3",
    }
    assert not loaded_by("--help") & heavy


def test_version_loads_not_even_click() -> None:
    assert not loaded_by("--version") & {"click", "pydantic", "yaml"}


def test_audit_loads_no_model_sdk() -> None:
    assert not loaded_by("audit") & {"anthropic", "openai", "instructor", "jira"}


def test_the_version_is_the_one_that_is_packaged() -> None:
    import tomllib

    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"] == __version__


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself_with_examples(name: str) -> None:
    from click.testing import CliRunner

    from isopod.cli import group

    shown = CliRunner().invoke(group, [name, "--help"])
    assert shown.exit_code == 0, shown.output
    assert f"\n  isopod {name}" in shown.output.split("Examples:")[1]
    assert "--format" in shown.output
    assert max(map(len, shown.output.splitlines())) <= 100
    assert CliRunner().invoke(group, [name, "-h"]).output == shown.output


def test_an_unknown_command_is_refused_with_the_nearest_one() -> None:
    done = isopod("crads")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == "isopod: there is no command 'crads'; did you mean 'cards'? (usage)\ntry: isopod --help\n"


def test_a_usage_error_is_json_when_json_was_asked_for() -> None:
    done = isopod("cards", "--no-such-option", "--format", "json")
    assert done.returncode == 2
    shown = json.loads(done.stdout)
    assert shown["schema"] == "isopod.error/1"
    assert shown["code"] == "usage"
    assert "--no-such-option" in shown["message"]


def test_a_folder_that_is_not_there_is_refused() -> None:
    assert isopod("-C", "/no/such/folder", "cards").returncode == 2


def test_output_is_utf_8_whatever_the_locale_says() -> None:
    done = isopod("없음", LC_ALL="C", PYTHONIOENCODING="ascii")
    assert done.returncode == 2
    assert "없음" in done.stderr


def test_a_closed_pipe_is_quiet() -> None:
    done = subprocess.run(
        f"{sys.executable} -m isopod --help | true; exit ${{PIPESTATUS[0]}}",
        shell=True,
        executable="/bin/bash",
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert done.stderr == ""
    assert done.returncode in (0, 141)  # 0 when the help was written before the reader went away


def test_a_full_disk_behind_stdout_is_said() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "isopod", "--help"], stdout=full, stderr=subprocess.PIPE, text=True,
            env=os.environ | {"PYTHONPATH": str(ROOT)}, check=False,
        )  # fmt: skip
    assert done.returncode == 4
    assert "No space left on device (system)" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_failure_shows_the_line_and_a_caret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "card.yaml").write_text("title: 예약 알림\nteam: nobody\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    error = RefusedError("unknown-team", "no such team", where=Place("card.yaml", 1, 11), fix="isopod cards")
    assert list(failure_lines(error)) == [
        "isopod: card.yaml:1:11: no such team (unknown-team)",
        "  1 | title: 예약 알림",
        "    |             ^",
        "try: isopod cards",
    ]


def test_all_that_is_wrong_is_said_not_only_the_first() -> None:
    errors = ManyErrors([RefusedError("one", "first"), RefusedError("two", "second", where=Place("no/such/file", 3))])
    assert list(failure_lines(errors)) == ["isopod: first (one)", "isopod: no/such/file:3: second (two)"]
    assert [item["code"] for item in failure_json(errors)["errors"]] == ["one", "two"]


def test_a_crash_file_holds_no_text_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    secret = "the patient's name"
    try:
        raise KeyError(secret)
    except KeyError as error:
        said = report(error, ["rules", secret, "--by", "Kim", "--token=hunter2", "--format", "json"])
    [file] = tmp_path.iterdir()
    text = file.read_text()
    assert str(file) in str(said.fix)
    assert said.exit_code == 5
    assert "isopod rules <18 characters> --by <3 characters> --token=<7 characters> --format json" in text
    assert not any(word in text for word in ("patient", "Kim", "hunter2"))
    assert "KeyError" in text and "test_isopod_frame.py" in text


def raising(error: BaseException) -> Callable[..., None]:
    def broken(*_: object, **__: object) -> None:
        raise error

    return broken


def test_a_bug_is_one_sentence_and_a_file_never_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("gates.registry.rules", raising(ZeroDivisionError("secret text")))
    assert run(["rules"]) == 5
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "a bug in isopod (ZeroDivisionError)" in shown.err and "isopod-crash-" in shown.err
    assert "Traceback" not in shown.err and "secret" not in shown.err
    assert run(["rules", "--format", "json"]) == 5
    assert json.loads(capsys.readouterr().out)["code"] == "bug"
    assert len(list(tmp_path.iterdir())) == 2


def test_ctrl_c_is_130(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("gates.registry.rules", raising(KeyboardInterrupt()))
    assert run(["rules"]) == 130
    assert "stopped" in capsys.readouterr().err


def test_ctrl_c_while_the_program_loads_is_130_and_quiet() -> None:
    probe = """
import builtins, sys
from isopod.__main__ import main
load = builtins.__import__
def interrupted(name, *rest):
    if name == "click":
        raise KeyboardInterrupt
    return load(name, *rest)
builtins.__import__ = interrupted
main()
"""
    done = subprocess.run(
        [sys.executable, "-c", probe, "status"],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def with_closed(stream: str, command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A command line of a shell that closes a stream, such as `<&-`."""
    return subprocess.run(
        f"{sys.executable} -m isopod {command} {stream}",
        shell=True,
        executable="/bin/bash",
        capture_output=True,
        text=True,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        check=False,
    )


def test_a_question_without_stdin_is_refused(tmp_path: Path) -> None:
    done = with_closed("<&-", "init", tmp_path)
    assert done.returncode == 2
    assert "(no-answer)" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_failure_without_stderr_keeps_its_exit_code(tmp_path: Path) -> None:
    assert with_closed("2>&-", "status", tmp_path).returncode == 2


def test_what_the_system_refuses_is_outside(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("gates.registry.rules", raising(PermissionError(13, "Permission denied", "specs/a.md")))
    assert run(["rules"]) == 4
    assert "specs/a.md: the system refused: Permission denied (system)" in capsys.readouterr().err


@given(st.text())
@settings(max_examples=200)
def test_escaped_text_is_one_line_that_cannot_move_the_cursor(text: str) -> None:
    shown = escape(text)
    assert len(shown.splitlines()) <= 1
    assert not any(
        ord(char) < 32 or 127 <= ord(char) < 160 or char in "\u202a\u202b\u202d\u202e\u2066\u2069" for char in shown
    )
    assert escape(shown) == shown
    assert escape_block(text).count("\n") == text.count("\n")


@given(st.recursive(st.text(), lambda inner: st.dictionaries(st.text(), inner) | st.lists(inner), max_leaves=10))
@settings(max_examples=200)
def test_escaped_json_reads_as_the_same_values(value: object) -> None:
    encoded = escape_json(json.dumps(value, ensure_ascii=False, indent=2))
    assert json.loads(encoded) == value
    assert "\x1b" not in encoded and "\u202e" not in encoded and "\x9b" not in encoded


def test_a_progress_line_is_one_line_whatever_a_name_holds(capsys: pytest.CaptureFixture[str]) -> None:
    Face().note("isopod: reader a reads specs/\x1b[31mx\ny.md")
    assert capsys.readouterr().err == "isopod: reader a reads specs/\\e[31mx\\ny.md\n"


def test_escapes_are_the_readable_ones() -> None:
    assert escape("a\x1b[31mb\u202ec\x07\n") == "a\\e[31mb\\u202ec\\x07\\n"
