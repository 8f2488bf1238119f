"""Signs that a sentence tells nothing of the person are words and endings: in Korean no letters inside another word."""

from __future__ import annotations

import pytest

from desktop_app.core.self_told import Doubt, doubt_of, tells_of_self, why_nothing


@pytest.mark.parametrize(
    "said",
    [
        "우리 회사는 아마존 서울 리전을 써",
        "저는 아마추어 천문가예요",
        "아침마다 아마씨를 먹어요",
        "나는 신라면 좋아해",
        "진라면, 컵라면, 떡라면 다 좋아해",
        "저녁에는 주로 김치라면 먹어요",
        "내 이름은 상상이야",
        "우리 딸 이름은 가령이에요",
        "나는 아까 해운대에 다녀왔어",
        "여름에는 냉면 먹는 걸 낙으로 사는 것 같아",
        "내년에 화면 디자이너로 이직할 거야",
        "라면 말고 밥을 먹어야겠어",
        "저는 매일 헬스장에 가요",
        "퇴근하면 바로 집으로 돌아가요",
        "저는 아침 6시에 일어나요",
        "회의는 늘 다섯 시에 끝나요",
        "주말마다 부모님을 만나요",
        "그 카페 커피가 제일 좋더라",
        "저는 현대요트에서 일해요",
        "제 나이는 삼십대요",
        "우리 아이는 잘 자랍니다",
        "답은 짧게 해 주시기 바랍니다",
        "제 취미는 노래요",
        "저는 매운 걸로 먹을래요",
        "우리 사무실은 코타라고 말레이시아에 있어",
    ],
)
def test_letters_inside_a_word_are_no_sign(said: str) -> None:
    assert doubt_of(said) is None


@pytest.mark.parametrize(
    ("said", "doubt"),
    [
        ("아마 서울로 이사할 거야", Doubt.SUPPOSED),
        ("아마도 채식을 하게 되지 싶어", Doubt.SUPPOSED),
        ("아마요", Doubt.SUPPOSED),
        ("내가 의사라면, 그 약을 썼다", Doubt.SUPPOSED),
        ("내가 학생이라면 그 책을 샀다", Doubt.SUPPOSED),
        ("비가 온다면 집에 있어", Doubt.SUPPOSED),
        ("만약 내가 부산에 산다고 치자", Doubt.SUPPOSED),
        ("만일 휴가를 간다고 하자", Doubt.SUPPOSED),
        ("혹시 내가 비건이어도", Doubt.SUPPOSED),
        ("가령 내 직업이 요리사라고 하자", Doubt.SUPPOSED),
        ("내가 화성에 산다고 상상해 봐", Doubt.SUPPOSED),
        ("내 나이가 마흔이라고 가정하자", Doubt.SUPPOSED),
        ("이직할까 생각 중이야", Doubt.SUPPOSED),
        ("고양이를 키울까 봐", Doubt.SUPPOSED),
        ("돈을 벌면 차를 사겠지", Doubt.SUPPOSED),
        ("합격하면 이사할 거예요", Doubt.SUPPOSED),
        ("시간이 있으면 갔을 텐데", Doubt.SUPPOSED),
        ("가게 될지도 몰라", Doubt.SUPPOSED),
        ("언제 갈까요", Doubt.ASKED),
        ("내 생일 기억하고 있나요", Doubt.ASKED),
        ("이게 맞는가요", Doubt.ASKED),
        ("제 이름이 특이한가요", Doubt.ASKED),
        ("내 상사 이름이 뭐더라", Doubt.ASKED),
        ("내가 어디에 적어 뒀더라", Doubt.ASKED),
        ("친구가 제주에 산대요", Doubt.REPORTED),
        ("동생이 커피가 싫대요", Doubt.REPORTED),
        ("그 사람은 의사래요", Doubt.REPORTED),
        ("언니는 화가랍니다", Doubt.REPORTED),
        ("팀장이 내일 온다고 말했어", Doubt.REPORTED),
        ("옆집은 이사 간다던데요", Doubt.REPORTED),
    ],
)
def test_a_sign_is_known_by_its_word_or_ending(said: str, doubt: Doubt) -> None:
    assert doubt_of(said) is doubt


@pytest.mark.parametrize(
    "order",
    [
        "회의록 정리해줘",
        "오늘 회의록 정리해줘",
        "하늘 사진을 골라 줘",
        "그늘막 제품을 찾아 줘",
        "늘어난 비용을 계산해 줘",
        "구매번호 목록 정리해줘",
        "눈앞으로 다가온 일정을 적어 줘",
        "시장항상황판을 그려 주세요",
        "기억상실을 다룬 영화를 추천해 줘",
    ],
)
def test_a_mere_order_tells_nothing(order: str) -> None:
    assert not tells_of_self(order)
    assert why_nothing(order) == "task"


@pytest.mark.parametrize(
    "wish",
    [
        "늘 짧게 답해줘",
        "답은 늘 짧게 해줘",
        "항상 존댓말로 해 주세요",
        "앞으로는 표로 정리해줘",
        "매번 출처를 적어 줘",
        "내 생일이 5월 2일인 걸 기억해 줘",
        "이 규칙을 기억에 담아 줘",
        "이제부터 반말로 해줘",
    ],
)
def test_a_wish_that_lasts_tells_of_the_person(wish: str) -> None:
    assert tells_of_self(wish)
    assert why_nothing(wish) is None
