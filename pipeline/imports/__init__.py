"""Imports: cards from another tool's files. One file a kind, found by the registry; all else is shared."""
