"""A baseline file on disk: which findings an audit lets through, kept in the instance and committed."""

from __future__ import annotations

from pathlib import Path

from schemas.baseline import Baseline
from schemas.errors import Place, RefusedError
from store.files import read_file
from store.instance import Instance
from store.records import digest, record_of
from store.transaction import Transaction
from store.yamlio import dump


def read(path: Path, source: str) -> Baseline:
    """The baseline that a file holds; `source` names it in errors.

    Raises RefusedError when there is no such file, RefusedError or ManyErrors when it is no baseline.
    """
    data = read_file(path, source)
    if data is None:
        raise RefusedError(
            "no-baseline", "there is no such file", where=Place(source), fix="isopod audit --write-baseline FILE"
        )
    return record_of(data, source, Baseline)


def write(tx: Transaction, instance: Instance, path: Path, baseline: Baseline, *, anew: bool) -> None:
    """Collect a baseline in `tx`; `anew` lets it replace a file that says something else.

    Raises RefusedError for a path that leaves the instance or lies in a folder of other files of it, for a file that is no baseline,
    and for one that is there when `anew` was not said.
    """
    target = instance.within(path)
    source = instance.relative(target)
    if target.is_relative_to(instance.cards_dir) or target.is_relative_to(instance.state_dir):
        raise RefusedError(
            "unsafe-path", "only isopod's own files lie in this folder", where=Place(source), fix="put it beside config.yaml"
        )
    if target == instance.config_path or target.is_relative_to(instance.specs_dir):
        raise RefusedError("unsafe-path", "a baseline would replace what people own here", where=Place(source))
    before = tx.read(target)
    after = dump(baseline.to_data()).encode()
    if before is not None and before != after:
        record_of(before, source, Baseline)  # a file of another kind is not written over
        if not anew:
            raise RefusedError(
                "baseline-exists", "there is a baseline already", where=Place(source), fix="--yes to write it anew"
            )
    tx.write(target, after, expected=None if before is None else digest(before))
