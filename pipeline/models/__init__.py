"""How language models are asked: calls, answers, retries, caps; the readers of pipeline/readers/ and the drafter use it."""
