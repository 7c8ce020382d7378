"""Servers on this machine that speak the wire formats of the Anthropic and the OpenAI API, with a brain and faults that a test chooses."""
