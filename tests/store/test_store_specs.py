"""Specs: their text, their keys, and which there are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typed_store import CONFIG, make_instance

from schemas.anchors import AnchorsSpec, AnchorStore
from schemas.errors import IsopodError, OutsideError, RefusedError
from store.files import read_file
from store.specs import SpecFile, derive_key, equal_keys, key_of, list_specs, read_spec, refuse_taken_key, slug


def adopted(key: str, path: str) -> AnchorStore:
    return AnchorStore(spec=AnchorsSpec(key=key, path=path), readings=(), sections=(), anchors=())


def test_a_spec_is_read_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "x.md").write_bytes("\ufeff# 제목\r\n".encode())
    spec = read_spec(tmp_path / "x.md", max_bytes=100, source="specs/x.md")
    assert (spec.path, spec.text, spec.bom) == ("specs/x.md", "# 제목\r\n", True)


def test_what_is_no_spec_says_so(tmp_path: Path) -> None:
    (tmp_path / "big.md").write_bytes(b"x" * 101)
    (tmp_path / "wide.md").write_bytes("x".encode("utf-16"))
    for name, code in [
        ("gone.md", "missing-spec"),
        (".", "spec-is-folder"),
        ("big.md/x.md", "missing-spec"),
        ("big.md", "spec-too-big"),
        ("wide.md", "not-utf-8"),
    ]:
        with pytest.raises(RefusedError) as error:
            read_spec(tmp_path / name, max_bytes=100)
        assert error.value.code == code


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_no_right_to_read_is_said(tmp_path: Path) -> None:
    (tmp_path / "x.md").touch(0o000)
    with pytest.raises(OutsideError, match="no right"):
        read_spec(tmp_path / "x.md", max_bytes=100)


@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("specs/link-shortener.md", "link-shortener"),
        ("specs/Reminder KO (v2).md", "reminder-ko-v2"),
        ("specs/billing/refunds.rst", "billing-refunds"),
        ("specs/예약 알림.md", "예약-알림"),
        ("specs/予約リマインダー.txt", "予約リマインダー"),
        ("specs/हिन्दी.md", "हिन्दी"),
        ("specs/STRASSE.md", "strasse"),
        ("specs/.hidden", "hidden"),
        ("specs/a.b.md", "a-b"),
        ("elsewhere/deep/x.md", "x"),
    ],
)
def test_the_key_is_the_path_slugged(path: str, key: str) -> None:
    assert derive_key(path, "specs") == key


def test_keys_do_not_depend_on_the_unicode_form_of_the_file_name() -> None:
    assert derive_key("specs/\u1112\u1161\u11ab.md", "specs") == derive_key("specs/\ud55c.md", "specs") == "\ud55c"


@pytest.mark.parametrize("path", ["specs/---.md", "specs/🐚.md", "specs/" + "가" * 90 + ".md"])
def test_a_name_that_gives_no_key_is_refused_with_the_way_out(path: str) -> None:
    with pytest.raises(RefusedError) as error:
        derive_key(path, "specs")
    assert "--key" in (error.value.fix or "")


@pytest.mark.parametrize("name", ["con", "NUL", "lpt3"])
def test_no_key_is_the_name_of_a_device(name: str) -> None:
    with pytest.raises(RefusedError, match="device") as caught:
        derive_key(f"specs/{name}.md", "specs")
    assert caught.value.code == "spec-key" and str(caught.value.fix).endswith("--key KEY")
    assert derive_key(f"specs/more/{name}.md", "specs").startswith("more-")


@given(st.text(max_size=30))
def test_a_slug_is_its_own_slug(text: str) -> None:
    once = slug(text)
    assert slug(once) == once
    assert "--" not in once
    assert once == once.strip("-")


@given(st.text(max_size=40))
def test_every_name_gives_a_key_or_a_refusal(name: str) -> None:
    try:
        assert derive_key(f"specs/{name}.md", "specs")
    except IsopodError as error:
        assert error.code == "spec-key"


def test_the_stored_key_outlives_everything_else(tmp_path: Path) -> None:
    config = CONFIG + "specs:\n  named: {path: specs/x.md}\n"
    instance = make_instance(tmp_path, config)
    assert key_of("specs/x.md", instance.config, [adopted("stored", "specs/x.md")]) == "stored"
    assert key_of("specs/x.md", instance.config, []) == "named"
    assert key_of("specs/y.md", instance.config, []) == "y"


def test_equal_keys_are_found_and_refused() -> None:
    found = [SpecFile("a", "specs/a.md"), SpecFile("a", "specs/A.md"), SpecFile("b", "specs/b.md")]
    assert equal_keys(found) == {"a": ("specs/a.md", "specs/A.md")}
    refuse_taken_key("a", "specs/a.md", [adopted("a", "specs/a.md")])
    with pytest.raises(RefusedError, match=r"the key A is that of specs/a\.md"):
        refuse_taken_key("A", "specs/other.md", [adopted("a", "specs/a.md")])


def test_the_specs_of_an_instance(tmp_path: Path) -> None:
    instance = make_instance(tmp_path, CONFIG + "specs:\n  far: {path: docs/far.md}\n")
    for path in ("specs/b.md", "specs/deep/a.txt", "specs/.draft.md", "specs/recorded/b.md", "specs/x.json", "docs/far.md"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch()
    stores = [adopted("bee", "specs/b.md"), adopted("gone", "specs/gone.md")]
    assert list_specs(instance, stores) == (
        SpecFile("far", "docs/far.md"),
        SpecFile("bee", "specs/b.md"),
        SpecFile("deep-a", "specs/deep/a.txt"),
    )


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_what_is_not_a_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    for attempt in (
        lambda: read_spec(tmp_path / "pipe.md", max_bytes=100),
        lambda: read_spec(Path("/dev/zero"), max_bytes=100),
        lambda: read_file(tmp_path / "pipe.md", "run.json"),
        lambda: read_file(tmp_path, "."),
    ):
        with pytest.raises(RefusedError) as refused:
            attempt()
        assert refused.value.code == "not-a-file"


def test_a_link_in_a_circle_and_a_name_that_is_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "loop.md").symlink_to("loop.md")
    for path, code in [
        (tmp_path / "loop.md", "spec-link"),
        (tmp_path / "bad\udcff.md", "spec-name"),
        (tmp_path / f"{'x' * 300}.md", "missing-spec"),
    ]:
        with pytest.raises(RefusedError) as refused:
            read_spec(path, max_bytes=100)
        assert refused.value.code == code


def test_a_file_that_a_compile_would_refuse_for_its_name_hides_no_other(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    instance = make_instance(tmp_path / "in")
    outside = tmp_path / "outside.md"
    outside.write_text("x")
    specs = instance.specs_dir
    for name in ("good.md", f"{'x' * 240}.md", "---.md"):
        (specs / name).write_text("x")
    for link, target in [("loop.md", "loop.md"), ("nowhere.md", "gone.md"), ("out.md", outside), ("same.md", "good.md")]:
        (specs / link).symlink_to(target)
    assert [spec.path for spec in list_specs(instance)] == ["specs/good.md", "specs/same.md"]
