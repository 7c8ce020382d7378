"""The judges: one module a rule, found by `gates.registry`, run by `gates.run`. Pure functions of what they are
given; they never write."""
