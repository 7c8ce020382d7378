"""The face: command line, local web page. Thin: parse, call, render."""

__version__ = "0.1.0"
