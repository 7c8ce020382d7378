"""Readers: one file a reader, found by the registry; a third-party package adds one by an entry point in `isopod.readers`."""
