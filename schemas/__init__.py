"""The vocabulary: every record, every enum, the lifecycle and ownership tables. Imports nothing of ours."""
