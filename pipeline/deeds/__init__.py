"""What people do to cards: one module a deed. A deed collects its writes in one transaction and commits nothing itself."""
