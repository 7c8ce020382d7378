"""Anchor gates (A): rules over the claims of one spec, before and after they are adopted. One module a rule."""
