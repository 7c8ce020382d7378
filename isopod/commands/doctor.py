"""isopod doctor: what is missing for the readers of this instance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from isopod import options
from isopod.face import Face
from schemas.errors import Exit, ManyErrors, RefusedError

if TYPE_CHECKING:
    from schemas.doctor import Check
    from store.instance import Instance


@options.command(
    "doctor",
    examples=[
        ("isopod doctor", "packages, readers, keys, prices, folders; nothing is sent"),
        ("isopod doctor --call", "and one tiny question to the model of each reader, which costs about nothing"),
        ("isopod doctor --format json", "for a script"),
    ],
)
@click.option("--call", is_flag=True, help="Ask the model of each reader one tiny question.")
def command(face: Face, call: bool) -> int:
    """Say what is missing for the readers of this instance, one line a check: ok, missing or not used.

    Opens no connection without --call. Of a key only the variable is named, never its value. Exit 1 when something is
    missing, 2 when config.yaml is not valid, 4 when a question that was sent brought no answer that can be used.
    """
    from isopod.render.doctor import doctor_lines
    from pipeline.checkup import instance_checks, machine_checks
    from schemas.doctor import DoctorOutput

    instance, broken = _instance(face)
    checks = [*machine_checks(instance.config if instance is not None else None), *broken]
    if instance is not None:
        checks += instance_checks(instance)
        if call:
            checks += _calls(face, instance, checks)
    root = str(instance.root) if instance is not None else None
    face.give(
        DoctorOutput(instance=root, checks=tuple(checks)), lambda: doctor_lines(checks, root, face, unread=bool(broken))
    )
    return Exit.REFUSED if broken else _exit(checks)


def _instance(face: Face) -> tuple[Instance | None, list[Check]]:
    """The instance around; what is wrong with its config is a finding here, no refusal."""
    from schemas.doctor import Check

    try:
        return face.instance(), []
    except RefusedError as error:
        if error.code == "no-instance":
            return None, []
        errors = error.errors if isinstance(error, ManyErrors) else (error,)
        return None, [
            Check(name=str(one.where or "config.yaml"), state="missing", message=one.message, fix=one.fix)
            for one in errors
        ]


def _calls(face: Face, instance: Instance, checks: list[Check]) -> list[Check]:
    from pipeline.checkcall import Checking

    ready = {check.name for check in checks if check.state == "ok"}
    checking = Checking(instance, lambda message: face.note(f"isopod: {message}"))
    made: list[Check] = []
    try:
        for name, config in instance.config.both_readers.items():
            asked = checking.ask(name, config) if f"reader {name}" in ready else None
            if asked is not None:
                made.append(asked)
    finally:
        checking.close(_exit([*checks, *made]))
    return made


def _exit(checks: list[Check]) -> Exit:
    states = {check.state for check in checks}
    if "failed" in states:
        return Exit.OUTSIDE
    return Exit.DOES_NOT_HOLD if "missing" in states else Exit.HOLDS
