"""Korean: endings that oblige, plain endings, action nouns, headings."""

from __future__ import annotations

from text.lexicon.base import Lexicon, heading, pattern, phrases, trie, words

# Hangul syllables by their final consonant: code point = 0xAC00 + 28 * (initial and vowel) + final.
_WITH_N = "".join(chr(code) for code in range(0xAC00, 0xD7A4) if (code - 0xAC00) % 28 == 4)
_WITH_B = "".join(chr(code) for code in range(0xAC00, 0xD7A4) if (code - 0xAC00) % 28 == 17 and chr(code) not in "입습")
_WITH_SS = "".join(
    chr(code) for code in range(0xAC00, 0xD7A4) if (code - 0xAC00) % 28 == 20 and chr(code) not in "있겠"
)
# A sentence, a clause in brackets or a table cell ends here.
_STOP = r"(?=[\s.,;:!|)\]\"'`*~]|\Z)"
# Verb stem + ㄴ다 / 는다, and its polite form; 이다, 있다 and the past have other finals.
_PLAIN = rf"(?:[{_WITH_N}]다|[{_WITH_B}]니다|않습니다){_STOP}"

# Nouns that become verbs with 하다 and by which lists and tables state what is done.
_ACTIONS = words("""
    제공, 지원, 표시, 저장, 실행, 삭제, 생성, 갱신, 포함, 제거, 사용, 처리, 전송, 발송, 확인, 검증, 허용, 차단,
    제한, 유지, 동작, 가능, 불가, 필수, 금지, 필요, 적용, 관리, 등록, 조회, 수정, 변경, 취소, 중단, 종료, 시작,
    설정, 선택, 입력, 출력, 변환, 추출, 보존, 복원, 복구, 백업, 기록, 암호화, 인증, 연동, 호출, 반환, 응답,
    재시도, 감지, 알림, 검색, 정렬, 필터링, 업로드, 다운로드, 설치, 배포, 보장, 준수, 호환, 노출, 공개, 비공개,
    분리, 통합, 구현, 추가, 이동, 복사, 연결, 해제, 활성화, 비활성화, 초기화, 최적화, 재생성, 병합, 분류, 수집,
    집계, 수행, 재개, 전환, 거부, 거절, 승인, 요청, 구성, 보호, 방지, 제외, 무시, 대기, 예약, 추적, 스캔, 로드,
    렌더링, 캐시, 마스킹, 이하, 이상, 미만, 이내, 초과
""")
_USERS = "사용자|이용자|고객|관리자|방문자|회원|운영자|담당자"

_EXCLUSIONS = words("""
    비목표, 비 목표, 범위 밖, 범위 외, 제외 범위, 제외 사항, 제외, 하지 않는 것, 다루지 않는 것, 대상 외,
    향후 과제
""")
_QUESTIONS = words("""
    미정, 미결, 미결정, 미결 사항, 미정 사항, 미결정 사항, 열린 질문, 결정 필요, 논의 필요, 논의 사항,
    확인 필요, 질문, 미해결
""")
_DECISIONS = words("""
    결정, 결정 사항, 결정사항, 설계 결정, 의사 결정, 의사결정, 결정 기록
""")
_TERMS = words("""
    용어, 용어집, 용어 정의, 용어의 정의, 약어, 정의 및 약어
""")
_FLOWS = words("""
    시나리오, 사용 흐름, 사용자 흐름, 사용자 플로우, 플로우, 흐름, 사용자 여정, 유스케이스, 사용 사례
""")
_BACKGROUND = words("""
    배경, 동기, 목적, 문제 정의, 문제, 변경 이력, 이력, 참고, 참고 자료, 참고 문서, 참조, 부록, 예시, 예제,
    사용자 스토리, 페르소나, 독자, 대상 독자, 이해관계자, 성공 지표, 지표, 일정, 마일스톤, 로드맵, 대안,
    검토한 대안, 위험, 리스크, 목차, 문서 정보, 근거, 이유, 시장, 비전, 기회 분석, 추적 매트릭스
""")
_REQUIREMENTS = words("""
    요구사항, 요구 사항, 요건, 기능, 비기능, 제약, 제약사항, 규칙, 명세, 사양, 인수 조건, 인수 기준, 승인 기준,
    완료 조건, 완료 기준, 동작, 정책, 명령어, 인터페이스, 연동, 예외 처리, 오류 처리, 에러 처리, 성능, 보안,
    개인정보, 품질, 한도
""")

KO = Lexicon(
    code="ko",
    name="Korean",
    binding=pattern(
        r"[가-힣]야(?:만)?\s*(?:한다|합니다|함|하며|하고|하는|된다|됩니다|하지)|(?:지|진|지는)\s*(?:않는다|않습니다|않아야|않으며|않고|못한다|못하며|말아야|아니한다)|"
        r"않도록|(?:서는|면|도)\s*안\s*(?:된다|됩니다|되며)|(?:수|수가|수는)\s*없(?:다|습니다|으며|고|어야)|요청한다|"
        + trie(
            words("""
                반드시, 절대, 필수, 금지, 불가, 의무, 필요하다, 필요로 한다, 필요합니다, 최대, 최소, 항상
            """)
        )
    ),
    possible=pattern(
        r"수(?:도|가|는)?\s*있(?:다|습니다|어야|으며|고|게|도록)|가능(?:하다|합니다|해야|하며)|허용(?:한다|합니다|된다)"
    ),
    shapes=(
        ("…하면 …해야 한다", pattern(r"(?:면|때|경우|경우에는|시)[\s,][^.]{1,300}[가-힣]야\s*(?:한다|합니다)")),
        (
            "시스템은 …해야 한다",
            pattern(
                r"\A[\s*_`]{0,6}(?:시스템|서비스|앱|프로그램|서버|클라이언트)(?:은|는|이|가)\s[^.]{1,300}[가-힣]야\s*(?:한다|합니다)"
            ),
        ),
    ),
    behaviour=pattern(_PLAIN),
    plain_ending=pattern(_PLAIN),
    noun_ending=pattern(rf"{trie(_ACTIONS)}(?:함|됨|할 것|하기)?(?=\s*(?:[.|)(:]|\Z))"),
    imperative=None,
    bound=pattern(
        r"\d\s?(?:초|분|시간|일|주|개월|년|건|개|회|명|자|번|글자|바이트|퍼센트|%|ms|[KMGT]B|px|배)|\d\s?시(?:부터|까지|\s)|부터\s[^.]{0,60}까지|이내|이하|이상|미만|초과|"
        r"[<>≤≥]=?\s?\d|\d\+|마찬가지(?:다|이다|로)"
    ),
    user_action=pattern(
        rf"\A[\s*_`]{{0,6}}(?:{_USERS})(?:가|이|은|는|께서)\s(?![^.]{{0,300}}(?:면|때|경우)[\s,])[^.]{{0,300}}[{_WITH_N}]다{_STOP}|"
        rf"(?:누른다|클릭한다|탭한다|입력한다|드래그한다|터치한다|선택한다){_STOP}"
    ),
    no_claim=pattern(
        r"\A[\s*_`\"'(\[>]{0,8}"
        + trie(
            words("""
                예를 들, 예:, 예), 예시, 왜냐하면, 참고:, 참고로, 이 문서, 본 문서, 이 절, 이 장, 다음과 같,
                아래와 같
            """)
        )
        + r"|때문(?:이다|입니다)|것이다\s*\.?\s*\Z|하고\s?싶다|(?:싶은|원하는)\s|"
        + rf"(?:{_USERS})(?:으)?로서,"
    ),
    hedge=pattern(rf"[{_WITH_SS}](?:다|습니다){_STOP}|것\s?같다|수도\s있다"),
    undecided=pattern(
        r"정하지\s*(?:않았|못했)|정해지지\s*않|결정(?:되지|하지)\s*(?:않|못)|확정(?:되지|하지)\s*(?:않|못)|미정(?:이다|입니다|\s*[.|)]|\s*\Z)|미확정|"
        r"(?:검토|논의|협의|결정)(?:한다|합니다|할 예정|\s*중(?:이다|입니다)?|이 필요|가 필요)"
        + _STOP
        + r"|추후\s*(?:결정|논의|확정|검토)|보류(?:한다|중)"
    ),
    excluded=pattern(
        r"범위(?:에|에서|에는|에서는)\s*(?:넣지|포함(?:하지|되지)|들어가지|제외)|범위\s*(?:밖|외)(?:이다|에|로|\s|\.)|이번\s*(?:릴리스|버전|범위|단계|출시)[^.]{0,30}(?:제외|않는|빠진)|"
        r"대상이\s*아니|목표가\s*아니|다루지\s*않|지원\s*계획이?\s*없"
    ),
    chosen=pattern(
        r"기로\s*(?:한다|했다|하였다|결정)|채택(?:한다|했다|하였다)|결정(?:했다|하였다|을\s*(?:대체|바꾼|따른))|선정(?:한다|했다)|대신\s+\S{1,20}(?:을|를)\s+(?:쓴다|사용한다|채택)"
    ),
    names_term=pattern(r"\A\s*(?:\*\*|__)(?P<term>[^*_\n:]{1,40}?)(?:(?:\*\*|__)\s*[:：]|[:：]\s*(?:\*\*|__))\s"),
    means=pattern(
        r"\A\s*[\"“'`*_]{0,3}(?P<term>[^\s\"”'`*_]{1,30}?(?:\s[^\s\"”'`*_]{1,30}?){0,2}?)[\"”'`*_]{0,3}"
        r"(?:이란|란|(?:이)?라\s*함은)[\s,](?=[^.]{1,200}(?:이다|말한다|뜻한다|의미한다|가리킨다|말함|것))"
    ),
    blocked=pattern(
        r"(?:끝나야|정해져야|결정되어야|결정돼야|확정되어야|확정돼야|승인되어야|나와야|(?:정해지|결정되|확정되|끝나|나오)기\s*전(?:까지|에는))"
    ),
    replaces=pattern(r"(?:결정|방식|안)(?:을|를)\s*(?:대체|대신|바꾼|폐기)(?:한다|했다|합니다)?"),
    after=pattern(r"그\s*(?:뒤|후|다음)에만|이후에만|그래야(?:만)?|그\s*결과를?\s*(?:바탕|기반)|완료되어야"),
    headings={
        "exclusions": heading(_EXCLUSIONS, spaced=False),
        "questions": heading(_QUESTIONS, spaced=False),
        "decisions": heading(_DECISIONS, spaced=False),
        "terms": heading(_TERMS, exact=["정의"], spaced=False),
        "scenario": heading(_FLOWS, spaced=False),
        "goals": heading(["목표", "핵심 가치", "가치 제안", "제공 가치"], spaced=False),
        "overview": heading(["개요", "요약", "소개"], exact=["개념"], spaced=False),
        "background": heading(_BACKGROUND, exact=["사용자", "대상", "상태"], spaced=False),
        "requirements": phrases(_REQUIREMENTS, bounded=False),
    },
)
