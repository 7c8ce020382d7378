"""`isopod` and `python -m isopod`."""

import sys


def main() -> None:
    """Run the command line; ends the process with the exit code that docs/exit-codes.md lists.

    `--version` is answered here, before anything else is imported: scripts ask for it often.
    """
    arguments = sys.argv[1:]
    if arguments[:1] == ["--version"]:
        from isopod import __version__

        print(f"isopod {__version__}")  # noqa: T201 - the one answer that does without the output module
        sys.exit(0)

    from isopod.cli import run

    sys.exit(run(arguments))


if __name__ == "__main__":
    main()
