"""`isopod` and `python -m isopod`."""

import sys


def main() -> None:
    """Run the command line; ends the process with the exit code that docs/exit-codes.md lists.

    Ctrl-C is quiet from here on: loading the command line takes long enough for somebody to press it.
    """
    try:
        code = _answer(sys.argv[1:])
    except KeyboardInterrupt:
        code = 130  # as isopod.cli.INTERRUPTED, which may not be loaded yet
    sys.exit(code)


def _answer(arguments: list[str]) -> int:
    """`--version` is answered before anything else is imported: scripts ask for it often."""
    if arguments[:1] == ["--version"]:
        from isopod import __version__

        print(f"isopod {__version__}")  # noqa: T201 - the one answer that does without the output module
        return 0

    from isopod.cli import run

    return run(arguments)


if __name__ == "__main__":
    main()
