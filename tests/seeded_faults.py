"""One fault for each rule of RULES.md, each at cards, claims and specs of its own in the project of scenes_500.

A fault says what must be found because of it, as code and subject. Where one cannot be without another one, it says both.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable

from scenes_500 import LAST_SPEC, PERSON, WHEN, WORDS, Project, named

from schemas.anchors import AnchorStore
from schemas.publication import publication
from schemas.refs import renamed

Found = tuple[str, str]
"""Code of a rule, subject."""
Fault = Callable[[Project], list[Found]]
FAULTS: dict[str, Fault] = {}
"""By code of the rule that it is for, in the order in which they are made."""
NOWHERE = "STY-00000000"


def fault(code: str) -> Callable[[Fault], Fault]:
    def register(make: Fault) -> Fault:
        assert code not in FAULTS
        FAULTS[code] = make
        return make

    return register


# --- claims ---------------------------------------------------------------------------------------------------------


@fault("A101")
def the_words_of_a_relation_are_not_in_the_spec(project: Project) -> list[Found]:
    card = project.cards[project.free()]
    bound = card.anchors[1]
    said = {"cue": "words that stand nowhere"}
    project.retie(card.spec or "", lambda edge: edge.model_copy(update=said) if edge.from_ == bound else edge)
    return [("A101", bound)]


@fault("A102")
def a_claim_reaches_into_the_next_one(project: Project) -> list[Found]:
    card = project.cards[project.free(lambda one: not project.as_list(one))]
    (start, _), (following, _) = project.span(card.anchors[1]), project.span(card.anchors[2])
    project.quote(card.anchors[1], (start, following + len("The header")))
    return [("A102", card.anchors[1])]


@fault("A103")
def a_claim_is_called_by_another_prefix(project: Project) -> list[Found]:
    card = project.cards[project.free()]
    old, new = card.anchors[2], card.anchors[2].replace("ANC", "CLM")

    def rename(name: str) -> str:
        return new if name == old else name

    project.put_store(renamed(project.store_of(old), rename))
    for other in list(project.cards.values()):
        if renamed(other, rename) != other:
            project.put(renamed(other, rename))
    return [("A103", new)]


@fault("A104")
def two_claims_of_two_specs_have_one_id(project: Project) -> list[Found]:
    one, other = named("ANC", "paint"), named("ANC", "letter")
    project.put_store(renamed(project.store_of(other), lambda name: one if name == other else name))
    return [("A104", one)]


@fault("A110")
def a_claim_holds_a_second_list_item(project: Project) -> list[Found]:
    card = project.cards[project.free(project.as_list)]
    project.quote(card.anchors[2], (project.span(card.anchors[1])[0], project.span(card.anchors[2])[1]))
    return [("A110", card.anchors[2])]


@fault("A111")
def a_claim_ends_before_its_not(project: Project) -> list[Found]:
    start, _ = project.span(named("ANC", "answer"))
    project.quote(named("ANC", "answer"), (start, start + len("The keeper must answer")))
    return [("A111", named("ANC", "answer"))]


@fault("A120")
def a_card_holds_a_claim_of_another_section(project: Project) -> list[Found]:
    card = project.free()
    _give(project, project.beside(card, same_section=False), card, 1)
    return [("A120", card)]


@fault("A121")
def a_card_holds_more_claims_than_it_may(project: Project) -> list[Found]:
    card, other = _neighbours(project)
    _give(project, other, card, 2)
    return [("A121", card)]


@fault("A122")
def a_card_holds_a_claim_of_another_team(project: Project) -> list[Found]:
    _give(project, named("STY", "sign-too"), named("STY", "sign"), 1)
    return [("A122", named("STY", "sign"))]


@fault("A130")
def a_claim_is_on_no_card(project: Project) -> list[Found]:
    card = project.cards[project.free()]
    project.change(card.id, anchors=card.anchors[:-1])
    return [("A130", card.anchors[-1])]


@fault("A140")
def a_bound_of_nothing(project: Project) -> list[Found]:
    card = project.cards[project.free(project.as_list)]
    project.retie(card.spec or "", lambda edge: None if edge.from_ == card.anchors[1] else edge)
    return [("A140", card.anchors[1])]


@fault("A141")
def a_term_that_no_claim_uses(project: Project) -> list[Found]:
    text = project.text(WORDS).text.replace("## Keeping", "**Bale**: several of them.\n\n## Keeping")
    claim = {"id": named("ANC", "bale"), "kind": "term", "exact": "Bale", "home": "glossary"}
    project.adopt(WORDS, [claim], text)
    return [("A141", claim["id"])]


@fault("A142")
def nothing_waits_for_a_question(project: Project) -> list[Found]:
    waiting: dict[str, list[str]] = {}
    for card in project.cards.values():
        for entry in card.depends_on:
            waiting.setdefault(entry.card, []).append(card.id)
    question, (only,) = next(
        (gate, cards)
        for gate, cards in sorted(waiting.items())
        if gate in project.cards
        and len(cards) == 1
        and project.cards[gate].kind == "gate"
        and project.cards[gate].spec == project.cards[cards[0]].spec
    )
    kept = [entry for entry in project.cards[only].to_data()["depends_on"] if entry["card"] != question]
    project.change(only, depends_on=kept)
    return [("A142", question)]


@fault("A143")
def nothing_says_which_of_two_decisions_stands(project: Project) -> list[Found]:
    project.retie(WORDS, lambda edge: None if edge.kind == "supersedes" else edge)
    return [("A143", named("ANC", "files"))]


@fault("A144")
def a_claim_needs_what_is_left_out(project: Project) -> list[Found]:
    project.tie("requires", named("ANC", "stand"), named("ANC", "years"), "Each lot")
    return [("A144", named("ANC", "stand"))]


@fault("A145")
def two_claims_contradict_and_nobody_asks(project: Project) -> list[Found]:
    card, other = _neighbours(project)
    one = project.cards[card].anchors[0]
    project.tie("conflicts_with", one, project.cards[other].anchors[0], "must")
    return [("A145", one)]


# --- files and ids --------------------------------------------------------------------------------------------------


@fault("C201")
def a_card_has_a_copy(project: Project) -> list[Found]:
    card = named("STY", "doubled")
    shutil.copy(project.file(card), project.file(NOWHERE))
    return [("C201", card)]


@fault("C202")
def a_file_is_called_otherwise_than_its_card(project: Project) -> list[Found]:
    card = project.free()
    project.file(card).rename(project.root / "cards" / "renewal.yaml")
    return [("C202", card)]


@fault("C203")
def two_cards_have_one_issue(project: Project) -> list[Found]:
    first, second = sorted((named("STY", "first-issue"), named("STY", "second-issue")))
    ours = project.cards[second].to_data()["tracker"]
    project.change(second, tracker=ours | {"id": project.cards[first].to_data()["tracker"]["id"]})
    return [("C203", second)]


@fault("C204")
def two_cards_hold_one_claim(project: Project) -> list[Found]:
    card, other = _neighbours(project)
    claim = project.cards[other].anchors[-1]
    project.change(card, anchors=[*project.cards[card].anchors, claim])
    # The claim says the same from its own side: it has two homes.
    return [("C204", max(card, other)), ("A130", claim)]


@fault("C210")
def a_card_waits_for_no_card(project: Project) -> list[Found]:
    card = project.free()
    project.lean(card, NOWHERE)
    return [("C210", card)]


@fault("C211")
def a_card_names_no_claim(project: Project) -> list[Found]:
    card = project.free()
    lines = project.cards[card].to_data()["acceptance"]
    project.change(card, acceptance=[lines[0] | {"anchors": [*lines[0]["anchors"], "ANC-00000000"]}, *lines[1:]])
    return [("C211", card)]


@fault("C213")
def a_card_is_related_to_no_card(project: Project) -> list[Found]:
    card = project.free()
    project.change(card, related=[NOWHERE])
    return [("C213", card)]


# --- the graph ------------------------------------------------------------------------------------------------------


@fault("C220")
def two_cards_wait_for_each_other(project: Project) -> list[Found]:
    one, other = project.free(), project.free()
    project.lean(one, other)
    project.lean(other, one)
    return [("C220", min(one, other))]


@fault("C221")
def nothing_leans_on_a_decision(project: Project) -> list[Found]:
    project.change(named("DEC", "alone"), decision={})
    return [("C221", named("DEC", "alone"))]


@fault("C222")
def a_card_leans_on_a_replaced_decision(project: Project) -> list[Found]:
    project.change(named("DEC", "older"), decision={"affects": "all", "superseded_by": named("DEC", "newer")})
    project.change(named("DEC", "newer"), decision={"affects": "all", "supersedes": [named("DEC", "older")]})
    # No reason to lean on it is left, so the edge is stale too.
    return [("C222", named("STY", "leaning")), ("C250", named("STY", "leaning"))]


@fault("C223")
def too_many_cards_wait_for_one_observation(project: Project) -> list[Found]:
    project.lean(project.free(), named("GAT", "observation"))
    return [("C223", named("GAT", "observation"))]


@fault("C224")
def only_a_question_keeps_a_published_card(project: Project) -> list[Found]:
    project.publish(named("STY", "gated"), status="To Do")
    return [("C224", named("STY", "gated"))]


@fault("C225")
def no_order_of_work_makes_a_card_ready(project: Project) -> list[Found]:
    project.lean(named("STY", "chain-1"), NOWHERE)
    # A card is never ready because of what is wrong with another one, and that is told there.
    return [("C225", named("STY", "chain-2")), ("C210", named("STY", "chain-1"))]


@fault("C226")
def the_drafter_says_twice_what_a_card_waits_for(project: Project) -> list[Found]:
    def onward(card_id: str) -> str | None:
        own = {entry.card for entry in project.cards[card_id].depends_on}
        through = (
            entry.card
            for name in own
            if project.cards[name].kind == "story"
            for entry in project.cards[name].depends_on
        )
        return next((name for name in through if name not in own and project.cards[name].kind == "story"), None)

    card = project.free(lambda one: onward(one.id) is not None)
    project.lean(card, onward(card) or "", rule="D6", text="needs the same endpoint")
    return [("C226", card)]


@fault("C227")
def what_a_done_card_needed_is_open_again(project: Project) -> list[Found]:
    project.change(named("EXT", "theirs-done"), state="in_progress")
    return [("C227", named("STY", "built"))]


@fault("C228")
def a_card_is_due_before_what_it_waits_for(project: Project) -> list[Found]:
    project.change(named("STY", "early"), due="2027-01-01")
    return [("C228", named("STY", "early"))]


@fault("C229")
def a_card_is_to_be_started_that_waits(project: Project) -> list[Found]:
    project.change(named("STY", "meant"), start=True)
    return [("C229", named("STY", "meant"))]


# --- specs ----------------------------------------------------------------------------------------------------------


@fault("C230")
def a_spec_is_gone(project: Project) -> list[Found]:
    project.spec_file(LAST_SPEC).unlink()
    return [("C230", LAST_SPEC)]


@fault("C231")
def a_spec_no_longer_says_what_a_card_holds(project: Project) -> list[Found]:
    card = project.cards[project.free(project.as_list)]
    project.rewrite(card.spec or "", f"- {project.anchors[card.anchors[2]].exact}\n", "")
    return [("C231", card.id)]


@fault("C232")
def nobody_claimed_what_a_spec_says(project: Project) -> list[Found]:
    file = project.spec_file("part-0003")
    file.write_text(f"{file.read_text(encoding='utf-8')}\n- The importer must count each receipt.\n", encoding="utf-8")
    return [("C232", "part-0003")]


# --- what git knows -------------------------------------------------------------------------------------------------


@fault("C240")
def a_done_card_was_changed(project: Project) -> list[Found]:
    project.change(named("STY", "sealed"), notes="by the way\n")
    return [("C240", named("STY", "sealed"))]


@fault("C241")
def a_published_card_was_changed(project: Project) -> list[Found]:
    project.change(named("STY", "changed"), notes="by the way\n")
    return [("C241", named("STY", "changed"))]


@fault("C242")
def the_card_of_another_team_was_changed(project: Project) -> list[Found]:
    project.change(named("EXT", "theirs-edited"), title="What we would rather have")
    return [("C242", named("EXT", "theirs-edited"))]


@fault("C243")
def a_card_says_something_else_and_waits_for_the_same(project: Project) -> list[Found]:
    card = project.free()
    project.change(card, title="Something else altogether")
    return [("C243", card)]


@fault("C244")
def the_id_of_another_card_is_used_again(project: Project) -> list[Found]:
    again = project.make("gone", acceptance=[{"id": "A1", "text": "Every night has a moon."}])
    project.change(again.id, title="Another card")
    return [("C244", again.id)]


@fault("C245")
def a_published_line_was_weakened(project: Project) -> list[Found]:
    card = named("STY", "weakened")
    first, second = project.cards[card].to_data()["acceptance"]
    changed = project.change(card, acceptance=[first, second | {"text": "It is not slow."}])
    # It was published again since: what is wrong with it is not that its issue is old.
    project.change(card, tracker=changed.to_data()["tracker"] | {"published": publication(changed)})
    return [("C245", card)]


@fault("C263")
def an_exception_was_never_made_regular(project: Project) -> list[Found]:
    card = project.free()
    project.except_from("ownership", card)
    return [("C263", card)]


@fault("C246")  # on a ledger that does not hold nothing is written, so this comes after every entry
def an_entry_of_the_ledger_was_changed(project: Project) -> list[Found]:
    for path in sorted((project.root / "cards" / "ledger").glob("*.json")):
        data = json.loads(path.read_bytes().splitlines()[0])
        if data.get("type") == "attestation":
            path.write_bytes(path.read_bytes().replace(PERSON.encode(), b"Nobody"))
            return [("C246", path.stem)]
    raise AssertionError("nothing was attested")


# --- reasons, teams and trackers ------------------------------------------------------------------------------------


@fault("C250")
def no_reason_of_an_edge_is_left(project: Project) -> list[Found]:
    def leads(card_id: str) -> bool:
        return any(edge.from_ == project.cards[card_id].anchors[0] for edge in _store(project, card_id).edges)

    card = project.free(lambda one: leads(one.id))
    first = project.cards[card].anchors[0]
    project.retie(_store(project, card).spec.key, lambda edge: None if edge.from_ == first else edge)
    return [("C250", card)]


@fault("C251")
def a_card_promises_something_else(project: Project) -> list[Found]:
    project.change(named("STY", "dated"), due="2027-03-01")
    return [("C251", named("STY", "trusting"))]


@fault("C260")
def config_does_not_know_a_team(project: Project) -> list[Found]:
    card = project.free()
    project.change(card, team="nobody")
    return [("C260", card)]


@fault("C261")
def nobody_said_what_we_expect_of_another_team(project: Project) -> list[Found]:
    project.lean(project.free(), named("EXT", "theirs-plain"))
    return [("C261", named("EXT", "theirs-plain"))]


@fault("C262")
def we_expect_of_ourselves(project: Project) -> list[Found]:
    card = project.free()
    project.change(card, consumer_contract=[{"version": 1, "text": "as agreed", "by": PERSON, "at": WHEN}])
    return [("C262", card)]


@fault("C270")
def an_issue_was_never_read(project: Project) -> list[Found]:
    return _tracked(project, "C270", "EXT", "theirs-old", read_at=None)


@fault("C271")
def an_issue_is_gone(project: Project) -> list[Found]:
    return _tracked(project, "C271", "EXT", "theirs-gone", sync="gone")


@fault("C272")
def an_issue_has_a_status_that_means_nothing(project: Project) -> list[Found]:
    return _tracked(project, "C272", "EXT", "theirs-odd", status="Waiting for parts")


@fault("C273")
def an_issue_was_closed_and_nobody_attested_that(project: Project) -> list[Found]:
    return _tracked(project, "C273", "STY", "closed", status="Done")


def _tracked(project: Project, code: str, prefix: str, name: str, **fields: str | None) -> list[Found]:
    card = project.cards[named(prefix, name)]
    project.change(card.id, tracker=card.to_data()["tracker"] | fields)
    return [(code, card.id)]


def _give(project: Project, giver: str, taker: str, count: int) -> None:
    """The last claims of a card go to another card; their lines stay, so that only the rule about claims speaks."""
    given = project.cards[giver].anchors[-count:]
    project.change(giver, anchors=project.cards[giver].anchors[:-count])
    project.change(taker, anchors=[*project.cards[taker].anchors, *given])


def _neighbours(project: Project) -> tuple[str, str]:
    """Two untouched stories of one section."""
    by_section: dict[tuple[str | None, str], str] = {}
    for card_id in project.untouched():
        card = project.cards[card_id]
        key = (card.spec, project.anchors[card.anchors[0]].section)
        if key in by_section:
            return project.take(by_section[key]), project.take(card_id)
        by_section[key] = card_id
    raise AssertionError("no two untouched stories of one section are left")


def _store(project: Project, card_id: str) -> AnchorStore:
    return project.stores[project.cards[card_id].spec or ""]
