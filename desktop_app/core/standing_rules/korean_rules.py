"""The Korean words by which a person sets a rule that lasts, or lifts one."""

from __future__ import annotations

from desktop_app.core.lazy_pattern import lazy_pattern

STEMS = (
    *(
        "앞으로",
        "이제",
        "지금부터",
        "다음부터",
        "오늘부터",
        "향후",
        "이후로",
        "내내",
        "동안",
        "끝날 때",
        "항상",
        "언제나",
        "늘 ",
    ),
    *(
        "무조건",
        "매번",
        "마다",
        "절대",
        "결코",
        "모든 ",
        "답변",
        "대답",
        "응답",
        "답은",
        "답할",
        "한국어",
        "한글",
        "우리말",
        "영어",
        "어로",
    ),
    *(
        "존댓말",
        "반말",
        "높임말",
        "경어",
        "평어",
        "해요체",
        "니다체",
        "시오체",
        "지 마",
        "지마",
        "지 말",
        "지말",
        "지는 마",
        "지는 말",
    ),
    *(
        "지도 마",
        "지도 말",
        "지를 마",
        "지 않",
        "지않",
        "말 것",
        "금지",
        "면 안",
        "면안",
        "불러",
        "규칙",
        "제한",
        "더 이상",
        "더이상",
    ),
    *("도 돼", "도 됩", "도 괜찮", "도 좋"),
)
"""In every such sentence stands one of these."""

_TAIL = r"[\s.!~^ㅎㅋㅠㅜ)\]\"'”’」』:：?？]*$"
_WANTS = lazy_pattern(
    r"(?:세요|셔요|십시오|시오|줘|줘요|주라|주길|주기|주기를|다오|바라요|바랍니다|바람|부탁해|부탁해요|부탁드려요|"
    r"부탁드립니다|부탁합니다|부탁"
    r"|것|기|마|마요|마라|말라|해라|하라|써라|하자|합시다|해|해요|써|써요|말해|지켜|되고|해야 돼|해야 돼요|"
    r"해야 해요|해야 됩니다"
    r"|해야 합니다|해야 한다|면 좋겠어|면 좋겠어요|면 좋겠습니다|면 돼|면 돼요|면 됩니다|금지|금지입니다|금지예요|"
    r"줄래|주실래요|줄래요"
    r"|주시겠어요|주시겠습니까|줄 수 있어|줄 수 있어요|주실 수 있나요|주실 수 있을까요|(?:답|말|영어|한국어|존댓말|"
    r"반말|짧게)(?:으로|로)(?:요)?)" + _TAIL
)
_GREETS = lazy_pattern(r"잘 부탁|감사|고맙|고마|수고|건강하|행복하|응원|궁금|즐거운|좋은 하루|축하")
_ONCE = lazy_pattern(r"이번(?:에는|엔|만|에만| 한 번)|지금은|일단|당장|오늘은|오늘만|잠깐|잠시|우선은|아직")
_LATER = lazy_pattern(
    r"(?:^|[.,!~:]\s*|(?:그리고|그럼|그러면|그러니까|그러니|네|아|자|참|또|또한|혹시|이제|좋아요|좋아|아니|그래서|"
    r"그렇다면|제발|꼭)\s+)"
    r"앞으로(?:는|도|의|는요)?,?\s(?!(?:한|두|세|네|몇|\d+)\s?(?:칸|줄|걸음|보|단계|자리|페이지|쪽))"
    r"|(?:이제부터|지금부터|다음부터)(?:는|은)?,?\s|오늘부터는\s|(?:^|\s)(?:향후|이후로)(?:는|에는)?,?\s"
    r"|(?:대화|채팅|세션|프로젝트)(?:가 끝날 때까지| ?내내| ?동안)"
)
_EVER = lazy_pattern(
    r"항상|언제나|(?<![가-힣])늘\s|무조건|매번|때마다|(?:답변|대답|응답|문장|파일|커밋|요청|질문|날짜|금액|숫자)마다"
)
_IN_EVERY = lazy_pattern(
    r"모든 (?:답변|대답|응답|답|설명|문장|코드|예제|예시|글|메일|문서|보고서|파일|금액|날짜|숫자|이름|요약|결과|"
    r"번역|커밋)"
    r"(?:은|는|을|를|에|에서|에는|에다|의|도)?\s"
    r"|(?:^|[.,]\s*)(?:앞으로의 )?(?:답변|대답|응답|답)(?:은|할 때(?:는|에는|엔)?|하실 때(?:는|에는)?|"
    r"을 할 때(?:는|에는)?|에는|에서는)\s"
)
_NOT_EVER = lazy_pattern(r"절대로?|결코")
_FORBIDS = lazy_pattern(
    r"지\s?(?:는|도|를|좀|들)?\s?(?:마(?:세요|십시오|시오|요|라|시고|시길|시기)?|말(?:아|아요|라|아라|아 ?(?:줘|"
    r"줘요|주세요|주십시오|주시|줄래)|것| 것|기|자|아야)"
    r"[^\s]*)"
    + _TAIL
    + r"|지\s?않(?:도록|게)\s?(?:해|주의|부탁|조심|하)[^.]*|말 것"
    + _TAIL
    + r"|(?<!주차 )(?<!출입 )(?<!흡연 )금지(?:입니다|예요|이에요|야|해 ?주세요|할게요)?"
    + _TAIL
)
_SOOTHES = lazy_pattern(
    r"(?:걱정|염려|오해|미안해|실망|포기|무리|부담|긴장|놀라|서두르|기다리|울|화내|상처받|슬퍼|겁내|두려워|주저|"
    r"망설이|잊|잊어버리|그만두|신경 ?쓰)"
    r"(?:하|갖|가지)?지\s?(?:는|도|를|좀)?\s?(?:마|말)|고민하지 ?마"
)
_MAY_NOT = lazy_pattern(
    r"(?:건드리|바꾸|수정하|고치|지우|삭제하|쓰|사용하|공유하|말하|알리|보내|올리|넣|빼|옮기|변경하|덮어쓰|노출하|"
    r"공개하|출력하|언급하)면\s?안\s?(?:돼|되고|됩니다|된다|되는|돼요)"
)
_SPEAK = lazy_pattern(
    r"(?:한국어|한글|우리말|영어|일본어|중국어|독일어|프랑스어|스페인어|존댓말|반말|높임말|경어|평어|해요체|"
    r"합니다체|하십시오체)"
    r"(?:로|으로)?만?(?:요)?\s?(?:[가-힣]+\s){0,2}(?:답|대답|답변|응답|말|얘기|이야기|대화|회신|써 ?주|사용해|쓰)"
)
_OF_A_TEXT = lazy_pattern(
    r"(?:이|그|저|위|아래|다음|첨부)\s?(?:글|문장|메일|편지|질문|내용|문서|부분|단어|걸|것|거|파일|기사)|번역|이거|"
    r"이걸|그걸|뭐라고|어떻게"
)
_NAMED = lazy_pattern(r"(?:라고|이라고|으로|로)\s?(?:만\s)?불러")
_LIFTS = lazy_pattern(
    r"(?:규칙|제한|금지)[은는을를도]?\s?(?:이제\s)?(?:취소|잊어|무시|해제|없던|풀어|풀게|그만)|(?:이제|다시|앞으로|"
    r"지금부터)[는은]?\s.*도\s?(?:돼|됩니다|된다|괜찮|좋)"
    r"|더\s?이상\s.*(?:않아도|안\s?해도|필요\s?없)"
)


def lasts(words: str) -> bool:
    """Whether a sentence in small letters, on one line, sets a rule for what is to come, or lifts one."""
    if _LIFTS.search(words):
        return True
    if _GREETS.search(words) and not _FORBIDS.search(words):
        return False
    wants = bool(_WANTS.search(words)) or bool(_FORBIDS.search(words)) or bool(_MAY_NOT.search(words))
    if wants and (_LATER.search(words) or _EVER.search(words) or _NOT_EVER.search(words)):
        return not _SOOTHES.search(words)
    if _ONCE.search(words):
        return False
    if _FORBIDS.search(words) or _MAY_NOT.search(words):
        return not _SOOTHES.search(words)
    if not wants:
        return False
    return bool(
        _IN_EVERY.search(words) or _NAMED.search(words) or (_SPEAK.search(words) and not _OF_A_TEXT.search(words))
    )
