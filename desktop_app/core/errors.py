"""What can go wrong that the person can act on: one root, a kind for each, its words in the catalogue."""

from __future__ import annotations

from collections.abc import Mapping

from desktop_app.core.redaction import redact


class AppError(Exception):
    """The root of all errors shown to the person.

    `word` is the catalogue id below `errors.`; its text says what happened, what was kept and what to do.
    `params` fill the text. `details` are for the eye on demand only (never a key, never markup).
    """

    word = "unknown"

    def __init__(self, details: str = "", /, **params: str | int) -> None:
        # A server's answer, an address or a text typed into the wrong field may hold a key.
        self.details = redact(details)
        super().__init__(self.details or self.word)
        self.params: Mapping[str, str | int] = {
            name: redact(value) if isinstance(value, str) else value for name, value in params.items()
        }

    @property
    def message_id(self) -> str:
        """The catalogue id of the sentence."""
        return f"errors.{self.word}"


class Unexpected(AppError):
    """A fault of the program itself; what had arrived was kept."""

    word = "unexpected"


class BadInput(AppError):
    """Something typed or given on the command line cannot be used; `params`: what, why."""

    word = "bad_input"


class NothingToSend(AppError):
    """The message is blank (white space, invisible characters only)."""

    word = "nothing_to_send"


class NotFound(AppError):
    """A conversation, turn, request or file that was named does not exist; `params`: what."""

    word = "not_found"


class ProfileChanged(AppError):
    """Another profile is in use than the one of the conversation; nothing was sent."""

    word = "profile_changed"


class MemoryPaused(AppError):
    """The person has paused memory in a profile, so nothing of it is told or written; `params`: profile."""

    word = "memory_paused"


class FactNotFound(NotFound):
    """The profile has no fact of this key or id; `params`: name."""

    word = "fact_not_found"


class FactChanged(AppError):
    """A fact is another than the one the person saw; what was to be written was not; `params`: name."""

    word = "fact_changed"


class FactPinned(AppError):
    """A pinned fact keeps its place unless the person says so of it; nothing was changed; `params`: name."""

    word = "fact_pinned"


class Busy(AppError):
    """An answer is still arriving in this conversation."""

    word = "busy"


class StoreUnavailable(AppError):
    """The data folder cannot be opened, written or is locked by another process; `params`: path."""

    word = "store_unavailable"


class StoreDamaged(StoreUnavailable):
    """The file is no database of ours, or is damaged; it was left as it is; `params`: path."""

    word = "store_damaged"


class DatabaseUnreachable(StoreUnavailable):
    """The server of a database does not answer, or broke off; nothing of what was asked is kept; `params`: path."""

    word = "database_unreachable"


class DatabaseRefused(StoreUnavailable):
    """The server of a database does not let us in or work there; `params`: path."""

    word = "database_refused"


class DatabaseDriverMissing(StoreUnavailable):
    """What reaches PostgreSQL is not installed; `params`: path."""

    word = "database_driver_missing"


class NotAFolder(StoreUnavailable):
    """A folder was needed and something else stands there; `params`: path."""

    word = "not_a_folder"


class NotAFile(StoreUnavailable):
    """A file was needed and a folder, a disk or a socket stands there; `params`: path."""

    word = "not_a_file"


class PipeUnread(StoreUnavailable):
    """Nobody reads from a pipe, or whoever did is gone; `params`: path."""

    word = "pipe_unread"


class StoreTooNew(AppError):
    """The database was written by a newer version; `params`: found, known."""

    word = "store_too_new"


class ImportRefused(AppError):
    """A file cannot be imported; nothing of it was kept; `params`: file, why."""

    word = "import_refused"


class AttachmentUnusable(AppError):
    """A file cannot be attached; the message and its other attachments are unchanged; `params`: file, why."""

    word = "attachment_unusable"


class DocumentUnusable(AppError):
    """A file cannot be added to the documents; those there are stay as they are; `params`: file, why."""

    word = "document_unusable"


class DocumentNotFound(NotFound):
    """The profile has no document of this name or id; `params`: name."""

    word = "document_not_found"


class RequestRefused(AppError):
    """Our own rules found the request invalid before it left; `params`: rule."""

    word = "request_refused"


class ContextTooLarge(AppError):
    """Input and output reserve do not fit the window; `params`: tokens, reserve, window."""

    word = "context_too_large"


class EndpointError(AppError):
    """The root of what an endpoint answers or fails to answer; `retry_after` in seconds where it said so."""

    word = "endpoint"
    retryable = False

    def __init__(self, details: str = "", /, retry_after: float | None = None, **params: str | int) -> None:
        super().__init__(details, **params)
        self.retry_after = retry_after


class NoKey(EndpointError):
    """The endpoint needs a key and none is at hand."""

    word = "no_key"


class KeyOutOfReach(NoKey):
    """There may be a key in the system's key store, but that is locked, silent or faulty."""

    word = "key_out_of_reach"


class KeyRefused(EndpointError):
    """401 or 403: the key is wrong, revoked or lacks the right."""

    word = "key_refused"


class KeyVaultError(AppError):
    """The root of what keeps a key from being read from or put into the system's key store."""

    word = "key_vault"


class NoKeyVault(KeyVaultError):
    """This system has no safe store of keys."""

    word = "no_key_vault"


class KeyVaultLocked(KeyVaultError):
    """The store is locked and was not opened."""

    word = "key_vault_locked"


class KeyVaultSilent(KeyVaultError):
    """The store did not answer in time; `params`: seconds."""

    word = "key_vault_silent"


class NothingToFold(AppError):
    """All of the conversation belongs to what stays word for word; `params`: tokens."""

    word = "nothing_to_fold"


class MemoUnusable(AppError):
    """The memo did not hold what it must, twice; the history stays as it was; `params`: missing."""

    word = "memo_unusable"


class SummaryUnusable(AppError):
    """What came back is no summary, twice; the context stays as it was; `params`: why (blank, refused, cut, tool_call,
    too_long)."""

    word = "summary_unusable"


class StrategyNotOffered(AppError):
    """The endpoint or the model cannot compact this way; nothing was changed; `params`: strategy."""

    word = "strategy_not_offered"


class ProposalOutdated(AppError):
    """The proposal was committed, rejected or overtaken meanwhile; nothing was changed."""

    word = "proposal_outdated"


class NotEditable(AppError):
    """The text belongs to a compaction that is not in use and no proposal; nothing was changed."""

    word = "not_editable"


class CompactionNotFound(NotFound):
    """The conversation has no compaction of this number; `params`: number."""

    word = "compaction_not_found"


class CompactionNotInUse(NotFound):
    """A compaction that does not stand in the context cannot be taken back; nothing was changed."""

    word = "compaction_not_in_use"


class SummaryBlank(BadInput):
    """A summary was emptied; nothing was changed."""

    word = "summary_blank"


class SummaryTooLong(BadInput):
    """A summary was made so long that no room is left in the window; nothing was changed; `params`: tokens, most."""

    word = "summary_too_long"


class PaymentRequired(EndpointError):
    """402: the account has no credit."""

    word = "payment_required"


class NotMessagesApi(EndpointError):
    """Something answers at the address, but not in the form of the Messages API; `params`: host."""

    word = "not_messages_api"


class ModelUnknown(EndpointError):
    """404: the endpoint has no such model or path; `params`: model."""

    word = "model_unknown"


class SummaryModelUnknown(ModelUnknown):
    """The endpoint does not know the model for summaries in the settings; `params`: model."""

    word = "summary_model_unknown"


class InvalidRequest(EndpointError):
    """400 and its relatives: the endpoint refuses the request; `params`: reason."""

    word = "invalid_request"


class ThinkingUnfit(EndpointError):
    """400: a thinking block no longer fits what stands before it; sending the same again cannot succeed."""

    word = "thinking_unfit"


class CompactionRefused(EndpointError):
    """The endpoint cannot compact this conversation; `params`: code (the API's word, without `compaction_`), reason."""

    word = "compaction_refused"


class CompactionUnfit(CompactionRefused):
    """The endpoint does not take its own compaction block back: it is not the one it gave, or stands elsewhere."""

    word = "compaction_unfit"


class WindowExceeded(EndpointError):
    """The endpoint found the request larger than the model's window; `params`: reason."""

    word = "window_exceeded"


class RateLimited(EndpointError):
    """429."""

    word = "rate_limited"
    retryable = True


class Overloaded(EndpointError):
    """529, 503, or an `overloaded_error` in a stream."""

    word = "overloaded"
    retryable = True


class CompactionUnavailable(Overloaded):
    """529: the endpoint cannot compact, or read a compaction block, at the moment."""

    word = "compaction_unavailable"


class ServerFailed(EndpointError):
    """Any other 5xx or `api_error`; `params`: reason."""

    word = "server_failed"
    retryable = True


class Unreachable(EndpointError):
    """No connection to the endpoint; `params`: host."""

    word = "unreachable"
    retryable = True


class HungUp(Unreachable):
    """The endpoint took the connection and ended it without an answer; `params`: host."""

    word = "hung_up"


class NetworkSettingsUnusable(Unreachable):
    """The proxy or the certificates the environment names cannot be used; `params`: host."""

    word = "network_settings"
    retryable = False


class Redirected(EndpointError):
    """The endpoint sends requests on to another address, which was not followed; `params`: host, target."""

    word = "redirected"


class ConnectionsEnded(EndpointError):
    """The process of this program that holds the connections ended by a fault; the next call starts a new one."""

    word = "connections_ended"
    retryable = True


class TimedOut(EndpointError):
    """The endpoint stayed silent for too long; `params`: seconds."""

    word = "timed_out"
    retryable = True


class StreamBroken(EndpointError):
    """The answer ended before its end; what had arrived was kept."""

    word = "stream_broken"
    retryable = True


class EmbedderUnavailable(AppError):
    """No vectors can be made now, and search goes by words alone; `params`: name of what cannot be used."""

    word = "embedder_unavailable"


class EmbedderNotInstalled(EmbedderUnavailable):
    """The package of an embedder is not there, or not made for this machine; `params`: name, package."""

    word = "embedder_not_installed"


class EmbedderUnreachable(EmbedderUnavailable):
    """Nobody answers at the address of the embedding server, or not in time; `params`: host."""

    word = "embedder_unreachable"


class EmbedderKeyRefused(EmbedderUnavailable):
    """The embedding server wants a key, or another one; `params`: host."""

    word = "embedder_key_refused"


class EmbedderModelUnknown(EmbedderUnavailable):
    """The embedding server does not know the model or the address; `params`: host, model."""

    word = "embedder_model_unknown"


class EmbedderBusy(EmbedderUnavailable):
    """The embedding server takes no more for now, or has a fault of its own; `params`: host, reason."""

    word = "embedder_busy"


class EmbedderRefused(EmbedderUnavailable):
    """The embedding server did not take the texts; `params`: host, reason."""

    word = "embedder_refused"


class EmbedderUnfit(EmbedderUnavailable):
    """What the server sent are not the vectors it was asked for; `params`: host, reason."""

    word = "embedder_unfit"
