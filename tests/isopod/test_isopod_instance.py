"""The looking and checking commands on a small instance."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import jsonschema
import pytest
from conftest import SPEC, Run, fingerprint

from schemas.errors import OutsideError
from schemas.jsonschema import schema_of
from store.disk import Disk
from store.transaction import Transaction


def read_json(output: str, name: str) -> dict[str, object]:
    """A JSON output, checked against the schema of its name."""
    data: dict[str, object] = json.loads(output)
    assert data["schema"] == f"isopod.{name}/1"
    jsonschema.validate(data, schema_of(name), jsonschema.Draft202012Validator)
    return data


def change(path: Path, old: str, new: str) -> None:
    """Edit a file as a person does."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


LOOKING = (
    ("status", ("status",)),
    ("cards", ("cards",)),
    ("show", ("show", "STY-00000001")),
    ("show", ("show", "ANC-00000002")),
    ("frontier", ("frontier",)),
    ("why", ("why", "STY-00000001")),
    ("graph", ("graph",)),
    ("findings", ("audit",)),
    ("rules", ("rules",)),
    ("schema", ("schema",)),
    ("written", ("recover",)),
)


def test_every_looking_command_gives_json_of_its_schema_and_writes_nothing(instance: Path, isopod: Run) -> None:
    before = fingerprint(instance)
    for name, arguments in LOOKING:
        done = isopod(*arguments, "--format", "json")
        assert (done.returncode, done.stderr) == (0, ""), arguments
        read_json(done.stdout, name)
    assert fingerprint(instance) == before


def test_cards_are_listed_by_kind_in_eighty_columns(instance: Path, isopod: Run) -> None:
    done = isopod("cards")
    assert done.returncode == 0
    assert done.stdout.startswith(
        "Stories (2)\n"
        "  STY-00000001  planned  waits  Owners can renew a link before it expires\n"
        "  STY-00000002  drafted  ready  링크는 만든 날부터 30일 동안 산다\n"
    )
    assert "  DEC-00000005  drafted  replaced  Links are kept in Redis" in done.stdout


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (("--state", "planned"), ["STY-00000001"]),
        (("--kind", "gate", "--kind", "request"), ["GAT-00000003", "REQ-00000006"]),
        (("--ready",), ["STY-00000002"]),
        (("--waits",), ["STY-00000001"]),
        (("--search", "POSTGRES"), ["DEC-00000004"]),
        (("--search", "30일"), ["STY-00000002"]),
        (("--team", "data"), []),
        (("--state", "deleted"), []),
    ],
)
def test_filters_of_cards(instance: Path, isopod: Run, filters: tuple[str, ...], expected: list[str]) -> None:
    data = read_json(isopod("cards", *filters, "--format", "json").stdout, "cards")
    assert [card["id"] for card in data["cards"]] == expected  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("cards", "--team", "nobody"), "unknown-team"),
        (("cards", "--spec", "nothing"), "unknown-spec"),
        (("show", "STY-00000009"), "unknown-id"),
        (("why", "ANC-00000009"), "unknown-id"),
        (("rules", "no-such-rule"), "unknown-rule"),
        (("audit", "--select", "C999"), "unknown-rule"),
        (("schema", "cart"), "unknown-schema"),
    ],
)
def test_a_name_that_nothing_bears_is_refused(
    instance: Path, isopod: Run, arguments: tuple[str, ...], code: str
) -> None:
    done = isopod(*arguments, "--format", "json")
    assert done.returncode == 2
    assert read_json(done.stdout, "error")["code"] == code


def test_show_quotes_the_spec_with_carets_under_the_claim(instance: Path, isopod: Run) -> None:
    lines = isopod("show", "sty-00000001").stdout.splitlines()
    quote = lines.index("    5 | - Owners can renew a link before it expires.")
    assert lines[quote + 1] == "      |   " + "^" * 42


def test_why_names_the_whole_chain_with_the_words_of_the_spec(instance: Path, isopod: Run) -> None:
    shown = " ".join(isopod("why", "STY-00000001").stdout.split())
    assert (
        "waits for GAT-00000003 Whether a paid plan gets longer periods is not decided yet (question, needs an answer)"
        in shown
    )
    assert 'because the spec says "is not decided yet"' in shown
    assert "because Kim: agreed on Monday" in shown


def test_why_ends_at_a_cycle_and_names_it(instance: Path, isopod: Run) -> None:
    change(instance / "cards/STY-00000002.yaml", "card: DEC-00000004", "card: STY-00000001")
    done = isopod("why", "STY-00000001", "--format", "json")
    data = read_json(done.stdout, "why")
    assert sorted(data["cycle"]) == ["STY-00000001", "STY-00000002"]  # type: ignore[call-overload]
    assert "can never start" in isopod("why", "STY-00000001").stdout
    audit = isopod("audit", "--select", "dependency-cycle")
    assert audit.returncode == 1
    assert "C220 dependency-cycle  error, 1 found" in audit.stdout


def test_an_audit_says_the_place_the_line_and_the_way_out(instance: Path, isopod: Run) -> None:
    change(instance / "cards/STY-00000001.yaml", "card: GAT-00000003", "card: GAT-0000000Z")
    done = isopod("audit")
    assert done.returncode == 1
    assert "cards/STY-00000001.yaml:12:11: " in done.stdout
    assert "(dangling-dependency C210)" in done.stdout
    assert "  12 |   - card: GAT-0000000Z\n     |           ^\n" in done.stdout
    assert re.search(r"\n1 error, \d+ warnings?\. Checked 6 cards and 4 claims of 1 spec\.\n", done.stdout)
    assert isopod("audit", "--ignore", "C210,question-blocks-nothing").returncode == 0


def test_warnings_count_only_when_they_are_asked_to(instance: Path, isopod: Run) -> None:
    spec = instance / "specs/links.md"
    spec.write_text(spec.read_text(encoding="utf-8") + "\nThe service must answer within 50 ms.\n", encoding="utf-8")
    assert isopod("audit").returncode == 0
    assert isopod("audit", "--strict").returncode == 1


def test_a_file_that_cannot_be_read_is_a_finding(instance: Path, isopod: Run) -> None:
    (instance / "cards/STY-00000002.yaml").write_text("id: [\n", encoding="utf-8")
    done = isopod("audit", "--format", "json")
    assert done.returncode == 1
    findings = read_json(done.stdout, "findings")["findings"]
    assert "cards/STY-00000002.yaml" in [finding["where"]["file"] for finding in findings]  # type: ignore[attr-defined]
    assert "1 file cannot be read" in isopod("status").stdout


def test_nothing_from_a_file_can_steer_the_terminal(instance: Path, isopod: Run) -> None:
    evil = "\\e]0;owned\\a\\e[31m\\u202Eevil\\x9B2J"
    for path in (instance / "cards").glob("*.yaml"):
        change(path, 'title: "', f'title: "{evil}')
    change(instance / "specs/links.md", "Owners", "Owners \x1b[31m\u202e")
    change(instance / "cards/anchors/links.yaml", "exact: Owners can", 'exact: "Owners \\e[31m\\u202E can')
    change(instance / "cards/anchors/links.yaml", "it expires.\n", 'it expires."\n')
    commands = [arguments for _, arguments in LOOKING if arguments[0] not in ("rules", "schema")]
    commands += [("graph", "--format", "mermaid"), ("graph", "--format", "dot"), ("graph", "--format", "graphml")]
    commands += [("cards", "--format", "json"), ("show", "STY-00000001", "--format", "json"), ("show", "ANC-00000001")]
    for arguments in commands:
        done = isopod(*arguments)
        assert done.returncode in (0, 1), (arguments, done.stderr)
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", done.stdout + done.stderr), arguments


def test_outside_of_an_instance_every_command_says_how_to_begin(isopod: Run) -> None:
    for arguments in (("cards",), ("audit",), ("status",), ("show", "STY-00000001"), ("schema", "--write")):
        done = isopod(*arguments)
        assert done.returncode == 2
        assert "(no-instance)" in done.stderr and "try: isopod init" in done.stderr


def test_commands_work_from_anywhere(instance: Path, isopod: Run) -> None:
    inside = instance / "specs"
    assert isopod("-C", str(inside), "cards").returncode == 0
    assert isopod("cards", "-C", str(inside)).stdout == isopod("cards").stdout


def test_the_schema_of_cards_knows_the_teams_of_the_instance(instance: Path, isopod: Run) -> None:
    schema = json.loads(isopod("schema", "card").stdout)
    assert schema["properties"]["team"]["enum"] == ["growth", "data"]
    assert isopod("schema", "--write", "--dry-run").returncode == 0
    assert not (instance / "docs").exists()
    assert isopod("schema", "--write").stdout == "wrote docs/schemas/card.json\n"
    assert json.loads((instance / "docs/schemas/card.json").read_text(encoding="utf-8")) == schema
    assert isopod("schema", "--write").stdout.startswith("Nothing to write")


def test_init_makes_an_instance_that_holds(tmp_path: Path, isopod: Run) -> None:
    arguments = ("init", "--yes", "--project", "Shop", "--team", "growth=그로스팀", "--waits-for", "Data team")
    shown = isopod(*arguments, "--dry-run")
    assert shown.returncode == 0 and "+cards/** text eol=lf" in shown.stdout
    assert fingerprint(tmp_path) == {}
    done = isopod(*arguments, "--format", "json")
    assert read_json(done.stdout, "written")["changed"] == [
        ".gitattributes", ".gitignore", "config.yaml", "docs/schemas/card.json",
    ]  # fmt: skip
    assert "specs/** -text" in (tmp_path / ".gitattributes").read_text()
    assert {path.name for path in tmp_path.iterdir()} >= {"specs", "cards"}
    assert isopod("audit").returncode == 0
    again = isopod(*arguments)
    assert again.returncode == 2 and "(already-there)" in again.stderr


def test_init_asks_for_what_was_not_given(tmp_path: Path, isopod: Run) -> None:
    done = isopod("init", stdin="Shop\nGrowth, 플랫폼\nData team\n")
    assert done.returncode == 0, done.stderr
    assert "Teams that you wait for" in done.stderr
    config = (tmp_path / "config.yaml").read_text(encoding="utf-8")
    assert 'name: "플랫폼"' in config and 'id: "data-team"' in config
    shutil.rmtree(tmp_path / ".isopod", ignore_errors=True)


@pytest.mark.parametrize("command", ["cards", "frontier", "graph", "why STY-00000001", "show STY-00000001"])
def test_a_look_says_that_files_could_not_be_read(instance: Path, isopod: Run, command: str) -> None:
    before = isopod(*command.split(), "--format", "json")
    assert before.stderr == ""
    for name in ("STY-00000002", "REQ-00000006"):
        (instance / f"cards/{name}.yaml").write_text("<<<<<<< HEAD\n", encoding="utf-8")
    after = isopod(*command.split(), "--format", "json")
    assert after.returncode == before.returncode == 0
    assert after.stderr == "isopod: 2 files could not be read: isopod audit\n"
    assert json.loads(after.stdout)


def test_status_says_on_its_screen_that_files_cannot_be_read(instance: Path, isopod: Run) -> None:
    (instance / "cards/STY-00000002.yaml").write_text("<<<<<<< HEAD\n", encoding="utf-8")
    assert "1 file cannot be read: isopod audit says why." in isopod("status").stdout


@pytest.mark.parametrize("name", ["specs", "cards", ".isopod", "docs"])
def test_init_looks_for_what_is_in_the_way_before_it_writes(tmp_path: Path, isopod: Run, name: str) -> None:
    (tmp_path / name).write_text("mine")
    done = isopod("init", "--yes")
    assert done.returncode == 2
    assert f"isopod: {name}: a file is where a folder belongs (in-the-way)" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_init_names_everything_that_is_in_the_way(tmp_path: Path, isopod: Run) -> None:
    (tmp_path / ".gitignore").mkdir()
    (tmp_path / "config.yaml").symlink_to("nowhere")
    done = isopod("init", "--yes")
    assert done.returncode == 2 and done.stderr.count("(in-the-way)") == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == [".gitignore", "config.yaml"]


def test_init_writes_nothing_where_it_may_not_write(
    tmp_path: Path, isopod: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cards").mkdir()
    monkeypatch.setattr("os.access", lambda path, mode: Path(path).name != "cards")
    done = isopod("init", "--yes")
    assert done.returncode == 2 and "cards: this user may not write there (no-rights)" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["cards"]


def test_init_takes_its_folders_back_when_the_disk_refuses(
    tmp_path: Path, isopod: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OutsideError("cannot-write", "no space")

    monkeypatch.setattr("store.transaction.Transaction.commit", full)
    assert isopod("init", "--yes").returncode == 4
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("teams", "message"),
    [
        ([""], "a team's name is blank"),
        ([" \u200b"], "a team's name is blank"),
        (["x="], "the name in 'x=' is blank"),
        (["=X"], "the id in '=X' is blank"),
        (["A\x1b[31m"], "holds control characters"),
        (["A", "a"], "the team 'a' is named twice"),
        (["A b", "A-b"], "the teams 'A b' and 'A-b' would have one id, a-b"),
    ],
)
def test_init_refuses_team_names_that_are_none(tmp_path: Path, isopod: Run, teams: list[str], message: str) -> None:
    done = isopod("init", "--yes", *(word for team in teams for word in ("--team", team)))
    assert done.returncode == 2
    assert message in done.stderr and done.stderr.count("isopod: ") == 1
    assert "(team-name)" in done.stderr and list(tmp_path.iterdir()) == []


def test_a_team_is_ours_or_theirs(tmp_path: Path, isopod: Run) -> None:
    done = isopod("init", "--yes", "--team", "Data team", "--waits-for", "Data team")
    assert done.returncode == 2 and "named twice" in done.stderr


def test_init_without_answers_is_refused_and_writes_nothing(tmp_path: Path, isopod: Run) -> None:
    done = isopod("init", stdin="Shop\n")
    assert done.returncode == 2
    assert "(no-answer)" in done.stderr and "Traceback" not in done.stderr
    assert fingerprint(tmp_path) == {}


def test_a_team_named_twice_is_refused_before_anything_is_written(tmp_path: Path, isopod: Run) -> None:
    done = isopod("init", "--yes", "--team", "Data team", "--waits-for", "data team")
    assert done.returncode == 2
    assert "named twice" in done.stderr
    assert fingerprint(tmp_path) == {}


def test_no_colours_where_nobody_sees_them(instance: Path, isopod: Run) -> None:
    assert "\x1b" not in isopod("cards", CLICOLOR_FORCE="1").stdout


class Dying(Disk):
    """A disk that dies when the first file is put in its place: after the journal, before the files."""

    def replace(self, source: Path, target: Path) -> None:
        if target.suffix == ".md":
            raise KeyboardInterrupt
        super().replace(source, target)


@pytest.fixture
def cut_off(instance: Path) -> Path:
    """A write of two specs that was cut off, one of which a person edited afterwards."""
    transaction = Transaction(instance, instance / ".isopod", command="compile specs/links.md", disk=Dying())
    transaction.write(instance / "specs/links.md", SPEC.replace("30일", "31일").encode())
    transaction.write(instance / "specs/new.md", b"# New\n")
    with pytest.raises(KeyboardInterrupt):
        transaction.commit()
    (instance / "specs/links.md").write_text("# Mine\n", encoding="utf-8")
    return instance


def test_a_write_that_was_cut_off_is_named_and_nothing_is_overwritten(cut_off: Path, isopod: Run) -> None:
    done = isopod("recover")
    assert done.returncode == 0
    assert "A write of `isopod compile specs/links.md` was cut off" in done.stdout and "specs/new.md" in done.stdout
    for arguments in (("status",), ("audit",), ("schema", "--write")):
        refused = isopod(*arguments)
        assert refused.returncode == 1 and "(journal-conflict)" in refused.stderr
    assert isopod("recover", "--keep", "journal", "--dry-run").returncode == 0
    assert (cut_off / "specs/links.md").read_text(encoding="utf-8") == "# Mine\n"


@pytest.mark.parametrize(("keep", "text"), [("mine", "# Mine\n"), ("journal", SPEC.replace("30일", "31일"))])
def test_recover_keeps_what_the_person_says(cut_off: Path, isopod: Run, keep: str, text: str) -> None:
    done = isopod("recover", "--keep", keep)
    assert done.returncode == 0, done.stderr
    assert (cut_off / "specs/links.md").read_text(encoding="utf-8") == text
    assert (cut_off / "specs/new.md").read_text(encoding="utf-8") == "# New\n"
    assert "nothing to recover" in isopod("recover").stdout
    assert isopod("schema", "--write").returncode == 0
