"""Card audits (C): rules over a whole instance. One module a rule."""
