"""import, export trace and digest, as people type them."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
import zipfile
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from conftest import Run, fingerprint
from rich.cells import cell_len

from isopod.render.trace import COLUMNS
from isopod.render.trace_csv import trace_csv
from isopod.render.trace_html import trace_html
from schemas.jsonschema import schema_of
from schemas.trace import TraceCounts, TracedCard, TracedClaim, TracedIssue, TraceOutput, TraceRow

EVIL = '=cmd|"/C calc"!A1\x1b[31m\u202e<script>alert(1)</script>'


def git(folder: Path, *arguments: str, at: str = "2026-11-30T09:00:00Z") -> None:
    own = ("-c", "user.name=Kim", "-c", "user.email=kim@example.com", "-c", "init.defaultBranch=main")
    quiet = {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_COMMITTER_DATE": at,
        "GIT_AUTHOR_DATE": at,
    }
    subprocess.run(["git", *own, *arguments], cwd=folder, check=True, capture_output=True, env=os.environ | quiet)


def rewrite(instance: Path, file: str, old: str, new: str) -> None:
    path = instance / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def valid(name: str, text: str) -> Any:
    """The JSON, checked against its published schema."""
    import jsonschema

    data = json.loads(text)
    jsonschema.validate(data, schema_of(name))
    return data


def narrow(text: str) -> bool:
    return all(cell_len(line) <= 80 for line in text.split("\n"))


# --- import -----------------------------------------------------------------------------------------------------------

ISSUES = """\
key,summary,status,blocked by,acceptance criteria
A-1,링크를 갱신한다 and this is a title that is a good deal longer than what fits on a line of eighty,Done,,It holds.
A-2,Two,Open,"A-1, A-9",
A-3,Three,Waiting,,
A-4,Four,Won't do,,
"""


@pytest.fixture
def issues(instance: Path) -> Path:
    path = instance / "issues.csv"
    path.write_text(ISSUES, encoding="utf-8")
    return path


def test_a_dry_run_shows_what_becomes_of_each_item_and_writes_nothing(
    issues: Path, instance: Path, isopod: Run
) -> None:
    before = fingerprint(instance)
    done = isopod("import", "csv", "issues.csv", "--dry-run")
    assert done.returncode == 1
    assert fingerprint(instance) == before
    assert "3 items of CSV in issues.csv: 2 become cards, 1 are left out." in done.stdout
    assert re.search(r"A-2 +STY-[0-9A-Z]{8} +story +Open +Two\n +waits for A-1\n", done.stdout)
    assert "A-4  Won't do there: Four" in done.stdout
    assert "A-2 waits for A-9, which is not here (dangling-edge)" in done.stdout
    assert 'try: --status "Waiting=open"' in done.stdout
    assert narrow(done.stdout)
    assert "would write 2 cards" in done.stderr


def test_an_import_is_written_once_and_told_as_json(issues: Path, instance: Path, isopod: Run) -> None:
    refused = isopod("import", "csv", "issues.csv")
    assert (refused.returncode, "nobody is there to be asked" in refused.stderr) == (2, True)
    said = ("--status", "waiting=open", "--by", "Kim")
    done = isopod("import", "csv", "issues.csv", "--yes", "--format", "json", *said)
    data = valid("import", done.stdout)
    assert (done.returncode, len(data["changed"]), data["dry_run"]) == (1, 3, False)
    assert [(one["theirs"], one["outcome"], one["stage"]) for one in data["items"]] == [
        ("A-1", "new", "done"),
        ("A-2", "new", "open"),
        ("A-3", "new", "open"),
        ("A-4", "left-out", "dropped"),
    ]
    assert [one["code"] for one in data["refused"]] == ["dangling-edge"]
    card = (instance / data["changed"][0]).read_text(encoding="utf-8")
    assert "state: drafted" in card
    after = fingerprint(instance)
    again = isopod("import", "csv", "issues.csv", "--yes", *said)
    assert "3 are here already" in again.stdout
    assert fingerprint(instance) == after
    assert isopod("audit", "--select", "dangling-dependency,unconfirmed-edge,unknown-config").returncode == 0


def test_what_cannot_be_imported_is_refused_with_a_way_out(issues: Path, isopod: Run) -> None:
    for arguments, said in (
        (("jira", "issues.csv"), "there are: backlog-md, beads, csv, task-master"),
        (("csv", "nothing.csv"), "there is no such file"),
        (("csv", "issues.csv", "--team", "data"), "in its own tracker"),
        (("csv", "issues.csv", "--map", "title"), "is not FIELD=COLUMN"),
        (("beads", "issues.csv", "--map", "title=a"), "--map is for tables"),
        (("csv", "issues.csv", "--status", "Waiting"), "STATUS=STAGE"),
        (("task-master", "issues.csv"), "invalid-json"),
    ):
        done = isopod("import", *arguments, "--dry-run")
        assert (done.returncode, done.stdout) == (2, ""), arguments
        assert said in done.stderr
        assert "Traceback" not in done.stderr


# --- export trace -----------------------------------------------------------------------------------------------------


@pytest.fixture
def traced(instance: Path) -> Path:
    """A claim on two lines, one on a card that no line says, one without a card, a line without a claim, an issue, hostile words."""
    rewrite(
        instance,
        "cards/STY-00000001.yaml",
        "acceptance:\n",
        'acceptance:\n  - {id: A2, text: "-2+3 people\'s own line"}\n  - {id: A3, text: again, anchors: [ANC-00000001, ANC-99999999]}\n'
        '  - {id: A4, text: "=1+1"}\n',
    )
    issue = "tracker: {provider: jira, site: a.example, id: '1', key: GROW-1, url: 'javascript:alert(1)'}\n"
    rewrite(instance, "cards/STY-00000001.yaml", "heuristic: false\n", f"heuristic: false\n{issue}")
    rewrite(instance, "cards/STY-00000002.yaml", "state: drafted", "state: deleted")
    rewrite(instance, "cards/DEC-00000004.yaml", '"Links are stored in PostgreSQL"', json.dumps(EVIL))
    return instance


def links(rows: list[dict[str, Any]]) -> list[tuple[str, str | None, str | None, str | None]]:
    return [
        (row["link"], (row["claim"] or {}).get("id"), (row["line"] or {}).get("id"), (row["card"] or {}).get("id"))
        for row in rows
    ]


def test_the_trace_holds_every_claim_and_every_line_once_with_what_lacks_a_counterpart(
    traced: Path, isopod: Run
) -> None:
    done = isopod("export", "trace", "--format", "json")
    data = valid("trace", done.stdout)
    assert links(data["trace"]) == [
        ("traced", "ANC-00000001", "A3", "STY-00000001"),
        ("traced", "ANC-00000001", "A1", "STY-00000001"),
        ("no-card", "ANC-00000002", None, None),
        ("no-line", "ANC-00000003", None, "GAT-00000003"),
        ("no-line", "ANC-00000004", None, "DEC-00000004"),
        ("no-claim", None, None, "DEC-00000005"),
        ("no-claim", None, None, "REQ-00000006"),
        ("no-claim", None, "A2", "STY-00000001"),
        ("no-claim", None, "A4", "STY-00000001"),
        ("unknown-claim", "ANC-99999999", "A3", "STY-00000001"),
    ]
    first = data["trace"][0]
    assert (first["claim"]["file"], first["claim"]["lines"], first["issue"]["key"]) == (
        "specs/links.md",
        [5, 5],
        "GROW-1",
    )
    assert data["counts"] == {
        "claims": 4,
        "claims_on_cards": 3,
        "claims_elsewhere": 0,
        "lines": 4,
        "lines_with_claims": 2,
        "cards": 5,
        "cards_with_issues": 1,
    }
    text = isopod("export", "trace").stdout
    assert narrow(text)
    assert "3 of 4 claims are on a card" in text
    assert "STY-00000001  A1  planned  GROW-1" in text
    assert "NO CARD" in text
    assert not re.search("[\x1b\u202e]", text)


def test_csv_holds_no_formula_and_parses_back(traced: Path, isopod: Run) -> None:
    done = isopod("export", "trace", "--format", "csv")
    rows = list(csv.reader(io.StringIO(done.stdout, newline="")))
    assert tuple(rows[0]) == COLUMNS
    assert len(rows) == 11
    cells = [cell for row in rows for cell in row]
    assert "'-2+3 people's own line" in cells
    assert "'=1+1" in cells
    assert not [cell for cell in cells if re.match(r"\s*[=+@-]", cell)]
    assert isopod("export", "trace", "--format", "csv", "--bom").stdout == "\ufeff" + done.stdout


class Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("href", "src") or name.startswith("on")]


def test_the_page_loads_nothing_runs_nothing_and_shows_hostile_words_as_words(traced: Path, isopod: Run) -> None:
    page = Page()
    text = isopod("export", "trace", "--format", "html").stdout
    page.feed(text)
    assert page.tags.count("tr") == 11
    assert not {"script", "img", "iframe", "object", "form", "link"} & set(page.tags)
    assert page.links == []
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "default-src 'none'" in text
    assert not re.search("[\x1b\u202e]", text)


def test_only_web_addresses_become_links() -> None:
    def row(url: str) -> TraceRow:
        card = TracedCard(id="STY-1", kind="story", title="t", state="drafted", team="growth")
        issue = TracedIssue(provider="jira", site="s", key="K-1", url=url)
        return TraceRow(link="no-line", claim=TracedClaim(id="ANC-1"), card=card, issue=issue)

    page = Page()
    rows = (row('https://a.example/"x"'), row("data:text/html,x"), row("HTTP://b.example"))
    output = TraceOutput(project="p", trace=rows, counts=TraceCounts())
    page.feed(trace_html(output))
    assert page.links == ['https://a.example/"x"', "HTTP://b.example"]
    assert "K-1" in trace_csv(output)


def test_the_spreadsheet_holds_text_alone(traced: Path, isopod: Run) -> None:
    assert isopod("export", "trace", "--format", "xlsx").returncode == 2
    done = isopod("export", "trace", "--format", "xlsx", "--out", "trace.xlsx")
    assert (done.returncode, done.stdout) == (0, "")
    first = (traced / "trace.xlsx").read_bytes()
    with zipfile.ZipFile(io.BytesIO(first)) as book:
        sheet = ElementTree.fromstring(book.read("xl/worksheets/sheet1.xml"))
        words = book.read("xl/sharedStrings.xml").decode()
    names = [element.tag.rpartition("}")[2] for element in sheet.iter()]
    assert (names.count("row"), names.count("f"), names.count("hyperlink")) == (11, 0, 0)
    assert {element.get("t") for element in sheet.iter() if element.tag.endswith("}c")} <= {"s", None}
    assert "=1+1" in words
    isopod("export", "trace", "--format", "xlsx", "--out", "again.xlsx")
    assert (traced / "again.xlsx").read_bytes() == first


def test_without_the_package_a_spreadsheet_is_refused_with_what_to_install(
    traced: Path, isopod: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    done = isopod("export", "trace", "--format", "xlsx", "--out", "trace.xlsx")
    assert done.returncode == 2
    assert "pip install 'isopod-cards[xlsx]'" in done.stderr
    assert not (traced / "trace.xlsx").exists()


def test_a_file_of_somebody_is_not_written_over(traced: Path, isopod: Run) -> None:
    before = fingerprint(traced)
    assert isopod("export", "trace", "--format", "csv", "--out", "trace.csv", "--dry-run").returncode == 0
    for place in ("cards/x.csv", "specs/x.csv", "config.yaml", "cards", ".isopod/x.csv"):
        assert isopod("export", "trace", "--format", "csv", "--out", place, "--yes").returncode == 2, place
    assert isopod("export", "trace", "--out", "nowhere/x.txt").returncode == 4
    assert fingerprint(traced) == before
    (traced / "trace.csv").write_text("mine", encoding="utf-8")
    done = isopod("export", "trace", "--format", "csv", "--out", "trace.csv")
    assert (done.returncode, "--yes" in done.stderr) == (2, True)
    assert isopod("export", "trace", "--format", "csv", "--out", "trace.csv", "--yes").returncode == 0
    assert isopod("export", "trace", "--format", "csv", "--out", "trace.csv").returncode == 0
    for arguments in (("--bom",), ("--yes",), ("--spec", "nothing")):
        assert isopod("export", "trace", *arguments).returncode == 2


def test_one_spec_alone(traced: Path, isopod: Run) -> None:
    (traced / "cards/STY-00000007.yaml").write_text(
        'schema: isopod.card/1\nid: STY-00000007\nkind: story\ntitle: Imported\nteam: growth\nheuristic: false\ndue: null\nnotes: ""\n',
        encoding="utf-8",
    )
    everything = json.loads(isopod("export", "trace", "--format", "json").stdout)
    one = json.loads(isopod("export", "trace", "--format", "json", "--spec", "specs/links.md").stdout)
    assert (len(everything["trace"]), len(one["trace"]), one["spec"]) == (11, 10, "links")


# --- digest -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def committed(instance: Path) -> Path:
    git(instance, "init", "-q")
    git(instance, "add", "-A")
    git(instance, "commit", "-qm", "first")
    git(instance, "tag", "v1")
    return instance


def change_much(instance: Path) -> None:
    """One change of nearly every kind; none is committed."""
    story, anchors = "cards/STY-00000001.yaml", "cards/anchors/links.yaml"
    rewrite(instance, story, "state: planned", "state: published")
    rewrite(instance, story, "- {rule: D13, text: renewal starts a new period}\n      ", "")
    rewrite(instance, story, "acceptance:\n", "acceptance:\n  - {id: A2, text: within 50 ms, tightens: A1}\n")
    rewrite(
        instance, story, "  - card: GAT-00000003\n", '  - card: GAT-00000003\n    seen: "sha256:' + "0" * 64 + '"\n'
    )
    rewrite(instance, "cards/STY-00000002.yaml", "state: drafted", "state: deleted")
    rewrite(instance, "cards/GAT-00000003.yaml", "waits_for: answer", 'waits_for: answer, answer: "Yes: 60 days"')
    rewrite(instance, "cards/GAT-00000003.yaml", "state: drafted", "state: done")
    rewrite(
        instance,
        "cards/DEC-00000004.yaml",
        "supersedes: [DEC-00000005]",
        "supersedes: [DEC-00000005], superseded_by: DEC-00000008",
    )
    rewrite(
        instance, "cards/REQ-00000006.yaml", "request: {team: data}", "request: {team: data, external: EXT-00000009}"
    )
    head = "schema: isopod.card/1\n"
    foot = 'heuristic: false\ndue: null\nnotes: ""\n'
    (instance / "cards/DEC-00000008.yaml").write_text(
        f"{head}id: DEC-00000008\nkind: decision\ntitle: Links live in SQLite\nteam: growth\n{foot}", encoding="utf-8"
    )
    (instance / "cards/EXT-00000009.yaml").write_text(
        f"{head}id: EXT-00000009\nkind: external\ntitle: Events\nteam: data\nstate: in_progress\n{foot}",
        encoding="utf-8",
    )
    rewrite(instance, anchors, "exact: 링크는 만든 날부터 30일 동안 산다.", "exact: 링크는 만든 날부터 60일 동안 산다.")
    rewrite(instance, anchors, "    home: card\n  - id: ANC-00000003", "    home: card\n  - id: ANC-00000007")
    rewrite(instance, anchors, "from: ANC-00000001, to: ANC-00000003", "from: ANC-00000001, to: ANC-00000007")


def test_a_digest_tells_each_change_in_words(committed: Path, isopod: Run) -> None:
    assert isopod("digest", "--since", "v1").stdout.startswith("Nothing changed since v1 (")
    change_much(committed)
    before = fingerprint(committed)
    done = isopod("digest", "--since", "v1")
    assert done.returncode == 0
    assert fingerprint(committed) == before
    told = " ".join(done.stdout.split())
    for sentence in (
        "ANC-00000002 says something else (links, constraint): 링크는 만든 날부터 60일 동안 산다. before: 링크는 만든 날부터 30일",
        "ANC-00000003 no longer said (links, question): Whether a paid plan",
        "ANC-00000007 new (links, question): Whether a paid plan",
        "GAT-00000003 done (question): Whether a paid plan gets longer periods",
        "STY-00000001 planned -> published (story): Owners can renew a link before it expires new line A2, tighter than A1: within 50 ms",
        "DEC-00000008 new (decision): Links live in SQLite",
        "STY-00000002 cut from the plan (story): 링크는 만든 날부터 30일 동안 산다",
        "DEC-00000004 replaced by DEC-00000008: Links are stored in PostgreSQL -> Links live in SQLite",
        "GAT-00000003 answered: Whether a paid plan gets longer periods is not decided yet -> Yes: 60 days",
        "STY-00000001 was confirmed to wait for GAT-00000003",
        "STY-00000001 waits, for other reasons, for STY-00000002 링크는 만든 날부터 30일 동안 산다 because Kim: agreed on Monday",
        "EXT-00000009 mirrored from now on in_progress (data): Events",
        "EXT-00000009 took over our request REQ-00000006 (data): Data team: an endpoint",
    ):
        assert sentence in told
    assert narrow(done.stdout)
    data = valid("digest", isopod("digest", "--since", "v1", "--format", "json").stdout)
    assert data["changes"] == sum(map(len, data["digest"].values())) == 13
    assert {one["turn"] for one in data["digest"]["cards"]} == {"done", "moved", "new", "cut"}


def test_markdown_keeps_hostile_words_as_words(committed: Path, isopod: Run) -> None:
    rewrite(
        committed,
        "cards/STY-00000002.yaml",
        '"링크는 만든 날부터 30일 동안 산다"',
        json.dumps(f"[x](javascript:1) *b* {EVIL}"),
    )
    text = isopod("digest", "--since", "v1", "--format", "md").stdout
    assert text.startswith("# links-demo: what changed since v1\n")
    assert "- **STY-00000002** changed (story): \\[x\\](javascript:1) \\*b\\*" in text
    assert "\\<script\\>" in text
    assert not re.search("[\x1b\u202e]", text)


def test_a_day_means_the_last_commit_before_it(committed: Path, isopod: Run) -> None:
    rewrite(committed, "cards/STY-00000002.yaml", "state: drafted", "state: deleted")
    git(committed, "commit", "-qam", "second", at="2026-12-02T09:00:00Z")
    since = {
        day: json.loads(isopod("digest", "--since", day, "--format", "json").stdout)
        for day in ("2026-12-01", "2026-12-03")
    }
    assert [(one["turn"], one["card"]) for one in since["2026-12-01"]["digest"]["cards"]] == [("cut", "STY-00000002")]
    assert since["2026-12-03"]["changes"] == 0
    first = isopod("digest", "--since", "2020-01-01")
    assert "since before the first commit" in first.stdout
    data = json.loads(isopod("digest", "--since", "2020-01-01T10:00:00Z", "--format", "json").stdout)
    assert (data["commit"], len(data["digest"]["claims"]), len(data["digest"]["cards"])) == (None, 4, 5)


def test_an_overridden_rule_is_told(committed: Path, isopod: Run) -> None:
    git(committed, "commit", "-q", "--allow-empty", "-m", "second")
    rewrite(committed, "cards/STY-00000002.yaml", "state: drafted", "state: published")
    done = isopod("done", "STY-00000002", "--by", "Kim", "--because", "seen in production", "--yes")
    assert done.returncode == 0, done.stderr
    text = " ".join(isopod("digest", "--since", "v1").stdout.split())
    assert "STY-00000002 evidence overridden (attested) by Kim: seen in production" in text
    assert "STY-00000002 done (story)" in text


def test_without_history_a_digest_says_why(instance: Path, isopod: Run) -> None:
    outside = isopod("digest", "--since", "main", GIT_CEILING_DIRECTORIES=str(instance.parent))
    assert (outside.returncode, outside.stdout) == (4, "")
    assert "not a git repository" in outside.stderr
    git(instance, "init", "-q")
    git(instance, "add", "-A")
    git(instance, "commit", "-qm", "first")
    unknown = isopod("digest", "--since", "v9")
    assert (unknown.returncode, "git knows no commit 'v9'" in unknown.stderr) == (2, True)
    assert isopod("digest", "--since", "2026-13-45").returncode == 2
    assert isopod("digest").returncode == 2
