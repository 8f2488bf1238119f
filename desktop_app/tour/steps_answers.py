"""Answers: they stream, stop, are read from the request, use tools, and go on where a limit cut them."""

from __future__ import annotations

import time

from desktop_app.bridge.entries import ToolPart
from desktop_app.bridge.session_state import Phase
from desktop_app.core.conversation import MessageState
from desktop_app.core.usage import Known
from desktop_app.tour.chapter import Chapter, hold, shown
from desktop_app.tour.driver import Driver, text_of


def send_and_stream(driver: Driver) -> None:
    """A message leaves and its answer arrives piece by piece."""
    arrived: list[str] = []
    driver.chat.textArrived.connect(lambda _id, _index, text: arrived.append(text))
    driver.send("Please write 260 words about a harbour in winter.")
    driver.wait(lambda: len("".join(arrived)) > 500, "text arrives")
    hold(driver.chat.state.phase is Phase.STREAMING, "more is to come")
    driver.live(0.1)


def stop(driver: Driver) -> None:
    """Stop keeps what has arrived."""
    before = time.monotonic()
    driver.click(driver.window.composer.send)
    driver.wait(lambda: not driver.chat.state.busy, "the turn ends")
    hold(time.monotonic() - before < 1.0, "it stops at once")
    driver.live(0.3)
    last = driver.last()
    hold(last.state is MessageState.STOPPED and len(text_of(last)) > 400, "the partial answer stays")


def budget_of_the_turn(driver: Driver) -> None:
    """The rows of the last request sum to what the endpoint measured."""
    driver.send("My spare key is in the blue box on the shelf.")
    driver.answered()
    driver.send("Where is my spare key?")
    hold("blue box" in text_of(driver.answered()), "the answer is read from the request")
    budget = driver.chat.measured
    hold(budget is not None and budget.total.known is Known.MEASURED, "the total is measured")
    hold(budget is not None and sum(row.figure.tokens for row in budget.rows) == budget.total.tokens, "rows sum")


def tool(driver: Driver) -> None:
    """Two calls of the calculator side by side."""
    driver.send("Please use the calculator for 1250*0.19 and 84/7.")
    driver.answered()
    calls = [part for entry in driver.entries() for part in entry.parts if isinstance(part, ToolPart)]
    hold([call.result for call in calls] == ["237.5", "12"], "both results are right")


def cut_and_continue(driver: Driver) -> None:
    """An answer cut by the output limit goes on."""
    driver.session.update_profile(output_limit=150)
    driver.live(0.3)
    driver.send("Please write 130 words about lighthouses.")
    hold(driver.answered().stop_reason == "max_tokens", "the limit cuts the answer")
    driver.session.update_profile(output_limit=16_000)
    driver.live(0.3)
    driver.click(shown(driver.view(driver.chat.messages.rowCount() - 1).notice).go_on)
    hold(driver.answered().stop_reason == "end_turn", "the rest arrives")


CHAPTER = Chapter((send_and_stream, stop, budget_of_the_turn, tool, cut_and_continue))
