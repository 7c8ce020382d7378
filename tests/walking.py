"""A walk of commands, in any order, over a project whose specs change, and what it may not break (DESIGN.md section 7)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from living_spec import LivingSpec
from scenes import AnchorT, EdgeT, Scene, fingerprint

from pipeline import answers
from pipeline.deeds import answer as answering
from pipeline.deeds import confirm, contract, cut, decide, depend, edit, migrate, mirror, regroup, states, supersede
from pipeline.deeds.fields import assigned, assignment
from pipeline.fix import fix
from pipeline.movespec import move_spec
from pipeline.redrafting import draft_spec
from pipeline.said import Said
from schemas.card import Card, TrackerPart
from schemas.errors import IsopodError
from schemas.kinds import FINAL_STATES, OPEN_EDIT_STATES, PUBLISHED_STATES
from store.instance import open_instance
from store.snapshot import Snapshot
from store.transaction import Transaction
from text.sections import changed_sections

FIELDS = (
    "title=다른 제목", "due=2026-12-31", "due=null", "notes=x", "start=false", "acceptance+=more", "acceptance-=A1",
    "acceptance.A1=other", "subtasks+=task", "subtasks.S1=done", "parent=null", "related+={other}", "depends_on-={other}",
    "depends_on-={first}", "parent={other}",
)  # fmt: skip
NEVER = frozenset(
    {"C201", "C202", "C203", "C204", "C210", "C211", "C213", "C220", "C240", "C246"}
    | {"A101", "A102", "A103", "A104", "A130", "A145"}
)
"""Errors that no sequence of commands may leave behind."""
DRIFT = frozenset({"A101", "A102"})
"""Errors that say that a spec was changed and not compiled yet."""


@dataclass
class Walk:
    """A project, and what was seen of it so far."""

    scene: Scene
    chance: Random
    specs: dict[str, LivingSpec] = field(default_factory=dict)
    made: dict[str, str] = field(default_factory=dict)
    """Kind by id of every card that was ever there."""
    claims: set[str] = field(default_factory=set)
    """Every claim that was ever adopted."""
    sealed: dict[str, bytes] = field(default_factory=dict)
    entries: set[str] = field(default_factory=set)
    moment: int = 0
    last: str = ""
    taken: dict[str, int] = field(default_factory=dict)
    """By command, how often it was not refused."""

    @classmethod
    def start(cls, root: Path, seed: int) -> Walk:
        walk = cls(Scene.new(root, extra="tracker: {status: {To Do: published, Done: done}}\n"), Random(seed))
        for name in ("letters", "parcels"):
            walk.specs[name] = LivingSpec(name, walk.chance)
            walk._compile(name)
        walk.look()
        return walk

    # --- one step -------------------------------------------------------------------------------------------------

    def step(self) -> None:
        """One command, and what has to hold after it."""
        verb = self.chance.choice(list(self.verbs))
        before = self._files()
        self.moment += 1
        self.last = verb
        try:
            self.verbs[verb]()
        except IsopodError as error:
            assert error.message, verb
            assert self._files() == before, f"{verb} was refused and wrote: {error}"
            return
        self.taken[verb] = self.taken.get(verb, 0) + 1
        if verb == "undo":
            self.forget()
        self.look()

    def forget(self) -> None:
        """What was taken back was never there."""
        snapshot = self.scene.snapshot
        self.made = {card.id: card.kind for card in snapshot.cards}
        self.claims = {anchor.id for store in snapshot.anchor_stores.values() for anchor in store.anchors}

    def look(self) -> None:
        """Raises AssertionError when something was lost, forged or left broken."""
        snapshot = self.scene.snapshot
        assert not snapshot.problems, snapshot.problems
        cards = {card.id: card.kind for card in snapshot.cards}
        assert self.made.items() <= cards.items(), "a card is gone, or is of another kind"
        self.made = cards
        claims = {anchor.id for store in snapshot.anchor_stores.values() for anchor in store.anchors}
        assert self.claims <= claims, f"claims are gone: {self.claims - claims}"
        self.claims = claims
        assert not snapshot.ledger.problems
        entries = {file.name for file in snapshot.ledger.entries}
        assert self.entries <= entries, "the ledger lost an entry"
        self.entries = entries
        for card_id, content in self.sealed.items():
            assert _but_tracker(self._bytes(card_id)) == content, f"{card_id} was done and is changed"
        done = (card for card in snapshot.cards if card.state == "done" and card.kind != "external")
        # A question is done by its answer, and that may be taken back.
        self.sealed = {card.id: _but_tracker(self._bytes(card.id)) for card in done if card.gate is None}
        drifted = any(_drifted(snapshot, key) for key in snapshot.anchor_stores)
        errors = [
            one
            for one in self.scene.audit()
            if one.severity == "error" and one.code in NEVER - (DRIFT if drifted else set())
        ]
        assert not errors, [f"{one.code} {one.subject}: {one.message}" for one in errors]

    def _files(self) -> dict[str, str]:
        """What commands write; specs are people's."""
        files = fingerprint(self.scene.root)
        return {path: content for path, content in files.items() if not path.startswith("specs/")}

    def _bytes(self, card_id: str) -> bytes:
        return (self.scene.root / "cards" / f"{card_id}.yaml").read_bytes()

    # --- what a step may be ---------------------------------------------------------------------------------------

    @property
    def verbs(self) -> dict[str, Callable[[], Any]]:
        return {
            "approve": lambda: self._deed(
                lambda now: states.approve(
                    now, [self._card(now, fits=lambda card: card.state == "drafted").id], self.said
                )
            ),
            "approve --spec": lambda: self._deed(lambda now: states.approve_spec(now, self._spec().name, self.said)),
            "publish": self._publish,
            "start": lambda: self._deed(
                lambda now: states.take_up(now, [self._taken_up(now).id], "in_progress", self.said)
            ),
            "review": lambda: self._deed(
                lambda now: states.take_up(now, [self._taken_up(now).id], "in_review", self.said)
            ),
            "done": self._done,
            "answer": lambda: self._deed(
                lambda now: answering.answer(now, self._card(now, "gate").id, f"answer {self.moment}", self.said)
            ),
            "open": lambda: self._deed(lambda now: states.open_gate(now, self._card(now, "gate").id, self.said)),
            "edit": self._edit,
            "cut": lambda: self._deed(lambda now: cut.cut(now, [self._card(now).id], self.said)),
            "depend": lambda: self._deed(
                lambda now: depend.depend(now, self._card(now).id, self._card(now).id, self.said)
            ),
            "confirm": self._confirm,
            "decide": self._decide,
            "decide --affects": lambda: self._deed(
                lambda now: decide.lean_on(now, self._card(now, "decision").id, (self._card(now).id,), self.said)
            ),
            "supersede": self._supersede,
            "migrate": self._migrate,
            "mirror add": self._mirror,
            "sync": self._sync,
            "contract pin": lambda: self._deed(
                lambda now: contract.pin(
                    now, self._card(now, "external").id, self.said, text=f"as agreed {self.moment}"
                )
            ),
            "move": self._move,
            "move --instead-of": self._succeed,
            "split": self._split,
            "merge": self._merge,
            "claim": lambda: self._answer(
                lambda docket: answers.say_claim(docket, "requirement", self._note(docket), self.said)
            ),
            "not-a-claim": lambda: self._answer(
                lambda docket: answers.say_no_claim(docket, self._note(docket), None, self.said)
            ),
            "discard": lambda: self._answer(
                lambda docket: answers.say_discard(docket, self._claim(), "out_of_scope", self.said)
            ),
            "settle --undo": lambda: self._answer(lambda docket: answers.undo(docket)[1]),
            "compile": lambda: self._compile(self._spec().name),
            "edit and compile": lambda: self._changed_and_compiled(self._spec()),
            "edit the spec": lambda: self._write(self._changed(self._spec())),
            "settle": self._settle,
            "draft": lambda: draft_spec(self.scene.workspace, self.scene.spec(self._spec().name)).transaction.commit(),
            "draft --again": lambda: draft_spec(
                self.scene.workspace, self.scene.spec(self._spec().name), again=True
            ).transaction.commit(),
            "spec mv": self._rename,
            "fix": lambda: fix(self.scene.snapshot).transaction.commit(),
            "undo": self._undo,
        }

    @property
    def said(self) -> Said:
        minute, second = divmod(self.moment, 60)
        return Said(
            self.chance.choice(("Kim", "Min-ji Han")),
            f"2026-12-01T00:{minute:02}:{second:02}Z",
            f"reason {self.moment}",
        )

    def _deed(self, make: Callable[[Snapshot], Any]) -> None:
        made = make(self.scene.snapshot)
        getattr(made, "hand", made).transaction.commit()

    def _spec(self) -> LivingSpec:
        return self.chance.choice(list(self.specs.values()))

    def _card(
        self, snapshot: Snapshot, kind: str | None = None, fits: Callable[[Card], bool] = lambda card: True
    ) -> Card:
        """Any card; mostly one of that kind that fits and is not over, so that a command has something to do."""
        cards = [card for card in snapshot.cards if kind in (None, card.kind)]
        fitting = [card for card in cards if card.state not in FINAL_STATES and fits(card)]
        chosen = fitting if fitting and self.chance.random() < 0.9 else cards
        return self.chance.choice(chosen or list(snapshot.cards))

    def _taken_up(self, snapshot: Snapshot) -> Card:
        return self._card(snapshot, fits=lambda card: card.state in PUBLISHED_STATES)

    def _near(self, snapshot: Snapshot, other: Card) -> Card:
        """Mostly another open card of the same kind and spec."""
        return self._card(
            snapshot,
            other.kind,
            lambda card: card.spec == other.spec and card.id != other.id and card.state in OPEN_EDIT_STATES,
        )

    def _claim(self) -> str:
        return self.chance.choice(sorted(self.claims))

    def _note(self, docket: answers.Docket) -> str:
        return f"Somebody must look at letter {self.chance.randrange(4)} of {docket.key}."

    # --- cards ----------------------------------------------------------------------------------------------------

    def _done(self) -> None:
        def is_ready(now: Snapshot, card: Card) -> bool:
            return card.state in PUBLISHED_STATES and not now.graph.unsatisfied(card.id)

        self._deed(lambda now: states.done(now, self._card(now, fits=lambda card: is_ready(now, card)).id, self.said))

    def _publish(self) -> None:
        """As a publish would: cards that somebody looked at are in the tracker."""
        for card in self.scene.snapshot.cards:
            if card.state == "planned" and card.kind != "external" and self.chance.random() < 0.5:
                self.scene.edit(card.id, {"state": "published"}, by="publish")

    def _sync(self) -> None:
        live = [card.id for card in self.scene.snapshot.cards if card.kind == "external" and card.state != "deleted"]
        if live:
            self.scene.edit(
                self.chance.choice(live), {"state": self.chance.choice(("published", "in_progress", "done"))}, by="sync"
            )

    def _edit(self) -> None:
        now = self.scene.snapshot
        card, other = self._card(now), self._card(now)
        first = card.depends_on[0].card if card.depends_on else other.id
        words = self.chance.choice(FIELDS).format(other=other.id, first=first)
        self._deed(lambda now: edit.edit(now, assigned(card, [assignment(words)]), self.said))

    def _confirm(self) -> None:
        now = self.scene.snapshot
        card = self._card(now)
        on = self.chance.choice(card.depends_on).card if card.depends_on else self._card(now).id
        self._deed(lambda now: confirm.confirm(now, card.id, on, self.said))

    def _verdicts(self) -> tuple[dict[str, supersede.Verdict], supersede.Turn | None]:
        now = self.scene.snapshot
        turns: tuple[supersede.Turn, ...] = ("move", "drop", "keep")
        by_card = (
            {self._card(now).id: supersede.Verdict(self.chance.choice(turns), "because")}
            if self.chance.random() < 0.3
            else {}
        )
        return by_card, self.chance.choice(("move", "drop", None))

    def _decide(self) -> None:
        now = self.scene.snapshot
        verdicts, rest = self._verdicts()
        old = self._card(now, "decision")
        instead = decide.Replacing(old.id, verdicts, rest) if self.chance.random() < 0.4 else None
        affects: Any = "all" if self.chance.random() < 0.5 else (self._card(now).id,)
        spec = self._spec().name if self.chance.random() < 0.5 else None
        self._deed(
            lambda now: decide.decide(
                now, f"We decide number {self.moment}", self.said, spec=spec, affects=affects, replacing=instead
            )
        )

    def _supersede(self) -> None:
        now = self.scene.snapshot
        old, new = self._card(now, "decision").id, self._card(now, "decision").id
        leaning = supersede.leaning_on(now, old) if now.card_by_id[old].kind == "decision" else ()
        turns: tuple[supersede.Turn, ...] = ("move", "drop", "keep")
        verdicts = {one.card.id: supersede.Verdict(self.chance.choice(turns), "it holds us still") for one in leaning}
        self._deed(lambda now: supersede.supersede(now, old, new, verdicts, self.said))

    def _migrate(self) -> None:
        card = self._taken_up(self.scene.snapshot)
        lines = [line.id for line in card.acceptance] or ["A1"]
        texts = [f"It is otherwise since {self.moment}."] if self.chance.random() < 0.7 else []
        self._deed(lambda now: migrate.migrate(now, card.id, [self.chance.choice(lines)], texts, self.said))

    def _mirror(self) -> None:
        number = self.chance.randrange(40)
        issue = TrackerPart(
            provider="local",
            site="there",
            id=str(number),
            key=f"DATA-{number}",
            title=f"Their work {number}",
            status="To Do",
        )
        self._deed(lambda now: mirror.mirror_for(now, issue, self._card(now, "request").id, self.said))

    # --- claims ---------------------------------------------------------------------------------------------------

    def _move(self) -> None:
        now = self.scene.snapshot
        target = self._card(now, "story")
        near = [
            one
            for card in now.cards
            if card.spec == target.spec and card.state in OPEN_EDIT_STATES
            for one in card.anchors
        ]
        claims = self.chance.sample(near, min(len(near), self.chance.choice((1, 1, 2)))) or [self._claim()]
        self._deed(lambda now: regroup.move(now, claims, target.id, self.said))

    def _succeed(self) -> None:
        anchors = self.scene.snapshot.anchor_by_id
        gone = [name for name, anchor in anchors.items() if anchor.status in ("lost", "edited", "retired")]
        old = self.chance.choice(gone) if gone else self._claim()
        new = self.chance.choice([name for name, anchor in anchors.items() if anchor.kind == anchors[old].kind])
        if self.chance.random() < 0.5:
            self._deed(lambda now: regroup.succeed(now, old, new, self.said))
        else:
            self._deed(lambda now: regroup.move(now, [new], self._card(now).id, self.said, instead_of=old))

    def _merge(self) -> None:
        now = self.scene.snapshot
        target = self._card(now, "story")
        self._deed(lambda now: regroup.merge(now, target.id, [self._near(now, target).id], self.said))

    def _split(self) -> None:
        card = self._card(
            self.scene.snapshot, fits=lambda card: len(card.acceptance) > 1 and card.state in OPEN_EDIT_STATES
        )
        lines = [line.id for line in card.acceptance]
        self._deed(lambda now: regroup.split(now, card.id, self.said, lines=lines[: max(1, len(lines) // 2)]))

    def _answer(self, make: Callable[[answers.Docket], Transaction]) -> None:
        make(self.scene.docket(self._spec().name)).commit()

    # --- specs ----------------------------------------------------------------------------------------------------

    def _changed(self, spec: LivingSpec) -> LivingSpec:
        for _ in range(self.chance.randint(1, 3)):
            spec.change()
        return spec

    def _write(self, spec: LivingSpec, *, b: tuple[list[AnchorT], list[EdgeT]] | None = None) -> None:
        self.scene.write(spec.name, spec.text(), spec.anchors(), spec.edges(), b=b)

    def _compile(self, name: str) -> None:
        self._write(self.specs[name])
        outcome = self.scene.compile(name)
        errors = [f"{one.code} {one.message}" for one in outcome.findings if one.severity == "error"]
        assert outcome.exit_code == 0, (outcome.table.reasons, errors)

    def _changed_and_compiled(self, spec: LivingSpec) -> None:
        self._changed(spec)
        self._compile(spec.name)

    def _settle(self) -> None:
        """The second reader misses a line; a person says what stands, then it is compiled."""
        spec = self._changed(self._spec())
        missed = self.chance.choice(spec.items)
        kept = [edge for edge in spec.edges() if f"i{missed.number}" not in (edge[0], edge[2])]
        self._write(spec, b=([one for one in spec.anchors() if one[0] != f"i{missed.number}"], kept))
        self.scene.compile(spec.name)
        docket = self.scene.docket(spec.name)
        if docket.disputes:
            answers.settle_all(docket, self.chance.choice(("union", "agreed")), self.said).commit()
        self.scene.compile(spec.name)

    def _rename(self) -> None:
        """A person moves the file, and says so."""
        spec = self._spec()
        old, new = self.scene.spec(spec.name), self.scene.spec(f"{spec.name}-{self.moment}")
        old.rename(new)
        try:
            move_spec(self.scene.snapshot, f"specs/{old.name}", f"specs/{new.name}").commit()
        finally:
            new.rename(old)
        move_spec(self.scene.snapshot, f"specs/{new.name}", f"specs/{old.name}").commit()

    def _undo(self) -> None:
        instance = open_instance(self.scene.root)
        Transaction.taking_back(instance.root, instance.state_dir, instance.ledger_dir)[1].commit()


def _drifted(snapshot: Snapshot, key: str) -> bool:
    """Whether a spec says something else than when it was compiled."""
    spec, parsed = snapshot.spec(key), snapshot.structure(key)
    return spec is None or parsed is None or bool(changed_sections(spec, parsed, snapshot.anchor_stores[key].sections))


def _but_tracker(content: bytes) -> bytes:
    return re.sub(rb"^tracker:\n(?:[ ].*\n)*", b"", content, flags=re.MULTILINE)
