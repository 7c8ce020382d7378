"""The process is told to end by another one, or by a terminal that closes. Imports nothing, so that it is there from the first line on."""


class StoppedBySignalError(KeyboardInterrupt):
    """SIGTERM or SIGHUP came in: whatever undoes its work on Ctrl-C does so now, but nothing waits for what is on its way.

    `exit_code` is 128 and the number of the signal, as shells say it.
    """

    def __init__(self, name: str, number: int) -> None:
        self.name = name
        self.exit_code = 128 + number
        super().__init__(name)
