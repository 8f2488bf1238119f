"""Made-up secrets and harmless sentences, the secrets in pieces so that no scanner takes them for a leak."""

from __future__ import annotations

from desktop_app.core.secrets.kinds import SecretKind

KEY = "sk-ant-" + "api03-" + "FAKE0" * 18 + "-TESTAA"
SLACK_HOOK = "https://hooks.slack.com/services/" + "T0000FAKE/" + "B0000FAKE/" + "FAKE" * 6
"""A secret by the library's patterns only."""
OPENAI_KEY = "sk-" + "proj-" + "TEST0000" * 6
GITHUB_TOKEN = "gh" + "p_" + "F0" * 20
JWT = "eyJhbGciOiJub25lIn0" + "." + "eyJ0ZXN0IjoiZmFrZSJ9" + "." + "A" * 17
PEM = "-----BEGIN " + "PRIVATE KEY-----\n" + "RkFLRQ==\n" * 3 + "-----END " + "PRIVATE KEY-----"

RAW: list[tuple[str, str, SecretKind]] = [
    (f"my key is {KEY}.", KEY, SecretKind.API_KEY),
    (f"{OPENAI_KEY}를 기억해", OPENAI_KEY, SecretKind.API_KEY),
    (f"export GITHUB_TOKEN={GITHUB_TOKEN}", GITHUB_TOKEN, SecretKind.API_KEY),
    ("AK" + "IATESTFAKE0000TEST야", "AK" + "IATESTFAKE0000TEST", SecretKind.API_KEY),
    ("hook: xo" + "xb-000-TEST-FAKEFAKEFAKE", "xo" + "xb-000-TEST-FAKEFAKEFAKE", SecretKind.API_KEY),
    ("AIza" + "Fake0" * 7, "AIza" + "Fake0" * 7, SecretKind.API_KEY),
    ("sk_" + "live_" + "fake0000" * 3, "sk_" + "live_" + "fake0000" * 3, SecretKind.API_KEY),
    (f"토큰: {JWT}", JWT, SecretKind.TOKEN),
    (f"the server's\n{PEM}\nkeep it", PEM, SecretKind.PRIVATE_KEY),
    (PEM[:50], PEM[:50], SecretKind.PRIVATE_KEY),
    ("Authorization: Bearer " + "TESTTOKEN" * 3, "TESTTOKEN" * 3, SecretKind.TOKEN),
    ('curl -H "x-api-key: fake0000fake0000"', "fake0000fake0000", SecretKind.API_KEY),
    ("password=hunter2-FAKE", "hunter2-FAKE", SecretKind.PASSWORD),
    ('{"password": "two words 1!"}', "two words 1!", SecretKind.PASSWORD),
    ("DB_PASS=letmeinfake", "letmeinfake", SecretKind.PASSWORD),
    ("dbPassword: Fake1234", "Fake1234", SecretKind.PASSWORD),
    ("비밀번호: 가짜비번1234!", "가짜비번1234!", SecretKind.PASSWORD),
    ("와이파이 비번은 fake1234야", "fake1234", SecretKind.PASSWORD),
    ("현관 비밀번호는 0417입니다", "0417", SecretKind.PASSWORD),
    ("The wifi password is hunter2fake", "hunter2fake", SecretKind.PASSWORD),
    ("PIN 번호: 0417", "0417", SecretKind.PASSWORD),
    ("postgres://user:FAKEPASS@db.example/prod", "FAKEPASS", SecretKind.PASSWORD),
    ("aws_secret_access_key = fAkE0/" + "fAkE0" * 7 + "00", "fAkE0/" + "fAkE0" * 7 + "00", SecretKind.API_KEY),
    ("client_secret: 00fake00-0000-4000-8000-00000000fake", "00fake00-0000-4000-8000-00000000fake", SecretKind.API_KEY),
    ("주민등록번호 000000-0000000", "000000-0000000", SecretKind.RESIDENT_NUMBER),
    ("주민번호는 900101 1234567", "900101 1234567", SecretKind.RESIDENT_NUMBER),
    ("900101-1234568", "900101-1234568", SecretKind.RESIDENT_NUMBER),
    ("201103-3000000 (딸)", "201103-3000000", SecretKind.RESIDENT_NUMBER),
    ("외국인등록번호: 900101-5000000", "900101-5000000", SecretKind.RESIDENT_NUMBER),
    ("카드 4111 1111 1111 1111", "4111 1111 1111 1111", SecretKind.CARD_NUMBER),
    ("pay with 378282246310005 please", "378282246310005", SecretKind.CARD_NUMBER),
    ("카드번호 1234-5678-9012-3456", "1234-5678-9012-3456", SecretKind.CARD_NUMBER),
    ("여권번호 M00000000", "M00000000", SecretKind.PASSPORT_NUMBER),
    ("passport number is M000A0000", "M000A0000", SecretKind.PASSPORT_NUMBER),
    ("운전면허 번호: 서울 11-00-000000-00", "11-00-000000-00", SecretKind.LICENCE_NUMBER),
    ("계좌번호는 국민은행 000000-01-000000", "000000-01-000000", SecretKind.ACCOUNT_NUMBER),
    ("account number: 0001112223334", "0001112223334", SecretKind.ACCOUNT_NUMBER),
    ("IBAN DE89 3704 0044 0532 0130 00", "DE89 3704 0044 0532 0130 00", SecretKind.ACCOUNT_NUMBER),
    ("iban: DE89370400440532013000", "DE89370400440532013000", SecretKind.ACCOUNT_NUMBER),
    ("the IBAN is DE89 37040044 0532013000, thanks", "DE89 37040044 0532013000", SecretKind.ACCOUNT_NUMBER),
    ("pay to GB82WEST12345698765432 today", "GB82WEST12345698765432", SecretKind.ACCOUNT_NUMBER),
    ("FR14 2004 1010 0505 0001 3M02 606 2026", "FR14 2004 1010 0505 0001 3M02 606", SecretKind.ACCOUNT_NUMBER),
    ("송금은 be68-5390-0754-7034 말고 BE68-5390-0754-7034로", "BE68-5390-0754-7034", SecretKind.ACCOUNT_NUMBER),
    ("ssn: 078-05-1120", "078-05-1120", SecretKind.SOCIAL_SECURITY_NUMBER),
    ("my social security number is 078051120.", "078051120", SecretKind.SOCIAL_SECURITY_NUMBER),
    ("wifi password: sunflower", "sunflower", SecretKind.PASSWORD),
    ("router_password: sunflower.", "sunflower", SecretKind.PASSWORD),
    ("와이파이 비밀번호: 무지개다리", "무지개다리", SecretKind.PASSWORD),
    ("현관 비번: 무지개떡", "무지개떡", SecretKind.PASSWORD),
]
"""A text, the secret in it, and its kind."""

OF_LIBRARY = {
    "Slack webhook": "https://hooks.sla" + "ck.com/services/T0000FAKE/B0000FAKE/FAKEFAKEFAKE",
    "Mailchimp": "0fa4" * 8 + "-us12",
    "Discord": "M" + "FAKE" * 6 + ".FAKE00." + "FAKEFAKE0" * 3,
    "Twilio": "S" + "K" + "0fa4" * 8,
    "Square": "sq0" + "csp-" + "0Fake" * 8 + "FAK",
}
"""Keys for which only the library has a format."""

HARMLESS = [
    "우리 팀은 API 키를 매달 교체한다",
    "apiKey: os.environ['KEY']",
    "password 필드는 비워 둔다",
    "The token budget is 200k",
    "sk-like prefixes are documented",
    "ISBN 979-11-0000-000-0",
    "DE89 3704 0044 0532 0130 01",  # no right check digits
    "DE89 3704 0044 0532 0130",  # too short
    "the IBAN is on the invoice, IBAN number unknown",
    "se24 word more text four here",
    "extension 078-05-1120",
    "password manager: Bitwarden",
    "wifi password: unknown",
    "wifi password: 12자",
    "와이파이 비밀번호: 변경됨",
    "비밀번호 관리: 비트워든",
    "Password: ask Min",
    "commit 4111111",
    "비밀번호 정책은 12자 이상",
    "전화번호는 010-1234-5678이다",
    "Call me at +82 10-1234-5678 or 02-555-0123",
    "고객센터 1588-0000, 내선 1234",
    "ISBN 978-89-954321-0-5 (3판)",
    "commit 9f1c2e7d8a3b4c5d6e7f8091a2b3c4d5e6f70819",
    "Python 3.11.7, Qt 6.11.0, sqlite 3.45.1",
    "run id 4111aaaa-1111-4111-8111-111111111111",
    "password: ${DB_PASSWORD}",
    "PASSWORD=<your password>",
    "password = getpass.getpass()",
    "login(user=user, password=password)",
    "token: process.env.API_TOKEN",
    "Authorization: Bearer $TOKEN",
    "주문번호 20260315-0001234",
    "order 240315-1234567 was shipped on 2026-03-15",
    "사업자등록번호 000-00-00000",
    "계좌이체 문의: 010-1234-5678",
    "비밀번호는 90일마다 바꾼다",
    "비밀번호: 12자 이상, 숫자 포함",
    "비밀번호 변경일: 2026-03-01",
    "비밀번호: 사내 금고에 있음",
    "Password: see the vault",
    "The password is stored in 1Password",
    "여권 만료일은 2031-05-01",
    "My passport expires in 2031",
    "운전면허는 2종 보통, 2019년 취득",
    "카드 명세서는 매달 14일에 온다",
    "The meeting is at 14:30 on 2026-11-30 in room 411",
    "max_tokens: 200000, tokens: 128000",
    "token count: 12345678901234",
    "epoch 1795000000000 ms",
    "postgres://localhost:5432/app and https://example.com:8443/a@b",
    "https://user:${PASS}@example.com/",
    "npm install left-pad@1.3.0 --save-dev",
    "커피는 하루 2잔, 설탕 없이",
    "회의실 비밀번호 문의는 총무팀 내선 4521",
    "The access key rotates every 90 days",
    "secret santa: 2026-12-24",
    "-----BEGIN CERTIFICATE-----\nTUlJRkFLRQ==\n-----END CERTIFICATE-----",
]
"""What must stay as it is, byte for byte."""
