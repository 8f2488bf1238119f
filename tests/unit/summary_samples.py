"""Conversations with an extractive and an abstractive summary each, in English and Korean."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sample:
    """Turns of a conversation, a summary that takes sentences over, and one in words of its own."""

    turns: tuple[str, ...]
    extractive: str
    abstractive: str


BACKUPS = Sample(
    (
        "I want to set up nightly backups for the photo server at home. It holds about 1.8 TB and the disk "
        "is nearly full.",
        "A plain rsync to a second disk would be the simplest. How long should old versions be kept, and "
        "where is the second disk?",
        "Keep old versions for 35 days. The second disk is a USB drive mounted at /mnt/vault. Never write to "
        "/mnt/photos directly.",
        "Then I would use restic with a repository in /mnt/vault/restic. It removes duplicates, so 1.8 TB "
        "needs less room. "
        "I would run it at 02:30 every night with a systemd timer.",
        "Fine, but the machine sleeps at night. It wakes up at 6:00.",
        "In that case the timer should run at 06:15 and be persistent, so that a missed run is made up for "
        "after waking.",
        "I tried borg last year and it kept failing with lock errors on the USB drive, so please not borg.",
        "Understood, no borg. I wrote backup.service and backup.timer; the first run copied 1.2 TB in 3 hours.",
        "The second run failed: repository is already locked by PID 4127.",
        "That is a stale lock from the interrupted run. `restic unlock` removes it; I added it as ExecStartPre.",
        "Great, it works now. Next I would like an e-mail to anna@example.com when a run fails.",
        "I will add an OnFailure unit that sends the last twenty lines of the journal by msmtp.",
    ),
    "I want to set up nightly backups for the photo server at home. Keep old versions for 35 days. Never "
    "write to /mnt/photos directly. "
    "I wrote backup.service and backup.timer; the first run copied 1.2 TB in 3 hours.",
    "Goal: nightly backups of the home photo server, about 1.8 TB, to a USB drive mounted at /mnt/vault. "
    "Old versions are kept for 35 days and /mnt/photos is never written to directly. "
    "restic was chosen with its repository in /mnt/vault/restic, because borg kept failing with lock errors "
    "on the USB drive. "
    "The timer runs at 06:15 and is persistent, since the machine sleeps at night and wakes up at 6:00. "
    "A stale lock from an interrupted run was removed with restic unlock, now in ExecStartPre. "
    "Next step: an e-mail to anna@example.com when a run fails, sending the last lines of the journal by "
    "msmtp.",
)

TRIP = Sample(
    (
        "We are planning a week in Lisbon with two kids in early October. Any idea where to stay?",
        "With children I would look at Campo de Ourique: quiet, flat, close to the tram, and cheaper than Alfama.",
        "Our budget for the flat is 140 euros a night at most. Mira is allergic to nuts, so a kitchen is a must.",
        "I found three flats with a kitchen; the one in Rua Coelho da Rocha costs 128 euros and has two bedrooms.",
        "Let us take that one. Flights: we would rather not leave before 10 in the morning.",
        "There is a direct flight at 11:25 on 4 October for 312 euros for all four, hand luggage only.",
        "Book it mentally, I will pay tonight. What could we do on a rainy day?",
        "The Oceanarium is the best choice in rain; tickets are cheaper online, and the puppet museum is "
        "next to the flat.",
    ),
    "We are planning a week in Lisbon with two kids in early October. Mira is allergic to nuts, so a kitchen "
    "is a must. "
    "There is a direct flight at 11:25 on 4 October for 312 euros for all four, hand luggage only.",
    "The family plans a week in Lisbon with two kids in early October. The flat in Rua Coelho da Rocha with "
    "two bedrooms and a kitchen "
    "was taken for 128 euros, within the budget of 140 euros a night. Mira is allergic to nuts. They take "
    "the direct flight at 11:25 on "
    "4 October for 312 euros and do not want to leave before 10 in the morning. For a rainy day the "
    "Oceanarium or the puppet museum next "
    "to the flat were proposed.",
)

REPORT = Sample(
    (
        "3분기 매출 보고서를 다시 만들어야 합니다. 원본은 /srv/보고/3분기/매출.xlsx에 있고 마감은 11월 7일입니다.",
        "알겠습니다. 지역별로 나눌지, 제품별로 나눌지 먼저 정해 주시면 표를 새로 설계하겠습니다.",
        "지역별로 나눠 주세요. 부산 지점의 수치는 아직 확정되지 않았으니 따로 표시해 주세요.",
        "지역별 표를 만들고 부산 지점에는 잠정치라고 표시했습니다. 전체 매출은 12억 3천만 원입니다.",
        "환율은 1,320원으로 통일해 주세요. 지난번에는 날짜마다 환율이 달라서 합계가 맞지 않았습니다.",
        "환율을 1,320원으로 통일하니 합계가 원장과 일치합니다. 차트는 막대그래프로 바꾸었습니다.",
        "파이 차트는 임원들이 싫어하니 앞으로도 쓰지 마세요.",
        "네, 파이 차트는 쓰지 않겠습니다. 요약 페이지에는 막대그래프와 지역별 증감률만 넣었습니다.",
        "박지영 팀장님이 검토하고 나서 임원 회의에 올릴 예정입니다. 검토본을 PDF로도 만들어 주세요.",
        "검토본 PDF를 만들었습니다. 부산 지점 수치가 확정되면 표와 그래프를 한 번 더 갱신하면 됩니다.",
    ),
    "3분기 매출 보고서를 다시 만들어야 합니다. 환율은 1,320원으로 통일해 주세요. 지역별 표를 만들고 부산 "
    "지점에는 잠정치라고 표시했습니다. "
    "파이 차트는 임원들이 싫어하니 앞으로도 쓰지 마세요.",
    "목표는 3분기 매출 보고서를 다시 만드는 것이며 마감은 11월 7일이다. 원본은 /srv/보고/3분기/매출.xlsx에 "
    "있다. "
    "매출은 지역별로 나누기로 했고, 확정되지 않은 부산 지점 수치는 잠정치로 표시했다. 환율은 1,320원으로 "
    "통일했고 합계가 원장과 일치한다. "
    "임원들이 싫어하므로 파이 차트는 쓰지 않고 막대그래프를 쓴다. 검토본 PDF를 만들었고, 박지영 팀장이 "
    "검토한 뒤 임원 회의에 올릴 예정이다. "
    "부산 지점 수치가 확정되면 표와 그래프를 갱신해야 한다.",
)

GARDEN = Sample(
    (
        "베란다에서 방울토마토를 키우는데 잎이 노랗게 변하고 있어요. 물은 이틀에 한 번 줍니다.",
        "아래쪽 잎부터 노랗게 변한다면 질소가 부족하거나 물이 지나치게 많을 수 있습니다. 화분 크기는 어느 정도인가요?",
        "화분은 지름 30 cm이고 햇빛은 오전에만 들어와요. 비료는 두 달 전에 한 번 줬어요.",
        "비료가 떨어졌을 가능성이 큽니다. 액체 비료를 물 1 L에 2 ml씩 타서 일주일에 한 번 주세요.",
        "고양이가 화분을 자꾸 파헤치는데 해가 없는 방법이 있을까요?",
        "흙 위에 굵은 자갈을 깔면 고양이가 파헤치지 않습니다. 감귤 껍질도 고양이가 싫어하는 냄새입니다.",
        "자갈을 깔았더니 괜찮아졌어요. 이제 곁순을 따야 하는지 궁금합니다.",
        "방울토마토는 곁순을 일찍 따 주는 것이 좋습니다. 첫 꽃송이 아래의 곁순은 모두 따 주세요.",
    ),
    "아래쪽 잎부터 노랗게 변한다면 질소가 부족하거나 물이 지나치게 많을 수 있습니다. 흙 위에 굵은 자갈을 "
    "깔면 고양이가 파헤치지 않습니다. "
    "첫 꽃송이 아래의 곁순은 모두 따 주세요.",
    "베란다에서 키우는 방울토마토의 잎이 노랗게 변해서 원인을 찾았다. 비료가 떨어졌을 가능성이 커서 액체 "
    "비료를 물 1 L에 2 ml씩 타서 "
    "일주일에 한 번 주기로 했다. 고양이가 화분을 파헤치는 문제는 굵은 자갈을 깔아 해결했다. 첫 꽃송이 아래의 "
    "곁순은 일찍 따 주는 것이 좋다.",
)

ENGLISH = (BACKUPS, TRIP)
KOREAN = (REPORT, GARDEN)
