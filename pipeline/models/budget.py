"""What a compile may cost: caps on tokens and money that no call is sent across, and the bill.

The cap is checked against the most that a call can cost: no tokenizer makes more tokens of a text than it has UTF-8 bytes, and an
answer ends at `max_tokens`.
"""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass

from pipeline.models.shapes import schema_of
from schemas.call import Call, Usage
from schemas.config import Models, Price
from schemas.errors import OutsideError, Place, RefusedError

BATCH_FACTOR = 0.5
"""Anthropic Message Batches and the OpenAI Batch API cost half (both price lists, 2026)."""

_BYTES_PER_TOKEN = 3.2
_MILLION = 1_000_000


def tokens_of(text: str) -> int:
    """About how many tokens a text is: one per 3.2 bytes, between English prose (4) and Korean or code (3)."""
    return round(len(text.encode("utf-8", "surrogatepass")) / _BYTES_PER_TOKEN)


def tokens_in(call: Call) -> int:
    """About how many tokens a call sends: our words, the task, and the schema of the answer."""
    return tokens_of(call.system) + tokens_of(call.user) + tokens_of(_schema(call))


def most_tokens(call: Call) -> int:
    """The most that a call can take: a token for every byte that is sent, and `max_tokens` back."""
    sent = call.system + call.user + _schema(call)
    return len(sent.encode("utf-8", "surrogatepass")) + call.max_tokens


def _schema(call: Call) -> str:
    """The answer schema as it is sent."""
    return json.dumps(schema_of(call.shape))


def money_of(usage: Usage, price: Price, *, batch: bool = False) -> float:
    """What these tokens cost; those from the provider's cache at their own price."""
    cached = price.input if price.cached is None else price.cached
    sent = (usage.input - usage.cached) * price.input + usage.cached * cached
    return (sent + usage.output * price.output) / _MILLION * (BATCH_FACTOR if batch else 1)


@dataclass
class Bill:
    """What was spent so far. `money` is None when a model that was asked has no price in config."""

    calls: int = 0
    input: int = 0
    output: int = 0
    cached: int = 0
    money: float | None = 0.0


class Budget:
    """The caps of one compile. Threads share it.

    What a provider did not count, and a try that was lost after it was sent, holds against the caps by the most that it can have cost;
    the bill says only what is known.
    """

    def __init__(self, limits: Models) -> None:
        self._limits = limits
        self._lock = threading.Lock()
        self._reserved_tokens = 0
        self._reserved_money = 0.0
        self._charged_tokens = 0
        self._charged_money = 0.0
        self.bill = Bill()

    def price(self, model: str) -> Price | None:
        return self._limits.prices.get(model)

    def reserve(self, call: Call, *, batch: bool = False) -> None:
        """Set aside the most that this call can cost, at half the price in a batch.

        Raises OutsideError `budget-reached` when that would cross a cap, RefusedError `price-missing` when money is capped and the model
        has no price.
        """
        price = self.price(call.model)
        if self._limits.money is not None and price is None:
            raise RefusedError(
                "price-missing",
                f"models.money caps what a compile costs, and {call.model} has no price",
                where=Place("config.yaml"),
                fix=f"models: {{prices: {{{call.model}: {{input: ..., output: ...}}}}}}  (per million tokens)",
            )
        tokens, money = most_tokens(call), self._most_money(call, price, batch=batch)
        with self._lock:
            spent = self._charged_tokens
            if spent + self._reserved_tokens + tokens > self._limits.tokens:
                raise self._reached("tokens", f"{self._limits.tokens:,}", f"{spent:,}", f"{tokens:,}", call)
            if self._limits.money is not None:
                used = self._charged_money
                if used + self._reserved_money + money > self._limits.money:
                    unit = self._limits.currency
                    raise self._reached(
                        "money", f"{self._limits.money:.2f} {unit}", f"{used:.4f} {unit}", f"{money:.4f} {unit}", call
                    )
            self._reserved_tokens += tokens
            self._reserved_money += money

    def settle(self, call: Call, usage: Usage | None, *, batch: bool = False) -> float | None:
        """Replace what was set aside by what it cost, which is returned; None when that is not known."""
        price = self.price(call.model)
        money = money_of(usage, price, batch=batch) if usage is not None and price is not None else None
        with self._lock:
            self._release_unlocked(call, batch=batch)
            self._charged_tokens += most_tokens(call) if usage is None else usage.input + usage.output
            self._charged_money += self._most_money(call, price, batch=batch) if money is None else money
            self.bill.calls += 1
            if usage is not None:
                self.bill.input += usage.input
                self.bill.output += usage.output
                self.bill.cached += usage.cached
            if money is None or self.bill.money is None:
                self.bill.money = None
            else:
                self.bill.money += money
        return money

    def lose(self, call: Call) -> None:
        """A try of a reserved call was sent and no answer came back: the model may have worked all the same."""
        with self._lock:
            self._charged_tokens += most_tokens(call)
            self._charged_money += self._most_money(call, self.price(call.model), batch=False)

    def release(self, call: Call, *, batch: bool = False) -> None:
        """Nothing was sent, or nothing is paid: what was set aside is free again."""
        with self._lock:
            self._release_unlocked(call, batch=batch)

    def _release_unlocked(self, call: Call, *, batch: bool) -> None:
        self._reserved_tokens -= most_tokens(call)
        self._reserved_money -= self._most_money(call, self.price(call.model), batch=batch)

    @staticmethod
    def _most_money(call: Call, price: Price | None, *, batch: bool) -> float:
        if price is None:
            return 0.0
        most = Usage(input=most_tokens(call) - call.max_tokens, output=call.max_tokens)
        return money_of(most, price, batch=batch)

    @staticmethod
    def _reached(what: str, cap: str, used: str, needed: str, call: Call) -> OutsideError:
        return OutsideError(
            "budget-reached",
            f"the cap models.{what} of {cap} would be crossed: {used} are used, and the next call ({call.place}) can take {needed}",
            where=Place("config.yaml"),
            fix=f"what was answered is kept: raise models.{what} and run the same command again",
        )
