"""A project of 500 cards with one fault of every kind: all are found, at every stage of their rule, and nothing else."""

from __future__ import annotations

from functools import partial

import pytest
from scenes_500 import CARDS, Project, repository
from seeded_faults import FAULTS, Found

from gates.audited import Audited
from gates.registry import STAGES, Stage, rules
from gates.run import run
from store.past import past_of
from store.snapshot import Snapshot, load

STAGES_OF = {rule.code: rule.stages for rule in rules()}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return repository(tmp_path_factory.mktemp("project"))


@pytest.fixture(scope="module")
def clean(project: Project) -> dict[Stage, set[Found]]:
    return found_in(project)


@pytest.fixture(scope="module")
def seeded(project: Project, clean: object) -> tuple[dict[Stage, set[Found]], dict[str, list[Found]]]:
    """What every stage finds after every fault was made, and what it must find because of each."""
    expected = {code: make(project) for code, make in FAULTS.items()}
    return found_in(project), expected


def found_in(project: Project) -> dict[Stage, set[Found]]:
    """By stage, the code and subject of what its rules find in the whole project; each only once."""
    snapshot = load(project.instance, cache=False)
    return {stage: _found(stage, snapshot) for stage in STAGES}


def _found(stage: Stage, snapshot: Snapshot) -> set[Found]:
    if stage == "audit":
        findings = [*run(stage, snapshot, past=partial(past_of, snapshot)).findings]
    else:
        specs = Audited(snapshot).specs.values()
        subjects = [one if stage == "draft" else one.claims for one in specs]
        findings = [finding for subject in subjects for finding in run(stage, subject).findings]
    named = [(finding.code, finding.subject) for finding in findings]
    assert len(named) == len(set(named)), "a fault is told once"
    return set(named)


def test_there_is_a_fault_for_every_rule() -> None:
    assert sorted(FAULTS) == sorted(rule.code for rule in rules())


def test_the_project_has_500_cards_and_no_finding_at_any_stage(
    project: Project, clean: dict[Stage, set[Found]]
) -> None:
    assert len(project.cards) == CARDS == 500
    assert clean == {stage: set() for stage in STAGES}


@pytest.mark.parametrize("stage", STAGES)
def test_one_fault_of_every_kind_is_found_and_nothing_else(
    seeded: tuple[dict[Stage, set[Found]], dict[str, list[Found]]], stage: Stage
) -> None:
    found, expected = seeded
    assert found[stage] == {one for made in expected.values() for one in made if stage in STAGES_OF[one[0]]}
