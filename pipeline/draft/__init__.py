"""Claims -> cards, by DRAFTING.md: `judge` makes the four closed judgements, `build` makes cards of them, both without reading words."""
