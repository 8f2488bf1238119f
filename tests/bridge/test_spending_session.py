"""What was spent as the window shows it: today's sum after a turn, reports, the budget's warnings, the file."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from pytestqt.qtbot import QtBot

from desktop_app.adapters.price_file import PriceFile
from desktop_app.bridge.app_session import AppSession
from desktop_app.bridge.session_state import Level, Notice
from desktop_app.bridge.spending_models import today_text
from desktop_app.bridge.spending_session import PeriodChoice, SpendingSession
from desktop_app.core.errors import AppError, BadInput, StoreUnavailable
from desktop_app.core.money.price_rows import PriceRow, Rates
from desktop_app.core.money.pricing import load_prices
from desktop_app.core.money.spending import SpendingBy
from desktop_app.core.settings import DEFAULT_PROFILE, ProfileSettings
from desktop_app.core.words import load_words
from desktop_app.services.prices import PriceService
from tests.bridge.chat_acts import ask, current
from tests.fakes.simulator import RunningSimulator

DEAR = Rates(*(Decimal(text) for text in ("1000", "1000", "1000", "1000", "1000")))
EN = load_words("en")


@pytest.fixture
def dear(tmp_path: Path, simulator: RunningSimulator) -> None:
    """A dollar for a thousand tokens, by the person's own price."""
    prices = PriceService(load_prices(), PriceFile(tmp_path))
    prices.put(PriceRow(ProfileSettings().model, DEAR, urlsplit(simulator.url).netloc))


def ready(open_session: Callable[..., AppSession], qtbot: QtBot, *, simulated: bool = False) -> AppSession:
    """A session whose first reading of today is done."""
    session = open_session(simulated=simulated) if simulated else open_session(simulated=False, plain_endpoint=False)
    qtbot.waitUntil(lambda: session.spending is not None and session.spending.today is not None)
    return session


def spending_of(session: AppSession) -> SpendingSession:
    assert session.spending is not None
    return session.spending


def spent_today(session: AppSession) -> Decimal | None:
    today = spending_of(session).today
    return today.total.usd if today else None


def say(qtbot: QtBot, session: AppSession, text: str) -> None:
    """A whole turn, and until it is in today's sum."""
    spending = spending_of(session)
    before = spending.today.total.requests if spending.today else 0
    ask(qtbot, current(session), text)
    qtbot.waitUntil(lambda: spending.today is not None and spending.today.total.requests > before, timeout=10_000)


@pytest.mark.usefixtures("dear")
def test_today_grows_with_every_turn(qtbot: QtBot, open_session: Callable[..., AppSession]) -> None:
    session = ready(open_session, qtbot)
    assert spent_today(session) == 0
    say(qtbot, session, "Hello")
    first = spent_today(session)
    assert first is not None and first > 0
    say(qtbot, session, "And again")
    assert (spent_today(session) or 0) > first


def test_what_comes_at_once_is_read_once(qtbot: QtBot, open_session: Callable[..., AppSession]) -> None:
    spending = spending_of(ready(open_session, qtbot))
    qtbot.waitUntil(lambda: not spending._soon.isActive())
    told: list[object] = []
    spending.todayChanged.connect(told.append)
    before = spending._readings
    for _ in range(6):
        spending.refresh()
    qtbot.waitUntil(lambda: bool(told), timeout=5_000)
    assert spending._readings == before + 1
    spending.refresh()
    spending.stop()
    assert not spending._soon.isActive()


def test_simulated_answers_are_free_today(qtbot: QtBot, open_session: Callable[..., AppSession]) -> None:
    session = ready(open_session, qtbot, simulated=True)
    spending = spending_of(session)
    assert today_text(EN, spending.today) == "$0"  # type: ignore[arg-type]
    ask(qtbot, current(session), "Hello")
    qtbot.waitUntil(lambda: bool(spending.today and spending.today.simulated), timeout=10_000)
    assert today_text(EN, spending.today) == "simulated, free"  # type: ignore[arg-type]


@pytest.mark.usefixtures("dear")
def test_page_shows_what_is_chosen_and_follows_while_it_is_seen(
    qtbot: QtBot, open_session: Callable[..., AppSession]
) -> None:
    session = ready(open_session, qtbot)
    spending = spending_of(session)
    say(qtbot, session, "Hello")
    assert spending.report is None, "nobody looks"
    with qtbot.waitSignal(spending.reportChanged, timeout=5_000):
        spending.open()
    assert spending.report is not None and spending.report.by is SpendingBy.DAY
    with qtbot.waitSignal(spending.reportChanged, timeout=5_000):
        spending.add_up_by(SpendingBy.PROFILE)
    assert [group.key for group in spending.report.groups] == [(DEFAULT_PROFILE,)]
    say(qtbot, session, "And again")
    qtbot.waitUntil(lambda: spending.report is not None and spending.report.total.requests == 2)
    with qtbot.waitSignal(spending.reportChanged, timeout=5_000):
        spending.choose_period(PeriodChoice.LAST)
    assert spending.report.groups == ()
    with qtbot.waitSignal(spending.reportChanged, timeout=5_000):
        spending.choose_period(PeriodChoice.ALL)
    with qtbot.waitSignal(spending.reportChanged, timeout=5_000):
        spending.choose_profile("demo")
    assert spending.report.groups == ()


@pytest.mark.usefixtures("dear")
def test_budget_warns_once_for_each_level(qtbot: QtBot, open_session: Callable[..., AppSession]) -> None:
    session = ready(open_session, qtbot)
    spending = spending_of(session)
    told: list[Notice] = []
    session.notice.connect(told.append)
    say(qtbot, session, "Hello")
    with pytest.raises(BadInput):
        spending.set_budget("a lot")
    assert session.settings.monthly_budget == ""
    spent = spent_today(session) or Decimal(0)
    with qtbot.waitSignal(spending.budgetChanged, timeout=5_000):
        spending.set_budget(f"{spent / Decimal('0.9'):.2f}")
    warned = [one for one in told if one.message_id == "money.warning_80"]
    assert [(one.level, one.acts) for one in warned] == [(Level.WARNING, ("open_money",))]
    assert warned[0].params["percent"] in (89, 90)
    say(qtbot, session, "More")
    qtbot.waitUntil(lambda: any(one.message_id == "money.warning_100" for one in told))
    say(qtbot, session, "And more")
    qtbot.waitUntil(lambda: spending.budget is not None and spending.budget.spent.requests == 3)
    assert [one.message_id for one in told if one.message_id.startswith("money.")] == [
        "money.warning_80",
        "money.warning_100",
    ]
    assert spending.budget is not None
    assert session.settings.budget_warned == spending.budget.mark


@pytest.mark.usefixtures("dear")
def test_file_is_written_and_told(qtbot: QtBot, open_session: Callable[..., AppSession], tmp_path: Path) -> None:
    session = ready(open_session, qtbot)
    spending = spending_of(session)
    say(qtbot, session, "Hello")
    file = tmp_path / "spent.csv"
    with qtbot.waitSignal(session.notice, timeout=5_000) as told:
        spending.export(file)
    assert told.args == [Notice("notices.spending_exported", {"path": str(file)})]
    assert len(file.read_text("utf-8-sig").splitlines()) == 2
    failures: list[AppError] = []
    spending.failed.connect(failures.append)
    spending.export(tmp_path / "nowhere" / "spent.csv")
    qtbot.waitUntil(lambda: bool(failures))
    assert isinstance(failures[0], StoreUnavailable)
    assert [path.name for path in tmp_path.iterdir() if "spent" in path.name] == ["spent.csv"]
