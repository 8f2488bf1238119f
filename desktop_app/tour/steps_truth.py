"""Cache and money: what a change will re-write, what broke the cache, the past as it was sent, what was spent."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from PySide6.QtCore import Qt

from desktop_app.bridge.chat_session import ChatSession
from desktop_app.bridge.session_state import Reach
from desktop_app.core.cache.causes import Cause
from desktop_app.core.money.price_rows import PriceRow, Rates
from desktop_app.core.settings import DEMO_PROFILE
from desktop_app.tour.chapter import Chapter, hold
from desktop_app.tour.driver import Driver

_OTHER_MODEL = "claude-opus-5-5"
_RULES = (
    "You help one person keep a small household in order. Answer briefly, name the place where you read something, "
    "and ask back where two readings are possible. "
) * 40
_YESTERDAY, _TODAY = (f"Today is {day} November 2026.\n{_RULES}" for day in (29, 30))
_PRICES = Rates(Decimal(3), Decimal(15), Decimal("3.75"), Decimal(6), Decimal("0.30"))
_LAB = "lab"


@dataclass
class _Seen:
    """What the chapter comes back to."""

    conversation: str = ""
    model: str = ""
    turns: int = 0


_seen = _Seen()


def before_another_model(driver: Driver) -> None:
    """Before anything is sent, the window says what the change re-writes."""
    driver.session.update_profile(instructions=_YESTERDAY)
    driver.session.new_conversation()
    for text in ("The skis stand in the cellar, behind the blue shelf.", "Where are the skis?"):
        driver.send(text)
        driver.answered()
    _seen.conversation, _seen.model = driver.chat.conversation_id or "", driver.session.settings.of().model
    driver.session.update_profile(model=_OTHER_MODEL)
    driver.type("And the boots?")
    driver.wait(lambda: _cause(driver.chat) is Cause.MODEL, "the forecast knows why")
    driver.live(0.5)


def why_it_missed(driver: Driver) -> None:
    """After it, the first difference stands beside the API's own diagnosis, with the tokens it cost."""
    driver.session.update_profile(model=_seen.model, instructions=_TODAY)
    driver.press(driver.window.composer.edit, Qt.Key.Key_Return)
    driver.wait(lambda: driver.chat.state.busy, "the message leaves")
    driver.answered()
    driver.window.show_panel("cache")
    driver.wait(lambda: bool(driver.chat.truth.misses), "the miss is found")
    culprit = next(iter(driver.chat.truth.misses.values())).culprit
    hold(culprit.cause is Cause.DATE, "the date is the culprit")
    hold(culprit.difference is not None and "30 November" in culprit.difference.after, "the line is shown")
    hold((culprit.lost_tokens or 0) > 1_000, "what it cost is known")
    driver.live(0.6)


def price_of_a_fact(driver: Driver) -> None:
    """What editing, pinning or deleting a fact re-writes stands beside it, before it is done."""
    driver.window.show_panel("memory")
    memory = driver.session.memory
    fact = memory.with_key("backup path") if memory else None
    hold(fact is not None, "the fact is there")
    if memory is not None and fact is not None:
        driver.window.inspector.memory.table.selectRow(memory.facts.place_of(fact.id) or 0)
        driver.wait(lambda: memory.detail is not None and memory.detail.standing is not None, "its detail is read")
    driver.live(0.6)


def time_machine(driver: Driver) -> None:
    """The slider goes back over the turns: rows and blocks as they were."""
    driver.session.open_conversation(driver.conversation_about("harbour"))
    driver.window.show_panel("context")
    panel = driver.window.context
    driver.wait(lambda: len(driver.chat.history) > 3, "the history is loaded")
    driver.click(panel.history.machine.earlier)
    driver.wait(panel.history.machine.to_live.isVisible, "a past request is shown")
    driver.click(panel.history.machine.earlier)
    driver.live(0.6)


def two_requests_compared(driver: Driver) -> None:
    """Any two, block by block."""
    driver.window.context.open_comparison()
    driver.live(0.8)


def branched(driver: Driver) -> None:
    """The conversation goes on from a past turn; what came later stays as another version."""
    driver.close_dialogs()
    _seen.turns = driver.chat.messages.rowCount()
    driver.click(driver.window.context.history.machine.branch)
    driver.wait(lambda: driver.chat.messages.rowCount() < _seen.turns, "the later messages are another version")
    driver.live(0.6)


def prices_of_your_own(driver: Driver) -> None:
    """A server of one's own has the prices one writes down."""
    driver.chat.resume()
    driver.wait(lambda: driver.chat.messages.rowCount() == _seen.turns, "the later messages are back")
    endpoint, prices = driver.session.endpoint, driver.session.prices
    if endpoint is None or prices is None:
        raise AssertionError("nothing is open")
    model, host = driver.session.settings.of().model, endpoint.host
    driver.session.add_profile(_LAB)
    driver.session.use_endpoint(f"http://{host}")
    driver.session.update_profile(plain_endpoint=False, model=model)
    prices.put(PriceRow(model, _PRICES, host))
    driver.wait(lambda: prices.own(model, host), "the price is kept")
    driver.window.open_prices()
    driver.live(0.6)


def what_was_spent(driver: Driver) -> None:
    """Money by day, conversation, model and profile; the simulated assistant's is none."""
    driver.close_dialogs()
    driver.wait(lambda: _answers(driver), "the server answers")
    for text in (
        "The spare key lies in the drawer by the door.",
        "Where is the spare key?",
        "use the calculator for 6*7",
    ):
        driver.send(text)
        driver.answered()
    driver.window.open_money()
    spending = driver.session.spending
    driver.wait(lambda: spending is not None and bool(spending.report and spending.report.total.usd), "money is known")
    driver.live(0.6)


def back_to_the_demo_again(driver: Driver) -> None:
    """Back in the Demo nothing of it counts."""
    driver.window.close_settings()
    driver.session.use_profile(DEMO_PROFILE)
    driver.wait(lambda: driver.session.conversations.rowCount() > 1, "the conversations of the Demo are listed")
    driver.live(0.4)


def _cause(chat: ChatSession) -> Cause | None:
    forecast = chat.cache.forecast
    return forecast.miss.cause if forecast is not None and forecast.miss is not None else None


def _answers(driver: Driver) -> bool:
    return driver.session.endpoint is not None and driver.session.endpoint.reach is Reach.ONLINE


CHAPTER = Chapter(
    (
        before_another_model,
        why_it_missed,
        price_of_a_fact,
        time_machine,
        two_requests_compared,
        branched,
        prices_of_your_own,
        what_was_spent,
        back_to_the_demo_again,
    )
)
