"""isopod status: what is where, on one screen."""

from __future__ import annotations

from isopod import options
from isopod.face import Face


@options.command(
    "status",
    examples=[
        ("isopod status", "what is where"),
        ("isopod -C ~/plans/shop status", "of an instance elsewhere"),
        ("isopod status --format json", "for a script"),
    ],
)
def command(face: Face) -> None:
    """Show on one screen: specs and their claims, cards by kind and state, what is ready, what others must answer."""
    from isopod.looking import Looking
    from isopod.render.status import status_lines
    from isopod.summary import status_of
    from schemas.outputs import StatusOutput

    status = status_of(Looking(face.snapshot()))
    face.give(StatusOutput(status=status), lambda: status_lines(status, face))
