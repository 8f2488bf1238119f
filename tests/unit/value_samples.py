"""Sentences in English and Korean with every exact value that stands in them."""

from __future__ import annotations

NEEDLES = r"""/srv/프로젝트/예산 2025/최종.xlsx
C:\Users\test\Desktop\plan-v3.docx
INV-2025-00417
TCK-88213
3f2b9c1e-7a54-4d0c-9b8e-2f6d1a7c5e90
9f8e7d6c5b4a
https://example.com/q?id=42&lang=ko#top
192.0.2.55:8443
₩12,345,670
0.00037
v2.4.7-hotfix
2025-11-03 14:30 KST
ORDER_STATUS_PENDING
git checkout feature/nfd-검색
test+user@example.com""".splitlines()

SENTENCES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("The report is in /var/reports/q3/final.pdf, please read it.", ("/var/reports/q3/final.pdf",)),
    (
        r"Copy D:\Work\budget\2025.xlsx to \\nas01\team\share today.",
        (r"D:\Work\budget\2025.xlsx", r"\\nas01\team\share"),
    ),
    ("회의록은 ~/문서/회의/11월.md에 저장했습니다.", ("~/문서/회의/11월.md",)),
    ("설정은 config/app.toml을 고치면 됩니다.", ("config/app.toml",)),
    (
        "See https://docs.example.org/guide/start?tab=2#install).",
        ("https://docs.example.org/guide/start?tab=2#install",),
    ),
    ("주소는 http://localhost:3000/admin입니다.", ("http://localhost:3000/admin",)),
    (
        "Write to jane.doe@mail.example.co.uk or call +44 20 7946 0958.",
        ("jane.doe@mail.example.co.uk", "+44 20 7946 0958"),
    ),
    ("연락처는 010-9876-5432이고 회사는 02-555-0199예요.", ("010-9876-5432", "02-555-0199")),
    ("Ticket OPS-4471 blocks PR #982.", ("OPS-4471", "#982")),
    ("The commit a3f81c9 broke it, revert to 0c4d9e2b.", ("a3f81c9", "0c4d9e2b")),
    ("주문번호 ORD20251103A를 확인해 주세요.", ("ORD20251103A",)),
    ("The service listens on 10.0.4.17:9092 and fe80::1c2b.", ("10.0.4.17:9092", "fe80::1c2b")),
    ("Connect to db.internal:5432 as admin.", ("db.internal:5432",)),
    ("We upgraded from 3.11.2 to 3.12.0-rc.2 last week.", ("3.11.2", "3.12.0-rc.2")),
    ("버전 2.8로 올렸습니다.", ("2.8",)),
    ("It was −12.5 °C outside and 21 °C inside.", ("−12.5 °C", "21 °C")),
    ("The disk has 3.6 TB left, about 45 %.", ("3.6 TB", "45 %")),
    ("파일이 14개이고 총 2.3 GB입니다.", ("14개", "2.3 GB")),
    ("약 40분 걸리고 3일 안에 끝납니다.", ("40분", "3일")),
    ("Retry after 90 seconds, at most 5 times.", ("90 seconds", "5 times")),
    ("The deadline is 14 March 2026 at 5 pm.", ("14 March 2026 at 5 pm",)),
    ("We met on Dec 9, 2024 and again on 2025-01-17.", ("Dec 9, 2024", "2025-01-17")),
    ("다음 회의는 12월 24일 오전 9시 30분에 합니다.", ("12월 24일 오전 9시 30분",)),
    ("마감은 2026. 1. 15.입니다.", ("2026. 1. 15.",)),
    ("Started at 2025-11-03T05:30:00Z.", ("2025-11-03T05:30:00Z",)),
    ("She called at 7:45 pm on 2 June, 2023.", ("7:45 pm on 2 June, 2023",)),
    ("It costs $1,299.99 or €1,150.", ("$1,299.99", "€1,150")),
    ("월세는 85만 원이고 보증금은 1억 2천만 원입니다.", ("85만 원", "1억 2천만 원")),
    ("Transfer 250 EUR before Friday.", ("250 EUR",)),
    ("수수료는 3만 5천원이에요.", ("3만 5천원",)),
    ("Set MAX_RETRY_COUNT in the env.", ("MAX_RETRY_COUNT",)),
    ("상태는 PAYMENT_FAILED로 바꾸세요.", ("PAYMENT_FAILED",)),
    ("Run git push origin release/2.1 now.", ("git push origin release/2.1",)),
    ("docker compose up -d를 실행하세요.", ("docker compose up -d",)),
    ("먼저 pip install -r requirements.txt 를 실행합니다.", ("pip install -r requirements.txt",)),
    ("Use SELECT id, name FROM users WHERE age > 30; then stop.", ("SELECT id, name FROM users WHERE age > 30",)),
    ("Press `Ctrl+Shift+P` and type “reload window”.", ("Ctrl+Shift+P", "reload window")),
    ('그는 "절대 지우지 마세요"라고 했습니다.', ("절대 지우지 마세요",)),
    ("The label reads 'keep frozen' in red.", ("keep frozen",)),
    ("제목은 「겨울의 정원」으로 정했습니다.", ("겨울의 정원",)),
    ("Yesterday we spoke with Maria Gonzalez about the lease.", ("Maria Gonzalez",)),
    ("I think Oliver moved to Edinburgh in spring.", ("Oliver", "Edinburgh")),
    ("The dashboard uses GrafanaLabs and PySide.", ("GrafanaLabs", "PySide")),
    ("김하늘 씨와 이준호 팀장님이 승인했습니다.", ("김하늘", "이준호")),
    ("담당은 최 과장님입니다.", ("최 과장님",)),
    ("The MAC is 00:1B:44:11:3A:B7.", ("00:1B:44:11:3A:B7",)),
    ("Order 7731-2204-9985 arrived.", ("7731-2204-9985",)),
    ("Model claude-haiku-5-5 answered in 840 ms.", ("claude-haiku-5-5", "840 ms")),
    ("The image is 1920x1080 px.", ("1920x1080 px",)),
    ("Call (555) 014-7788 after 6pm.", ("(555) 014-7788", "6pm")),
    ("파일 이름은 결산_최종본.hwpx입니다.", ("결산_최종본.hwpx",)),
    ("Pages 12-18 matter, 60% of them.", ("12-18", "60%")),
    ("금리는 3.75%이고 만기는 2027년 6월입니다.", ("3.75%", "2027년 6월")),
    ("The value of user_id was null.", ("user_id",)),
    ("Nothing of note happened, we just talked about the weather and made sure to go home early.", ()),
    ("오늘은 날씨가 좋아서 고객님과 산책을 했습니다.", ()),
    ("Make sure you find the head of the group and/or open the door.", ()),
    ("Put it in /home/kim/사진/2024 여름/IMG_0031.JPG please.", ("/home/kim/사진/2024 여름/IMG_0031.JPG",)),
    (
        "로그는 C:\\ProgramData\\MyApp\\logs\\error 2025.log에 있습니다.",
        ("C:\\ProgramData\\MyApp\\logs\\error 2025.log",),
    ),
    ("Open ./scripts/build.sh and ../README.md first.", ("./scripts/build.sh", "../README.md")),
    ("내 블로그는 blog.example.kr입니다.", ("blog.example.kr",)),
    ("See <https://example.com/a_b/c-d?x=1,2>.", ("https://example.com/a_b/c-d?x=1,2",)),
    ("ssh root@203.0.113.9 -p 2222 로 접속하세요.", ("ssh root@203.0.113.9 -p 2222",)),
    ("The API key id is AKIA5TESTKEY77.", ("AKIA5TESTKEY77",)),
    ("DOI 10.1000/xyz123 and ISBN 978-3-16-148410-0.", ("10.1000/xyz123", "978-3-16-148410-0")),
    ("운송장 번호는 6897-1234-5678이에요.", ("6897-1234-5678",)),
    ("사업자등록번호 123-45-67890을 적어 주세요.", ("123-45-67890",)),
    ("계좌는 국민은행 123456-04-567890입니다.", ("123456-04-567890",)),
    ("Flight KE901 leaves at 13:20 from gate 28.", ("KE901", "13:20", "28")),
    ("기온은 영하 3도, 습도는 55%예요.", ("3도", "55%")),
    ("She weighs 61.5 kg and is 1.72 m tall.", ("61.5 kg", "1.72 m")),
    ("We need 2-3 weeks and 4 people.", ("2-3 weeks", "4 people")),
    ("오후 4시에 만나고 저녁 7시 반에 끝나요.", ("오후 4시", "저녁 7시 반")),
    ("2024년 2월 29일 목요일에 시작했습니다.", ("2024년 2월 29일 목요일",)),
    ("from 2025-01-01 to 2025-03-31", ("2025-01-01", "2025-03-31")),
    ("on the 21st of June", ("21st of June",)),
    ("The meeting is 09:00-10:30 CET.", ("09:00-10:30 CET",)),
    ("가격은 1만 9,900원입니다.", ("1만 9,900원",)),
    ("It costs ¥3,200 or about 20 dollars.", ("¥3,200", "20 dollars")),
    ("예산은 2억 원에서 3억 5천만 원으로 늘었습니다.", ("2억 원", "3억 5천만 원")),
    ("매출이 12.5% 늘어 4조 원입니다.", ("12.5%", "4조 원")),
    ("Upgrade node to v20.11.1 and npm to 10.2.", ("v20.11.1", "10.2")),
    (
        "curl -X POST https://api.example.com/v1/items -d '{\"a\": 1}'",
        ("curl -X POST https://api.example.com/v1/items -d '{\"a\": 1}'",),
    ),
    ("npm run build:prod 를 실행해 주세요.", ("npm run build:prod",)),
    ("kubectl get pods -n staging을 입력하세요.", ("kubectl get pods -n staging",)),
    (
        "curl -X POST https://api.example.com/v1/items -d '{\"a\": 1}'",
        ("curl -X POST https://api.example.com/v1/items -d '{\"a\": 1}'",),
    ),
    ("UPDATE orders SET state = 'PAID' WHERE id = 77;", ("UPDATE orders SET state = 'PAID' WHERE id = 77",)),
    ("The flag is --dry-run.", ("--dry-run",)),
    ("the function getUserName returns None", ("getUserName",)),
    ("오류 코드는 0x80070005입니다.", ("0x80070005",)),
    ("HTTP 503 and error E1017", ("503", "E1017")),
    ("We talked with Priya and Tom O'Brien.", ("Priya", "Tom O'Brien")),
    ("My sister Elena lives in São Paulo.", ("Elena", "São Paulo")),
    ("이서연 선생님께 물어보고 정 대리님에게 전하세요.", ("이서연", "정 대리님")),
    ("강아지 이름은 '보리'예요.", ("보리",)),
    ("책 제목은 『작은 것들의 신』입니다.", ("작은 것들의 신",)),
    ("Coordinates: 37.5665, 126.9780.", ("37.5665", "126.9780")),
    ("비율은 3:1이고 크기는 30x40 cm입니다.", ("3:1", "30x40 cm")),
    ("I paid 0.5 BTC; 1 USD = 1,380.5 KRW.", ("0.5 BTC", "1 USD", "1,380.5 KRW")),
    ("Call me on +1 (415) 555-0132 or 1588-1234.", ("+1 (415) 555-0132", "1588-1234")),
    ("Set color to #ff8800 now.", ("#ff8800",)),
    ("카드 끝자리는 4821입니다.", ("4821",)),
)
