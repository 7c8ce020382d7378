"""The cards of the two demo specs, line by line: what DRAFTING.md sections 3 and 4 say they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from scenes import OTHERS, TEAMS, Scene, lines, waits

from schemas.card import Card


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    scene = Scene.demo(tmp_path_factory.mktemp("demo"))
    for name in ("link-shortener", "reminder-ko"):
        assert scene.compile(name).exit_code == 0
    return scene


def of(scene: Scene, spec: str, kind: str) -> list[Card]:
    return [card for card in scene.of_kind(kind) if card.spec == spec]


SHORTENER = {
    "Creating a link": [
        '`POST /links` with a JSON body `{"url": "<target>"}` creates a short link.',
        "The service answers `201 Created` with the short code, the full short link and the expiry time.",
        "A short code is exactly six characters from `0-9`, `A-Z` and `a-z`.",
        "No two live links share a short code.",
        (
            "Creating a link for a target that the same owner already shortened returns the existing link instead of a new one, "
            "with `200 OK`."
        ),
        (
            "A target longer than 2,048 characters, or with a scheme other than `http` or `https`, is refused with `422` and a "
            "message that names the field."
        ),
        "An owner creates at most 100 links an hour; beyond that the service answers `429` with a `Retry-After` header.",
    ],
    "Opening a link": [
        "`GET /{code}` answers `302 Found` with the target in `Location`.",
        "An unknown code answers `404`.",
        (
            "The redirect must be served within 50 ms at the 99th percentile, and must keep working when the statistics pipeline "
            "is down."
        ),
    ],
    "Expiry: A link lives for 30 days from its creation": [
        "A link lives for 30 days from its creation.",
        "On day 29 it still redirects; from exactly 30 days on, `GET /{code}` answers `410 Gone`.",
        "An expired code is not given to another target for one year.",
    ],
    "Expiry: Owners can renew a link before it expires, which starts a new period of 30 days": [
        "Owners can renew a link before it expires, which starts a new period of 30 days.",
    ],
    "Statistics: Every redirect emits one link.opened event to the Data team's event stream": [
        "Every redirect emits one `link.opened` event to the Data team's event stream.",
        "The event carries the short code, the time in UTC and the country, and never the visitor's IP address.",
    ],
    "Statistics: The owner page shows both figures for the last 30 days": [
        "Opens per day — Shown to: owner; Fresh within: 15 minutes",
        "Opens by country — Shown to: owner; Fresh within: 24 hours",
        "The owner page shows both figures for the last 30 days.",
    ],
}
REMINDERS = {
    "알림 발송": [
        "발송 창: 알림을 보내도 되는 시간대. 오전 8시부터 오후 9시까지.",
        "예약 전날 오후 6시에 첫 알림을, 당일 오전 8시에 두 번째 알림을 보낸다.",
        "예약이 오전 9시 이전이면 두 번째 알림은 보내지 않는다.",
        "알림은 발송 창 밖에서 절대 나가지 않는다. 발송 창 밖으로 밀린 알림은 다음 창이 열릴 때 보낸다.",
        "같은 예약의 같은 알림은 두 번 보내지 않는다. 재시도 중에도 마찬가지다.",
        "카카오 알림톡이 실패하면 60초 안에 문자로 대신 보낸다.",
        "환자가 수신을 거부하면 그 뒤의 모든 알림을 중단하고, 거부 시각을 기록한다.",
    ],
    "취소와 변경": [
        "예약이 취소되면 아직 나가지 않은 알림을 모두 지운다.",
        "시각이 바뀌면 기존 알림을 지우고 새 시각 기준으로 다시 만든다.",
    ],
    "외부 연동": [
        "우리는 그 시스템의 변경 이벤트만 받고, 예약을 직접 고치지 않는다.",
        "`reservation.created` — 우리가 하는 일: 알림 두 건을 만든다; 허용 지연: 1분",
        "`reservation.moved` — 우리가 하는 일: 알림을 다시 만든다; 허용 지연: 1분",
        "`reservation.canceled` — 우리가 하는 일: 남은 알림을 지운다; 허용 지연: 10초",
    ],
    "개인정보": [
        "알림 본문에는 진료 과목과 병명을 넣지 않는다.",
        "전화번호는 저장할 때 암호화하며, 발송 기록은 90일 뒤에 지운다.",
    ],
    "법무 검토가 끝나야 보호자 번호 수집 화면을 만들 수 있다": [
        "법무 검토가 끝나야 보호자 번호 수집 화면을 만들 수 있다.",
    ],
}


@pytest.mark.parametrize(
    ("spec", "wanted", "total"), [("link-shortener", SHORTENER, 19), ("reminder-ko", REMINDERS, 16)]
)
def test_stories_and_their_lines(compiled: Scene, spec: str, wanted: dict[str, list[str]], total: int) -> None:
    stories = of(compiled, spec, "story")
    assert {card.title: lines(card) for card in stories} == wanted
    assert sum(len(card.acceptance) for card in stories) == total
    assert [line.id for card in stories for line in card.acceptance] == [
        f"A{number}" for card in stories for number in range(1, len(card.acceptance) + 1)
    ]


def test_what_each_story_of_the_shortener_waits_for_and_why(compiled: Scene) -> None:
    gate, request = compiled.titled("paid plan").id, compiled.titled("at-least-once").id
    expiry, renewal = compiled.titled("Expiry: A link lives"), compiled.titled("Owners can renew")
    cache = compiled.titled("Redirects use 302").id
    assert waits(renewal) == {
        gate: ["cannot ship before that"],
        expiry.id: ["which starts a new period of 30 days"],
    }
    assert waits(compiled.titled("Every redirect emits")) == {request: ["we need from them"]}
    assert waits(expiry) == {cache: ["browsers cache `301` and expiry would stop working"]}
    for title in ("Creating a link", "Opening a link", "The owner page shows"):
        assert waits(compiled.titled(title)) == {}
    edge = renewal.depends_on[[entry.card for entry in renewal.depends_on].index(gate)]
    assert edge.scope == "all" and edge.seen is not None


def test_what_each_story_of_the_reminders_waits_for_and_why(compiled: Scene) -> None:
    guardian, outside = compiled.titled("법무 검토"), compiled.titled("외부 연동")
    assert waits(guardian) == {compiled.titled("보호자에게도").id: ["법무 검토가 끝나야"]}
    assert waits(outside) == {compiled.titled("원무팀에는").id: ["변경 후 5초 안에 이벤트를 전달해 달라고"]}
    related = {compiled.titled("알림 발송").id, compiled.titled("취소와 변경").id}
    assert set(outside.related) == related
    for title in ("알림 발송", "취소와 변경", "개인정보"):
        assert waits(compiled.titled(title)) == {}


def test_one_question_and_one_request_a_spec_and_whom_they_block(compiled: Scene) -> None:
    graph = compiled.snapshot.graph
    for spec, question, blocked in (
        ("link-shortener", "Whether a paid plan gets longer periods is not decided yet", "Owners can renew"),
        ("reminder-ko", "보호자에게도 알림을 보낼지는 아직 정하지 않았다", "법무 검토"),
    ):
        (gate,) = of(compiled, spec, "gate")
        assert gate.title == question and gate.gate is not None and gate.gate.waits_for == "answer"
        assert graph.dependents(gate.id) == (compiled.titled(blocked).id,)
    for spec, asked, team, blocked in (
        (
            "link-shortener",
            "Data team: an at-least-once endpoint that accepts 2,000 events a second",
            "data",
            "link.opened",
        ),
        ("reminder-ko", "원무팀에는 변경 후 5초 안에 이벤트를 전달해 달라고 요청한다", "front-desk", "외부 연동"),
    ):
        (request,) = of(compiled, spec, "request")
        assert request.title == asked and request.request is not None and request.request.team == team
        assert graph.dependents(request.id) == (compiled.titled(blocked).id,)


def test_the_lines_of_questions_and_requests(compiled: Scene) -> None:
    assert lines(compiled.titled("paid plan")) == ["the pricing committee answers by the end of the quarter"]
    assert lines(compiled.titled("at-least-once")) == [
        (
            "The Data team owns the stream and its schema; we need from them an at-least-once endpoint that accepts 2,000 events "
            "a second."
        )
    ]
    assert lines(compiled.titled("원무팀에는")) == [
        "예약 데이터는 원무팀의 예약 시스템이 주인이다.",
        "원무팀에는 변경 후 5초 안에 이벤트를 전달해 달라고 요청한다.",
    ]
    assert lines(compiled.titled("보호자에게도")) == []


def test_decisions_in_force_and_replaced(compiled: Scene) -> None:
    for spec, in_force, replaced, by in (
        (
            "link-shortener",
            {"Codes are random, not sequential", "Links are stored in PostgreSQL", "Redirects use 302 rather than 301"},
            "the earlier decision to keep them in Redis",
            "Links are stored in PostgreSQL",
        ),
        (
            "reminder-ko",
            {"알림톡을 기본 채널로 쓴다", "발송 큐는 PostgreSQL 테이블로 구현한다"},
            "문자를 기본으로 쓰기로 했던 3월 결정",
            "알림톡을 기본 채널로 쓴다",
        ),
    ):
        decisions = of(compiled, spec, "decision")
        parts = {card.title: card.decision for card in decisions}
        assert {title for title, part in parts.items() if part and part.superseded_by is None} == in_force
        new = compiled.titled(by)
        old = compiled.titled(replaced)
        assert old.decision is not None and old.decision.superseded_by == new.id
        assert new.decision is not None and new.decision.supersedes == (old.id,)
    assert lines(compiled.titled("발송 큐는")) == ["하루 2만 건 규모에는 별도 메시지 브로커가 필요 없기 때문이다."]


def test_the_epic_holds_goal_exclusions_and_leans_on_decisions_that_no_card_names(compiled: Scene) -> None:
    for spec, title, goal, leans in (
        (
            "link-shortener",
            "Link shortener",
            (
                "The service turns a long link into a short one that is easy to read aloud, and sends whoever opens it to the "
                "original page."
            ),
            ("Codes are random", "Links are stored"),
        ),
        (
            "reminder-ko",
            "예약 알림 서비스",
            "전날과 당일 아침에 알림을 보내 노쇼를 6% 아래로 낮추는 것이 이번 분기의 목표다.",
            ("알림톡을 기본", "발송 큐는"),
        ),
    ):
        (epic,) = of(compiled, spec, "epic")
        assert (epic.title, lines(epic)) == (title, [goal])
        assert waits(epic) == {compiled.titled(words).id: ["D13"] for words in leans}
        children = {card.id for card in compiled.snapshot.cards if card.spec == spec and card.id != epic.id}
        assert all(compiled.cards[one].parent == epic.id for one in children)
        store = compiled.snapshot.anchor_stores[spec]
        kinds = {anchor.kind for anchor in store.anchors if anchor.id in epic.anchors}
        assert "exclusion" in kinds
        glossary = [anchor.exact for anchor in store.anchors if anchor.home == "glossary"]
        assert glossary == (
            ["short code", "target", "owner"] if spec == "link-shortener" else ["예약", "알림", "발송 창"]
        )


def test_frontier_is_exactly_the_ready_stories(compiled: Scene) -> None:
    assert compiled.ready() == {
        "Creating a link",
        "Opening a link",
        "Expiry: A link lives for 30 days from its creation",
        "Statistics: The owner page shows both figures for the last 30 days",
        "알림 발송",
        "취소와 변경",
        "개인정보",
    }


def test_ids_are_the_tails_of_leading_claims(compiled: Scene) -> None:
    stores = compiled.snapshot.anchor_stores.values()
    exact = {anchor.id.removeprefix("ANC-"): anchor.exact for store in stores for anchor in store.anchors}
    for title, lead in (
        ("Creating a link", "`POST /links`"),
        ("Opening a link", "`GET /{code}` answers `302"),
        ("Statistics: The owner page", "The owner page shows"),
        ("at-least-once", "we need from them"),
        ("알림 발송", "예약 전날"),
        ("외부 연동", "우리는 그 시스템"),
        ("개인정보", "알림 본문"),
        ("원무팀에는", "원무팀에는"),
    ):
        card = compiled.titled(title)
        assert exact[card.id.partition("-")[2]].startswith(lead)


def test_no_mark_is_left_in_a_title_or_a_line_and_no_story_is_without_acceptance(compiled: Scene) -> None:
    for card in compiled.snapshot.cards:
        for text in (card.title, *lines(card)):
            assert "|" not in text and "\n" not in text and text.count("`") % 2 == 0 and text == text.strip()
        assert card.kind != "story" or card.acceptance
        assert len(card.title) <= 100


def test_the_audit_of_the_demo_has_no_error(compiled: Scene) -> None:
    assert compiled.audit_errors() == []


def test_the_demo_says_what_a_person_may_still_do(demo_instance: Scene) -> None:
    said = [one.text for one in demo_instance.preview("link-shortener").compiled.suggestions]
    assert any("Opening a link" in text and "302" in text for text in said)
    assert any("owner page" in text and "link.opened" in text for text in said)
    korean = [one.text for one in demo_instance.preview("reminder-ko").compiled.suggestions]
    assert any("title from a blocking sentence" in text for text in korean)


def test_without_the_other_team_in_config_its_sentence_is_a_line_of_one_story(tmp_path: Path) -> None:
    scene = Scene.demo(tmp_path, teams=[team for team in TEAMS if team[2] != OTHERS])
    scene.compile("link-shortener")
    assert scene.of_kind("request") == []
    stories = scene.of_kind("story")
    assert len(stories) == 5
    assert "at-least-once endpoint that accepts 2,000 events a second." in lines(scene.titled("Statistics"))[2]
    assert scene.titled("Statistics").title == "Statistics"
    assert scene.audit_errors() == []
