"""Finding and opening an instance."""

from __future__ import annotations

from pathlib import Path

import pytest

from schemas.errors import IsopodError, ManyErrors, RefusedError
from schemas.kinds import CARD_KINDS
from store.instance import find, open_instance

CONFIG = """\
schema: isopod.config/1
project: demo
paths: {specs: docs/specs, cards: plan, recorded: docs/specs/recorded, state: .state}
teams:
  - {id: growth, name: Growth team, capabilities: {manages_tracker: true, writes_cards: true, renders: true, schema: own}}
default_team: growth
readers:
  a: {provider: lexicon, model: lexicon}
  b: {provider: structure, model: structure}
"""


def test_the_nearest_instance_upwards_is_found(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    deep = inner / "a/b"
    deep.mkdir(parents=True)
    (tmp_path / "config.yaml").write_text(CONFIG)
    assert find(deep) == tmp_path.resolve()
    (inner / "config.yaml").write_text("# ours\n" + CONFIG)
    assert find(deep) == inner.resolve()
    assert find(inner) == inner.resolve()


def test_config_files_of_other_programs_are_passed_by(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(CONFIG)
    other = tmp_path / "site/content"
    other.mkdir(parents=True)
    (tmp_path / "site/config.yaml").write_text("title: my site\ntheme: {schema: isopod.config/1}\n")
    (other / "config.yaml").write_bytes(b"\xff\x00")
    assert find(other) == tmp_path.resolve()


def test_a_damaged_config_is_still_ours_and_says_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(
        CONFIG.replace("project: demo", "<<<<<<< HEAD\nproject: demo\n=======\n>>>>>>> x")
    )
    with pytest.raises(RefusedError) as refused:
        open_instance(find(tmp_path))
    assert refused.value.code == "merge-conflict"
    assert str(refused.value.where) == "config.yaml:2:1"


def test_no_instance_is_said_with_the_way_out(tmp_path: Path) -> None:
    with pytest.raises(RefusedError) as refused:
        open_instance(tmp_path)
    assert (refused.value.code, refused.value.fix) == ("no-instance", "isopod init")
    (tmp_path / "config.yaml").write_text("title: my site\n")
    with pytest.raises(RefusedError) as refused:
        find(tmp_path)
    assert refused.value.code == "no-instance"


def test_everything_lies_where_config_says(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_bytes(b"\xef\xbb\xbf" + CONFIG.replace("\n", "\r\n").encode())
    instance = open_instance(tmp_path)
    root = tmp_path.resolve()
    assert instance.root == root
    assert instance.specs_dir == root / "docs/specs"
    assert instance.cards_dir == root / "plan"
    assert instance.anchors_dir == root / "plan/anchors"
    assert instance.settlements_dir == root / "plan/settlements"
    assert instance.ledger_dir == root / "plan/ledger"
    assert instance.recorded_dir == root / "docs/specs/recorded"
    assert instance.state_dir == root / ".state"
    assert instance.runs_dir == root / ".state/runs"
    assert instance.config_path == root / "config.yaml"
    assert instance.relative(instance.anchors_dir / "x.yaml") == "plan/anchors/x.yaml"
    assert instance.within("plan/x") == root / "plan/x"
    assert instance.config_text.startswith("schema:")


def test_every_wrong_key_is_named_with_its_line(tmp_path: Path) -> None:
    text = CONFIG.replace("default_team: growth", "default_team: growth\nrepair_rounds: -1\nsurprise: 1").replace(
        ".state", "../away"
    )
    (tmp_path / "config.yaml").write_text(text)
    with pytest.raises(ManyErrors) as refused:
        open_instance(tmp_path)
    found = {str(error.where): error.message for error in refused.value.errors}
    lines = text.split("\n")
    assert any(place.startswith(f"config.yaml:{lines.index('repair_rounds: -1') + 1}:") for place in found)
    assert any("surprise" in message for message in found.values())
    assert any(place.startswith("config.yaml:3:") and "paths.state" in message for place, message in found.items())


@pytest.mark.parametrize("text", ["", "[]\n", "schema: isopod.config/2\n", "a: [\n", "schema: isopod.config/1\n"])
def test_a_config_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "config.yaml").write_text(text)
    with pytest.raises(IsopodError):
        open_instance(tmp_path)


@pytest.mark.parametrize(
    ("data", "why", "fix"),
    [
        (CONFIG.encode("utf-16"), "not UTF-8", "iconv -f UTF-16 "),
        (b"project: caf\xe9\n", "not UTF-8", "iconv -f WINDOWS-1252 "),
        (b"", "the file is empty", "rm "),
        (b"a: [[[\n", "while parsing", "mend the YAML"),
        (b"title: my site\n", "no line of it is 'schema: isopod.config/1'", "give it the line"),
    ],
)
def test_a_config_that_is_not_recognised_is_named_with_what_is_wrong(
    tmp_path: Path, data: bytes, why: str, fix: str
) -> None:
    (tmp_path / "config.yaml").write_bytes(data)
    (tmp_path / "deep").mkdir()
    with pytest.raises(RefusedError) as refused:
        find(tmp_path / "deep")
    error = refused.value
    assert error.code == "no-instance" and why in error.message
    assert error.where is not None and error.where.file == str(tmp_path.resolve() / "config.yaml")
    assert error.fix is not None and error.fix.startswith(fix)


PREFIXES = "prefixes:\n" + "".join(
    f"  - {{prefix: {prefix}, kind: {kind}}}\n"
    for prefix, kind in zip("ABCDEFGH", ("anchor", *CARD_KINDS), strict=True)
)


@pytest.mark.parametrize(
    ("more", "key", "why"),
    [
        (PREFIXES.replace("prefix: B", "prefix: a"), "prefixes", "prefixes that differ only by case or are equal: a"),
        (PREFIXES.replace("  - {prefix: A, kind: anchor}\n", ""), "prefixes", "exactly one prefix must be of kind anchor"),
        (PREFIXES.replace("kind: migration", "kind: story"), "prefixes", "no prefix for the card kinds migration"),
        ("repair_rounds: 99999999999999999999999999\n", "repair_rounds", "less than or equal to 10"),
        ("milestones: {a: b}\n", "milestones", "must be a list (found a map)"),
        ("draft: [rules]\n", "draft", "must be a map (found a list)"),
    ],
)
def test_what_is_wrong_with_a_key_stands_at_that_key_and_shows_no_map(
    tmp_path: Path, more: str, key: str, why: str
) -> None:
    text = CONFIG + more
    (tmp_path / "config.yaml").write_text(text)
    with pytest.raises(ManyErrors) as refused:
        open_instance(tmp_path)
    (error,) = refused.value.errors
    lines = text.split("\n")
    first = next(number for number, line in enumerate(lines, 1) if line.startswith(f"{key}:"))
    assert error.where is not None and error.where.line in (first, first + 1)
    assert error.message.startswith(f"{key}: ") and why in error.message and "{" not in error.message
    assert error.fix == "isopod schema config"


def test_an_unknown_default_team_stands_at_its_line(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(CONFIG.replace("default_team: growth", "default_team: web"))
    with pytest.raises(ManyErrors) as refused:
        open_instance(tmp_path)
    (error,) = refused.value.errors
    assert str(error.where) == "config.yaml:6:15"
    assert error.message == "default_team: this team is not among the teams growth (found 'web')"


@pytest.mark.parametrize(
    ("paths", "key"),
    [
        ("cards: specs", "cards"),
        ("cards: Specs/cards", "cards"),
        ("cards: plan, specs: plan/specs", "cards"),
        ("specs: cards/specs", "cards"),
        ("state: cards/state", "state"),
        ("recorded: cards", "recorded"),
    ],
)
def test_folders_that_lie_in_each_other_are_refused(tmp_path: Path, paths: str, key: str) -> None:
    config = "\n".join(f"paths: {{{paths}}}" if line.startswith("paths:") else line for line in CONFIG.split("\n"))
    (tmp_path / "config.yaml").write_text(config)
    with pytest.raises(ManyErrors) as refused:
        open_instance(tmp_path)
    assert [error.message.split(":")[0] for error in refused.value.errors] == [f"paths.{key}"]
    (tmp_path / "config.yaml").write_text(config.replace(paths, "recorded: specs, cards: specs-of-ours"))
    open_instance(tmp_path)
