"""What is on disk: YAML in and out, transactions, the lock, the cache, the instance. Atomic, typed, nothing lost."""
