"""Parameters and what each model allows of them: output size, thinking, effort, sampling, stop sequences."""

from __future__ import annotations

from typing import Any

from ..errors import invalid
from ..models import THINKING_MODES, Model
from .envelope import BINDING_CONTROLS, DISPLAY_UPDATES, TASK_BUDGETS, Envelope
from .output_format import check_format
from .shapes import check_control, extra, need, need_dict, need_list, need_string, one_of, only_keys

UNSUPPORTED_THINKING = (
    '"thinking.type.{mode}" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" '
    "to control thinking behavior."
)
LEAST_BUDGET = 1_024  # tokens


def check_parameters(body: dict[str, Any], model: Model, envelope: Envelope, *, counting: bool) -> None:
    """Refuse parameters that are malformed or that the model does not take."""
    check_control(body, "")
    _check_output(body, model, envelope)
    _check_thinking(body, model, envelope, counting=counting)
    if body.get("speed") is not None:
        one_of(body["speed"], ("standard", "fast"), "speed")
    if counting:
        return
    _check_size(body, model)
    _check_sampling(body, model)
    _check_stops(body)
    _check_small_fields(body)


def _check_size(body: dict[str, Any], model: Model) -> None:
    size = body["max_tokens"]
    if not isinstance(size, int) or isinstance(size, bool):
        raise invalid("max_tokens: Input should be a valid integer")
    if size < 0:
        raise invalid("max_tokens: Input should be greater than or equal to 0")
    if size > model.output_limit:
        raise invalid(
            f"max_tokens: {size} > {model.output_limit}, which is the maximum allowed number of output tokens "
            f"for {model.id}"
        )
    if size == 0:
        _check_warming(body)


def _check_warming(body: dict[str, Any]) -> None:
    """`max_tokens` 0 only fills the cache: nothing may be asked that needs output."""
    if body.get("stream"):
        raise invalid("max_tokens: must be at least 1 when `stream` is true")
    if (body.get("tool_choice") or {}).get("type") in ("any", "tool"):
        raise invalid("max_tokens: must be at least 1 when `tool_choice` forces a tool")
    if (body.get("thinking") or {}).get("type") == "enabled":
        raise invalid('max_tokens: must be at least 1 when `thinking.type` is "enabled"')


def _check_thinking(body: dict[str, Any], model: Model, envelope: Envelope, *, counting: bool) -> None:
    thinking = body.get("thinking")
    if thinking is None:
        return
    need_dict(thinking, "thinking")
    mode = need(thinking, "type", "thinking")
    one_of(mode, THINKING_MODES, "thinking.type")
    if mode not in model.thinking_modes:
        if mode == "adaptive":
            raise invalid("adaptive thinking is not supported on this model")
        raise invalid(UNSUPPORTED_THINKING.format(mode=mode))
    shown = ("type", "display", "block_binding") if mode in ("adaptive", "enabled") else ("type",)
    only_keys(thinking, (*shown, "budget_tokens") if mode == "enabled" else shown, f"thinking.{mode}")
    _check_binding(thinking, mode, envelope)
    if thinking.get("display") is not None:
        updates = ("updates",) if DISPLAY_UPDATES in envelope.betas else ()
        one_of(thinking["display"], ("summarized", "omitted", *updates), f"thinking.{mode}.display")
    if mode == "enabled":
        _check_budget(thinking, body, counting=counting)


def _check_binding(thinking: dict[str, Any], mode: str, envelope: Envelope) -> None:
    if "block_binding" not in thinking:
        return
    path = f"thinking.{mode}.block_binding"
    if BINDING_CONTROLS not in envelope.betas:
        raise invalid(extra(path))
    binding = thinking["block_binding"]
    if binding is not None:
        only_keys(need_dict(binding, path), ("prefix_mismatch_behavior",), path)
        if binding.get("prefix_mismatch_behavior") is not None:
            one_of(binding["prefix_mismatch_behavior"], ("error", "drop_block"), f"{path}.prefix_mismatch_behavior")


def _check_budget(thinking: dict[str, Any], body: dict[str, Any], *, counting: bool) -> None:
    budget = need(thinking, "budget_tokens", "thinking.enabled")
    if not isinstance(budget, int) or isinstance(budget, bool):
        raise invalid("thinking.enabled.budget_tokens: Input should be a valid integer")
    if budget < LEAST_BUDGET:
        raise invalid(f"thinking.enabled.budget_tokens: Input should be greater than or equal to {LEAST_BUDGET}")
    size = body.get("max_tokens")
    if not counting and isinstance(size, int) and budget >= size:
        raise invalid("`max_tokens` must be greater than `thinking.budget_tokens`.")
    if (body.get("tool_choice") or {}).get("type") in ("any", "tool"):
        raise invalid("Thinking may not be enabled when tool_choice forces tool use.")


def _check_output(body: dict[str, Any], model: Model, envelope: Envelope) -> None:
    config = body.get("output_config")
    if config is None:
        return
    only_keys(need_dict(config, "output_config"), ("effort", "format", "task_budget"), "output_config")
    if config.get("effort") is not None:
        one_of(config["effort"], ("low", "medium", "high", "xhigh", "max"), "output_config.effort")
        if not model.efforts:
            raise invalid("This model does not support the effort parameter.")
        if config["effort"] not in model.efforts:
            levels = ", ".join(model.efforts)
            raise invalid(f"This model does not support effort level '{config['effort']}'. Supported levels: {levels}.")
    if config.get("format") is not None:
        check_format(config["format"], body, model)
    if "task_budget" in config:
        if TASK_BUDGETS not in envelope.betas:
            raise invalid(extra("output_config.task_budget"))
        raise invalid("output_config.task_budget: task budgets are not available on this server")


def _check_sampling(body: dict[str, Any], model: Model) -> None:
    """Older versions of the API only: the field checks refuse these in the newest."""
    for name, default in (("temperature", 1), ("top_p", 1), ("top_k", None)):
        if (value := body.get(name)) is None:
            continue
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise invalid(f"{name}: Input should be a valid number")
        thinks = (body.get("thinking") or {}).get("type", "disabled") != "disabled"
        if (thinks or not model.prefill) and value != default:
            raise invalid(f"`{name}` may only be set to its default on this model or when thinking is enabled.")


def _check_stops(body: dict[str, Any]) -> None:
    stops = body.get("stop_sequences")
    if stops is None:
        return
    for number, stop in enumerate(need_list(stops, "stop_sequences")):
        if not isinstance(stop, str):
            raise invalid(f"stop_sequences.{number}: Input should be a valid string")
        if not stop.strip():
            raise invalid("stop_sequences: each stop sequence must contain non-whitespace")


def _check_small_fields(body: dict[str, Any]) -> None:
    if not isinstance(body.get("stream", False), bool):
        raise invalid("stream: Input should be a valid boolean")
    if body.get("metadata") is not None:
        only_keys(need_dict(body["metadata"], "metadata"), ("user_id",), "metadata")
    if body.get("service_tier") is not None:
        one_of(body["service_tier"], ("auto", "standard_only"), "service_tier")
    if body.get("diagnostics") is not None:
        _check_diagnostics(need_dict(body["diagnostics"], "diagnostics"))


def _check_diagnostics(asked: dict[str, Any]) -> None:
    only_keys(asked, ("previous_message_id",), "diagnostics")
    if need(asked, "previous_message_id", "diagnostics") is None:
        return
    if not need_string(asked, "previous_message_id", "diagnostics"):
        raise invalid("diagnostics.previous_message_id: String should have at least 1 character")
