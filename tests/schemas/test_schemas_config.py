"""What config.yaml may say about readers and limits."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from schemas.config import Models, ReaderConfig


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
