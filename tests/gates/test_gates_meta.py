"""Every rule is what RULES.md says, has a page, a bad and a good fixture, and is called by the command of its stage."""

from __future__ import annotations

from pathlib import Path

import pytest
from gate_cases import CASES, expected, in_history, reported

from gates.pages import PARTS, parts, summary
from gates.registry import STAGES, Rule, Stage, Why, rules
from gates.run import of_stage

# The tables of RULES.md as far as they are built: code -> name, tier, stages.
TABLE = {
    "A101": ("ungrounded-quote", "error", ("join", "audit")),
    "A102": ("crossing-anchors", "error", ("adopt", "audit")),
    "A103": ("anchor-prefix", "error", ("adopt", "audit")),
    "A104": ("duplicate-anchor-id", "error", ("audit",)),
    "A110": ("single-concern", "error", ("join",)),
    "A111": ("negation-cut", "warn", ("join",)),
    "A120": ("bundle-scattered", "warn", ("draft",)),
    "A121": ("bundle-too-big", "warn", ("draft",)),
    "A122": ("bundle-two-teams", "error", ("draft",)),
    "A130": ("homeless-anchor", "error", ("draft", "audit")),
    "A140": ("floating-constraint", "warn", ("join",)),
    "A141": ("unused-term", "warn", ("join",)),
    "A142": ("question-blocks-nothing", "warn", ("draft",)),
    "A143": ("replaced-unlinked", "warn", ("join",)),
    "A144": ("exclusion-required", "error", ("join",)),
    "A145": ("conflict-without-gate", "error", ("draft", "audit")),
    "C201": ("duplicate-id", "error", ("audit",)),
    "C202": ("id-filename", "error", ("audit",)),
    "C203": ("tracker-key-shared", "error", ("audit",)),
    "C204": ("anchor-on-two-cards", "error", ("audit",)),
    "C210": ("dangling-dependency", "error", ("audit",)),
    "C211": ("unknown-anchor", "error", ("audit",)),
    "C213": ("dangling-link", "error", ("audit",)),
    "C220": ("dependency-cycle", "error", ("audit",)),
    "C221": ("orphan-decision", "warn", ("audit",)),
    "C222": ("superseded-dependency", "error", ("audit",)),
    "C223": ("unverified-gate-load", "warn", ("audit",)),
    "C224": ("gate-only-blocked", "warn", ("audit",)),
    "C225": ("never-executable", "warn", ("audit",)),
    "C226": ("redundant-dependency", "warn", ("audit",)),
    "C227": ("done-before-dependency", "error", ("audit",)),
    "C228": ("due-inversion", "warn", ("audit",)),
    "C229": ("intent-not-executable", "warn", ("audit",)),
    "C230": ("missing-spec", "error", ("audit",)),
    "C231": ("spec-drift", "error", ("audit",)),
    "C232": ("unclaimed-unit", "warn", ("audit",)),
    "C240": ("done-edited", "error", ("audit",)),
    "C241": ("to-republish", "warn", ("audit",)),
    "C242": ("external-body-edited", "error", ("audit",)),
    "C243": ("prose-without-edges", "warn", ("audit",)),
    "C244": ("id-reused", "error", ("audit",)),
    "C245": ("intent-weakened", "error", ("audit",)),
    "C246": ("ledger-broken", "error", ("audit",)),
    "C250": ("stale-edge", "error", ("audit",)),
    "C251": ("unconfirmed-edge", "warn", ("audit",)),
    "C260": ("unknown-config", "error", ("audit",)),
    "C261": ("external-without-contract", "warn", ("audit",)),
    "C262": ("contract-on-own-card", "warn", ("audit",)),
    "C263": ("exemption-open", "warn", ("audit",)),
    "C270": ("mirror-stale", "warn", ("audit",)),
    "C271": ("mirror-unreachable", "warn", ("audit",)),
    "C272": ("status-unmapped", "error", ("audit",)),
    "C273": ("done-changed-remotely", "warn", ("audit",)),
}
# The reasons that RULES.md gives for audits.
WHYS = {
    "C201": "cross-file", "C202": "cross-file", "C203": "cross-file", "C204": "cross-file", "C210": "reference",
    "C211": "reference", "C213": "reference", "C220": "graph", "C221": "graph", "C222": "graph", "C223": "graph",
    "C224": "graph", "C225": "graph", "C226": "graph", "C227": "graph", "C228": "graph", "C229": "graph",
    "C230": "filesystem", "C231": "filesystem", "C232": "filesystem", "C240": "git", "C241": "git", "C242": "git",
    "C243": "git", "C244": "git", "C245": "git", "C246": "git", "C250": "reference", "C251": "reference",
    "C260": "config", "C261": "config", "C262": "config", "C263": "config", "C270": "tracker", "C271": "tracker",
    "C272": "tracker", "C273": "tracker",
}  # fmt: skip
# Rules that a bad fixture cannot help to fire beside its own.
ALSO = {
    ("anchor-on-two-cards", "audit"): {"A130"},  # the claim's home says the same from its own side
    ("superseded-dependency", "audit"): {"C250"},  # no reason holds that leans on a decision that was replaced
    ("never-executable", "audit"): {"C210"},  # what stands in the way is an error on the card that it stands on
}

EVERY_RULE = [pytest.param(rule, id=rule.name) for rule in rules()]
EVERY_STAGE_OF_A_RULE = [
    pytest.param(rule, stage, id=f"{rule.name}-{stage}") for rule in rules() for stage in rule.stages
]


def case(rule: Rule, which: str) -> Path:
    return CASES / rule.name / which


def test_the_registry_holds_exactly_the_rules_of_the_table() -> None:
    assert {rule.code: (rule.name, rule.tier, rule.stages) for rule in rules()} == TABLE


def test_codes_and_names_are_unique() -> None:
    assert len({rule.code for rule in rules()}) == len({rule.name for rule in rules()}) == len(rules())


def test_every_audit_has_the_reason_of_the_table() -> None:
    assert {rule.code: rule.why for rule in rules() if rule.code.startswith("C")} == WHYS


@pytest.mark.parametrize("rule", EVERY_RULE)
def test_a_rule_states_what_it_is(rule: Rule) -> None:
    assert rule.why in Why.__args__  # type: ignore[attr-defined]
    assert set(rule.stages) <= set(STAGES)
    assert rule.on in ("claims", "drafted", "instance")
    assert rule.check.__module__.rpartition(".")[2] == rule.name.replace("-", "_")


@pytest.mark.parametrize("rule", EVERY_RULE)
def test_a_rule_explains_itself(rule: Rule) -> None:
    told = parts(rule)
    assert list(told) == ["", *PARTS]
    assert all(told.values())
    assert summary(rule).endswith(".")
    assert "    " in told["Bad"], "the bad example is shown"


@pytest.mark.parametrize(("rule", "stage"), EVERY_STAGE_OF_A_RULE)
def test_the_bad_fixture_is_reported_as_expected(rule: Rule, stage: Stage) -> None:
    wanted = expected(case(rule, "bad"), rule.stages)[stage]
    assert {finding["code"] for finding in wanted} == {rule.code} | ALSO.get((rule.name, stage), set())
    assert reported(case(rule, "bad"), stage) == wanted


@pytest.mark.parametrize(("rule", "stage"), EVERY_STAGE_OF_A_RULE)
def test_the_good_fixture_is_quiet(rule: Rule, stage: Stage) -> None:
    assert reported(case(rule, "good"), stage) == []


@pytest.mark.parametrize(("rule", "stage"), EVERY_STAGE_OF_A_RULE)
def test_without_the_rule_its_bad_fixture_passes_for_it(
    rule: Rule, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gates.run.rules", lambda: tuple(other for other in rules() if other.code != rule.code))
    assert rule.code not in {finding["code"] for finding in reported(case(rule, "bad"), stage)}


@pytest.mark.parametrize(("rule", "stage"), EVERY_STAGE_OF_A_RULE)
def test_every_finding_says_where_and_what_to_do(rule: Rule, stage: Stage) -> None:
    for finding in expected(case(rule, "bad"), rule.stages)[stage]:
        assert finding["where"]["file"]
        assert finding["fix"]
        assert "\n" not in finding["message"]
        # Only a card that is not written yet has no line.
        assert finding["where"]["line"] or stage == "draft"


@pytest.mark.parametrize("stage", STAGES)
def test_every_rule_of_a_stage_is_called_by_it(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    called: set[str] = set()
    found = Rule.findings

    def noted(rule: Rule, subject: object):  # type: ignore[no-untyped-def]
        called.add(rule.code)
        return found(rule, subject)

    monkeypatch.setattr(Rule, "findings", noted)
    folder = CASES / ("crossing-anchors" if stage in ("adopt", "draft") else "ungrounded-quote") / "good"
    # The rules that compare with history run only where there is one.
    reported(in_history(folder, folder) if stage == "audit" else folder, stage)
    assert called == {code for code, (_, _, stages) in TABLE.items() if stage in stages}
    assert called == {rule.code for rule in of_stage(stage)}


def test_every_fixture_belongs_to_a_rule() -> None:
    assert {folder.name for folder in CASES.iterdir() if folder.is_dir()} == {rule.name for rule in rules()}
