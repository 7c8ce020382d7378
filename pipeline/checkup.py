"""What the readers of an instance need, looked at without opening a connection: packages, config, keys, folders.

No check shows a secret: of a key only the name of its variable is said, of an address only its host.
"""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Final

from packaging.requirements import Requirement

from pipeline.models.protocol import Model
from pipeline.models.wire import SdkModel
from pipeline.readers.protocol import Reader
from pipeline.readers.registry import reader_of
from schemas.config import Config, ReaderConfig, one_model
from schemas.doctor import Check
from schemas.errors import RefusedError
from store.instance import Instance

DISTRIBUTION: Final = "isopod-cards"
_EXTRAS: Final = {
    "models": "readers that ask a language model",
    "ko": "Korean sentence endings in the offline readers",
    "jira": "the tracker jira",
}
"""The extras that users install, and what for; the others are for those who build isopod."""

_CONFIG: Final = "config.yaml"


def machine_checks(config: Config | None) -> Iterator[Check]:
    """Python and the packages of the extras, against the ranges that the installed isopod states."""
    yield Check(name="Python", state="ok", message=f"{platform.python_version()} ({platform.system()})")
    for extra, requirement in _requirements():
        yield _package(extra, requirement, _users(requirement.name, config))


def instance_checks(instance: Instance) -> Iterator[Check]:
    """Both readers, whether they are two models, prices, the drafter, the state folder and git."""
    config = instance.config
    for name, reader in config.both_readers.items():
        yield reader_check(instance, name, reader)
    yield _two_models(config)
    yield from _prices(config)
    yield _drafter(config)
    yield _state_folder(instance)
    yield _git(instance.root)


def reader_check(instance: Instance, name: str, config: ReaderConfig) -> Check:
    """Whether a reader can read: its provider is known, and nothing that it needs is missing."""
    title = f"reader {name}"
    try:
        reader = reader_of(config.provider)
    except RefusedError as error:
        return Check(name=title, state="missing", message=error.message, fix=f"{_CONFIG}: readers.{name}.provider")
    about = f"{config.provider}, {config.model}" if config.model != config.provider else config.provider
    lacks = reader.missing(config) if isinstance(reader, Model) else []
    if lacks:
        return Check(name=title, state="missing", message=f"{about}: {'; '.join(lacks)}", fix=_way_out(name, lacks))
    if config.provider == "recorded" and not instance.recorded_dir.is_dir():
        folder = instance.config.paths.recorded
        return Check(
            name=title,
            state="missing",
            message=f"{about}: there is no folder {folder} of recorded readings",
            fix=f"{_CONFIG}: readers.{name}.provider, or paths.recorded",
        )
    return Check(name=title, state="ok", message=f"{about}: {_how(reader, config)}")


def model_of(config: ReaderConfig) -> Model | None:
    """What carries calls of this reader; None where isopod itself sends nothing. Raises RefusedError for an unknown provider."""
    reader = reader_of(config.provider)
    return reader if isinstance(reader, Model) else None


def destination(config: ReaderConfig) -> str:
    """Where the calls of this reader go, in words, without a secret."""
    reader = reader_of(config.provider)
    if isinstance(reader, SdkModel):
        return reader.endpoint(config).who
    return f"the program {Path(config.command[0]).name}" if config.command else config.provider


def _how(reader: Reader, config: ReaderConfig) -> str:
    """How a reader that lacks nothing comes to its readings."""
    if isinstance(reader, SdkModel):
        endpoint = reader.endpoint(config)
        key = "is set" if endpoint.key is not None else "is not set, which a server of your own may not need"
        return f"calls go to {endpoint.who}; {endpoint.key_name} {key}"
    if isinstance(reader, Model):
        return f"calls go to {destination(config)}"
    if reader.calls_model:
        return "nothing is sent: its questions are handed over as files"
    return "a heuristic, no model is asked" if reader.heuristic else "no model is asked"


def _way_out(name: str, lacks: list[str]) -> str:
    """Most sentences say what to do; what only config can mend stands at its key."""
    said = any(word in sentence for sentence in lacks for word in ("pip install", "environment variable"))
    return "then run isopod doctor again" if said else f"{_CONFIG}: readers.{name}"


def _requirements() -> Iterator[tuple[str, Requirement]]:
    """The packages of the extras as the installed distribution states them; nothing where isopod was not installed as one."""
    try:
        stated = [Requirement(line) for line in requires(DISTRIBUTION) or []]
    except PackageNotFoundError:
        return
    for extra in _EXTRAS:
        for requirement in stated:
            marker = requirement.marker
            if marker is not None and marker.evaluate({"extra": extra}) and not marker.evaluate({"extra": ""}):
                yield extra, requirement


def _users(package: str, config: Config | None) -> list[str]:
    """What in config needs a package."""
    if config is None:
        return []
    providers = {name: reader.provider for name, reader in config.both_readers.items()}
    sdks = {"openai", "anthropic"}
    wanted = sdks if package == "instructor" else {package} & sdks
    users = [f"reader {name}" for name, provider in providers.items() if provider in wanted]
    return [*users, "the tracker"] if package == config.tracker.provider else users


def _package(extra: str, requirement: Requirement, users: list[str]) -> Check:
    name = f"package {requirement.name}"
    install = f"pip install '{DISTRIBUTION}[{extra}]'"
    wanted = f"{requirement.name}{requirement.specifier}"
    try:
        found = version(requirement.name)
    except PackageNotFoundError:
        if users:
            message = f"not installed; needed by {' and '.join(users)}: {wanted}"
            return Check(name=name, state="missing", message=message, fix=install)
        return Check(name=name, state="not-used", message=f"not installed; for {_EXTRAS[extra]}")
    fits = requirement.specifier.contains(found, prereleases=True)
    message = f"{found} ({'fits' if fits else 'does not fit'} {wanted})"
    if users and not fits:
        return Check(name=name, state="missing", message=message, fix=install)
    # The Korean analyser is used wherever it is there.
    used = bool(users) or (extra == "ko" and fits)
    return Check(name=name, state="ok" if used else "not-used", message=message)


def _two_models(config: Config) -> Check:
    a, b = config.readers.a.model, config.readers.b.model
    if not one_model(a, b):
        return Check(name="two models", state="ok", message=f"{a} and {b}")
    if config.allow_same_model:
        message = f"both readers are {a}, which config allows; every report says so"
        return Check(name="two models", state="ok", message=message)
    return Check(
        name="two models",
        state="missing",
        message=f"both readers are {a}: two readings by one model prove less than two models agreeing",
        fix="name two different models, or set allow_same_model: true",
    )


def _prices(config: Config) -> Iterator[Check]:
    """A price for every model that isopod itself sends calls to."""
    models = dict.fromkeys(reader.model for reader in config.both_readers.values() if _sends(reader))
    for model in models:
        name, price = f"price of {model}", config.models.prices.get(model)
        if price is not None:
            message = f"{price.input:g} in, {price.output:g} out {config.models.currency} for a million tokens"
            yield Check(name=name, state="ok", message=message)
            continue
        fix = f"{_CONFIG}: models: {{prices: {{{model}: {{input: ..., output: ...}}}}}}  (per million tokens)"
        if config.models.money is None:
            yield Check(name=name, state="not-used", message="none in config, so no money is shown", fix=fix)
        else:
            message = "none in config, and models.money caps what a compile may cost"
            yield Check(name=name, state="missing", message=message, fix=fix)


def _sends(config: ReaderConfig) -> bool:
    try:
        return model_of(config) is not None
    except RefusedError:
        return False


def _drafter(config: Config) -> Check:
    if config.draft.drafter == "rules":
        return Check(name="drafter", state="ok", message="rules; no model is asked")
    name = config.draft.reader
    reader = config.both_readers[name]
    try:
        asks = reader_of(reader.provider).calls_model
    except RefusedError:
        asks = False
    if asks:
        return Check(name="drafter", state="ok", message=f"the model of reader {name}, {reader.model}")
    return Check(
        name="drafter",
        state="missing",
        message=f"draft.drafter is model, and reader {name} ({reader.provider}) asks none",
        fix=f"{_CONFIG}: draft.reader, or draft: {{drafter: rules}}",
    )


def _state_folder(instance: Instance) -> Check:
    """Answers and records are kept there; it is made when the first is."""
    name, folder = "state folder", instance.state_dir
    shown = instance.relative(folder)
    existing = next(one for one in (folder, *folder.parents) if one.exists())
    if existing.is_dir() and os.access(existing, os.W_OK | os.X_OK):
        return Check(
            name=name, state="ok", message=f"{shown} can be written" + ("" if existing == folder else " (not made yet)")
        )
    return Check(
        name=name,
        state="missing",
        message=f"{shown} cannot be written: no answer of a model could be kept",
        fix="give this user the right to write there",
    )


def _git(root: Path) -> Check:
    if shutil.which("git") is None:
        return Check(name="git", state="not-used", message="not installed; rules about the history say not_checked")
    if any((folder / ".git").exists() for folder in (root, *root.parents)):
        return Check(name="git", state="ok", message="this folder is in a repository")
    return Check(name="git", state="not-used", message="this folder is in no repository", fix="git init")
