"""The one exception every check raises, and the error body the API answers with."""

from __future__ import annotations

from typing import Any

ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    408: "timeout_error",
    409: "conflict_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    503: "api_error",
    504: "timeout_error",
    529: "overloaded_error",
}


class ApiError(Exception):
    """A refusal with the status, type and text a client gets; `headers` are added to the answer."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        error_type: str | None = None,
        details: dict[str, Any] | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.error_type = error_type or ERROR_TYPES.get(status, "api_error" if status >= 500 else ERROR_TYPES[400])
        self.details = details
        self.headers = headers or {}

    def body(self, request_id: str) -> dict[str, Any]:
        """The JSON error body for this refusal."""
        error: dict[str, Any] = {"type": self.error_type, "message": self.message}
        if self.details is not None:
            error["details"] = self.details
        return {"type": "error", "error": error, "request_id": request_id}


def invalid(message: str, error_code: str | None = None) -> ApiError:
    """A 400 invalid_request_error, with `details.error_code` where one is given."""
    return ApiError(400, message, details=None if error_code is None else {"error_code": error_code})
