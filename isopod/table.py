"""Every command: where it lives, what it does in one line. `isopod --help` reads this and imports none of them."""

from __future__ import annotations

from typing import Final, NamedTuple


class Entry(NamedTuple):
    """`module` is the file in isopod/commands/ that holds `command`."""

    module: str
    short_help: str


SECTIONS: Final[dict[str, dict[str, Entry]]] = {
    "Start": {
        "demo": Entry("demo", "Watch two real specs become cards."),
        "init": Entry("init", "Make this folder a place where specs become cards."),
        "doctor": Entry("doctor", "What is missing for the readers, and whether they answer."),
    },
    "From spec to cards": {
        "compile": Entry("compile", "Make cards of a spec."),
        "extract": Entry("extract", "Let one reader read a spec and print what it claims."),
        "ground": Entry("ground", "Find the words of a reading in the spec."),
        "join": Entry("join", "Where two readings meet and where they differ."),
        "draft": Entry("draft", "Make cards of claims that are adopted already."),
        "batches": Entry("batches", "Questions sent for half the price: how they stand; fetch the answers."),
        "import": Entry("import_", "Make cards of the items of another tool."),
    },
    "Decide": {
        "settle": Entry("settle", "Decide where the readers differ."),
        "claim": Entry("claim", "Name a claim that both readers missed."),
        "not-a-claim": Entry("not_a_claim", "Mark a sentence as no claim."),
        "discard": Entry("discard", "Say that no card is to carry a claim."),
        "depend": Entry("depend", "Let one card wait for another, for a reason."),
        "confirm": Entry("confirm", "Say that an edge was looked at and still holds."),
        "decide": Entry("decide", "Write a decision down, and what leans on it."),
        "supersede": Entry("supersede", "Let a decision replace another, edge by edge."),
        "edit": Entry("edit", "Edit a card: some fields, or the whole of it in $EDITOR."),
        "move": Entry("move", "Put claims on another card."),
        "split": Entry("split", "Make a story of some lines of a card."),
        "merge": Entry("merge", "Let a card take over others."),
        "approve": Entry("approve", "Say that you looked at cards: they are planned."),
        "cut": Entry("cut", "Cut cards from the plan, with every edge to them."),
        "answer": Entry("answer", "Answer a question; what waited for it leans on the answer."),
        "open": Entry("open", "Say that what a gate waits to see was seen."),
        "start": Entry("start", "Say that cards are worked on."),
        "review": Entry("review", "Say that the work on cards is looked over."),
        "migrate": Entry("migrate", "Restate lines of a card that may not be rewritten."),
        "mirror": Entry("mirror", "Say that an issue of another team is for a request of ours."),
        "contract": Entry("contract", "What we expect of another team's card: pin, show, compare."),
        "done": Entry("done", "Attest that a card is done; it is sealed."),
    },
    "Look": {
        "status": Entry("status", "What is where, on one screen."),
        "cards": Entry("cards", "List the cards, with filters."),
        "show": Entry("show", "Show a card or a claim with the lines of the spec behind it."),
        "frontier": Entry("frontier", "The cards that are ready."),
        "why": Entry("why", "What a card waits for, the whole chain."),
        "impact": Entry("impact", "What slips when a card slips."),
        "graph": Entry("graph", "Draw how the cards wait for each other."),
        "export": Entry("export", "Export the trace from claims to issues as a table or a page."),
        "diff": Entry("diff", "What a spec says now where its claims said something else."),
        "digest": Entry("digest", "What changed since a commit or a day, in words."),
        "runs": Entry("runs", "What was read when, how far the readers agreed, what it cost."),
    },
    "Keep true": {
        "audit": Entry("audit", "Check cards, claims, specs and config by every rule."),
        "fix": Entry("fix", "Apply what is safe to apply."),
        "exemptions": Entry("exemptions", "List and count every override of a rule."),
        "ledger": Entry("ledger", "Whether the ledger holds; name its heads after a merge."),
        "merge-check": Entry("merge_check", "What two branches changed that meets in a merge."),
        "undo": Entry("undo", "Take back what the last command wrote."),
        "rules": Entry("rules", "List the rules, or explain one."),
        "spec": Entry("spec", "Say that a spec was renamed; its cards stay."),
        "schema": Entry("schema", "Print the JSON Schema of a file or of an output."),
        "recover": Entry("recover", "Resolve a write that was cut off and then edited by hand."),
    },
}

COMMANDS: Final[dict[str, Entry]] = {name: entry for section in SECTIONS.values() for name, entry in section.items()}
