"""A spec as text: coordinates, units, grounding, intervals, selectors, language lexicons. Imports schemas only."""
