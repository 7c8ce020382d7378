"""A baseline file on disk: which findings an audit lets through, kept in the instance and committed."""

from __future__ import annotations

from pathlib import Path

from schemas.baseline import Baseline
from schemas.errors import Place, RefusedError
from store.files import read_file
from store.instance import Instance
from store.records import digest, record_of
from store.transaction import Transaction
from store.yamlio import decode, dump, load


def read(path: Path, source: str) -> Baseline:
    """The baseline that a file holds; `source` names it in errors.

    Raises RefusedError when there is no such file or it is no baseline, ManyErrors for one that is not valid.
    """
    data = read_file(path, source)
    if data is None:
        raise RefusedError(
            "no-baseline", "there is no such file", where=Place(source), fix="isopod audit --write-baseline FILE"
        )
    return _baseline_of(data, source)


def write(tx: Transaction, instance: Instance, path: Path, baseline: Baseline, *, anew: bool) -> None:
    """Collect a baseline in `tx`; `anew` lets it replace one that says something else.

    Raises RefusedError for a path that leaves the instance or lies in a folder of other files, for a file that is no baseline, and
    for a baseline that is there when `anew` was not said.
    """
    target = instance.within(path)
    source = instance.relative(target)
    if instance.owns(target):
        raise RefusedError(
            "unsafe-path", "other files lie in this folder", where=Place(source), fix="put it beside config.yaml"
        )
    before = tx.read(target)
    after = dump(baseline.to_data()).encode()
    if before is not None and before != after:
        _baseline_of(before, source)  # a file of another kind is not written over
        if not anew:
            raise RefusedError(
                "baseline-exists", "there is a baseline already", where=Place(source), fix="--yes to write it anew"
            )
    tx.write(target, after, expected=None if before is None else digest(before))


def _baseline_of(data: bytes, source: str) -> Baseline:
    plain = load(decode(data, source), source)
    if not isinstance(plain, dict) or plain.get("schema") != Baseline(findings=()).schema_id:
        raise RefusedError(
            "no-baseline", "this file is no baseline", where=Place(source), fix="name a file that --write-baseline wrote"
        )
    return record_of(data, source, Baseline)
