"""The little the Models API does not say of a model and the request rules need; unknown models are taken as newest."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ModelRules:
    """What a model refuses or takes.

    `prefill`: takes a final assistant message; `mid_system`: takes system messages inside the conversation;
    `system_role`: knows that role at all;
    `forced_tools`: takes tool_choice any or tool; `bound_thinking`: binds thinking to its prefix;
    `strict_window`: refuses input + max_tokens over the window instead of stopping there.
    """

    prefill: bool = False
    mid_system: bool = False
    forced_tools: bool = False
    bound_thinking: bool = True
    strict_window: bool = False
    refused_thinking: tuple[str, ...] = ()
    system_role: bool = True


_ALWAYS_ON = ("disabled", "enabled")
_RULES: dict[str, ModelRules] = {
    "claude-opus-5-5": ModelRules(mid_system=True, refused_thinking=_ALWAYS_ON),
    "claude-fable-5-2": ModelRules(mid_system=True, refused_thinking=_ALWAYS_ON),
    "claude-fable-5-1": ModelRules(mid_system=True, refused_thinking=_ALWAYS_ON),
    "claude-mythos-5-2": ModelRules(mid_system=True, refused_thinking=_ALWAYS_ON),
    "claude-mythos-5-1": ModelRules(mid_system=True, refused_thinking=_ALWAYS_ON),
    "claude-sonnet-5-5": ModelRules(mid_system=True, refused_thinking=("disabled",)),
    "claude-haiku-5-5": ModelRules(mid_system=True, forced_tools=True),
    "claude-fable-5": ModelRules(mid_system=True, forced_tools=True, bound_thinking=False),
    "claude-mythos-5": ModelRules(mid_system=True, forced_tools=True, bound_thinking=False),
    "claude-opus-5": ModelRules(mid_system=True, forced_tools=True, bound_thinking=False),
    "claude-opus-4-8": ModelRules(mid_system=True, forced_tools=True, bound_thinking=False),
    "claude-sonnet-5": ModelRules(forced_tools=True, bound_thinking=False),
    "claude-opus-4-7": ModelRules(forced_tools=True, bound_thinking=False),
    "claude-opus-4-6": ModelRules(forced_tools=True, bound_thinking=False),
    "claude-sonnet-4-6": ModelRules(forced_tools=True, bound_thinking=False),
}
_OLDER = ModelRules(prefill=True, forced_tools=True, bound_thinking=False, strict_window=True, system_role=False)
_OLDER_MODELS = ("claude-haiku-4-5", "claude-opus-4-5", "claude-sonnet-4-5")


def rules_of(model: str) -> ModelRules:
    """The rules of a model id; dated ids count as their family."""
    if model.startswith(_OLDER_MODELS):
        return _OLDER
    return _RULES.get(model, ModelRules())
