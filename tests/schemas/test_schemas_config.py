"""What config.yaml may say about readers and limits."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from schemas.config import Models, ReaderConfig, one_model
from schemas.errors import ManyErrors
from schemas.secrets import masked


@pytest.mark.parametrize("duration", ["99999w", "8d", "0s", "0w", "5", "m", "1.5h", "-1s", "٣s", "1s\n"])
def test_a_limit_that_never_ends_or_ends_at_once_is_refused_in_plain_words(duration: str) -> None:
    for make in (
        lambda: Models(deadline=duration),
        lambda: ReaderConfig(provider="openai", model="gpt-test", time_limit=duration),
    ):
        with pytest.raises(ValidationError, match=r"must be (from 1s to 7d|a whole number and s, m, h, d or w)"):
            make()


def test_a_provider_may_be_given_no_patience_but_not_more_than_a_day() -> None:
    assert Models(patience="0s", deadline="7d").patience == "0s"
    with pytest.raises(ValidationError, match="must be from 0s to 1d"):
        Models(patience="2d")


@pytest.mark.parametrize("other", ["GPT-Test", "Gpt-test ", "gpt-test\u00a0"])
def test_case_and_blanks_make_no_second_model(other: str) -> None:
    assert one_model("gpt-test", other)


def test_unicode_forms_make_no_second_model() -> None:
    assert one_model("modèle", "MODE\u0300LE")
    assert not one_model("gpt-test", "gpt-test-2")


@pytest.mark.parametrize("name", ["gpt-test ", " gpt-test", "gpt-test\u00a0", "\t"])
def test_names_with_blanks_around_are_refused(name: str) -> None:
    for fields in ({"provider": name, "model": "m"}, {"provider": "openai", "model": name}):
        with pytest.raises(ValidationError, match="must not begin or end with a blank"):
            ReaderConfig(**fields)


@pytest.mark.parametrize(
    "address", ["http://h:99999/v1", "http://h:0", "http://h:x", "http://", "ftp://h", "http://[::1"]
)
def test_an_address_that_cannot_be_is_refused_by_the_config(address: str) -> None:
    with pytest.raises(ValidationError, match="must be an address with a host"):
        ReaderConfig(provider="openai", model="m", base_url=address)


KEY = "sk-proj-" + "a1B2" * 8


@pytest.mark.parametrize(
    "lines", [{"key_env": KEY}, {"key_env": KEY.replace("-", "_")}, {"api_key": KEY}, {"base_url": KEY}]
)
def test_a_key_in_a_config_is_shown_nowhere(lines: dict[str, str]) -> None:
    with pytest.raises(ManyErrors) as refused:
        ReaderConfig.parse({"provider": "openai", "model": "m", **lines}, source="config.yaml")
    (error,) = refused.value.errors
    assert "keys come from the environment" in error.message
    assert "a1B2" not in error.message


@pytest.mark.parametrize(
    "line",
    [f"  key_env: {KEY}", f"a: {{provider: openai, api_key: '{KEY}', model: m}}", f"# {KEY}", "password: hunter2x"],
)
def test_the_line_under_an_error_has_stars_for_secrets_and_keeps_its_length(line: str) -> None:
    shown = masked(line)
    assert len(shown) == len(line)
    assert "a1B2" not in shown
    assert "hunter" not in shown
