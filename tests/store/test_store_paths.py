"""The gate for paths."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from schemas.errors import RefusedError
from store.paths import ensure_within, relative


@pytest.mark.parametrize(
    "path",
    [
        "..", "../x", "a/../../x", "a/../b", "/etc/passwd", "", ".", "a\\b", "C:/x", "a:b", "con", "CON.yaml", "cards/Nul.txt",
        "com1", "LPT9.md", "a.", "a ", "cards./x", "x\x00y", "a\nb", "a\x1b[31m", "x" * 256, "가" * 86, "a?b", "\udcff",
    ],
)  # fmt: skip
def test_a_path_that_could_lead_away_is_refused(tmp_path: Path, path: str) -> None:
    with pytest.raises(RefusedError) as refused:
        ensure_within(tmp_path, path)
    assert refused.value.code == "unsafe-path"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "path", ["a", "cards/STY-7Q4M2K9X.yaml", "specs/개인정보.md", "..a", "a..b", ".isopod/x", "console", "x" * 255]
)
def test_a_path_below_is_taken(tmp_path: Path, path: str) -> None:
    assert ensure_within(tmp_path, path) == tmp_path / path
    assert ensure_within(tmp_path, tmp_path / path) == tmp_path / path
    assert relative(tmp_path, tmp_path / path) == path


def test_a_path_of_another_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for path in (tmp_path / "other", tmp_path / "in/../x", tmp_path / "in-side"):
        with pytest.raises(RefusedError):
            ensure_within(tmp_path / "in", path)


def test_links_are_refused_on_the_way_and_at_the_end(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "real").mkdir(parents=True)
    (root / "link").symlink_to(root / "real")
    (root / "real/file").symlink_to(tmp_path / "nowhere")
    for path in ("link", "link/x", "real/file"):
        with pytest.raises(RefusedError, match="symbolic link"):
            ensure_within(root, path)


def test_the_root_itself_may_be_reached_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert ensure_within(tmp_path / "link", "a") == tmp_path / "link/a"


def test_names_are_composed_unless_the_other_spelling_lies_on_disk(tmp_path: Path) -> None:
    apart = unicodedata.normalize("NFD", "알림.md")
    together = unicodedata.normalize("NFC", apart)
    assert ensure_within(tmp_path, apart).name == together
    (tmp_path / apart).write_text("x")
    if apart not in [entry.name for entry in tmp_path.iterdir()]:
        pytest.skip("this file system composes names itself")
    assert ensure_within(tmp_path, apart).name == apart
