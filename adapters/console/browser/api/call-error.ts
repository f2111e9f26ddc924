import type { ResponseError } from "../../../client/error-response.js";
import { fieldError, refusals, callErrors as words } from "../words/en/call-errors.js";

const messages: Readonly<Record<string, string>> = refusals;

/** A call that failed. */
export class CallError extends Error {
  override readonly name = "CallError";
  readonly code: string | null;
  /** The messages by the field that each is about. */
  readonly fields: Readonly<Record<string, string>>;
  /** The parameters of the error, such as the names of resources that still use the one to delete. */
  readonly params: readonly string[];

  /**
   * @param status 0 when no answer came, and 400 for a call that no request can say.
   * @param refusal `null` for an answer that is not one of the API.
   * @param retryAfter the seconds after which the server asks to try again; `null` if it says nothing.
   * @param missing what there is none of, of what the call named; `null` if it is not said.
   */
  constructor(
    readonly status: number,
    refusal: ResponseError | null,
    readonly retryAfter: number | null = null,
    readonly missing: string | null = null,
  ) {
    const fields = readFieldErrors(refusal);
    const wait = retryAfter === null ? "" : ` ${words.tryAgainIn(waitText(retryAfter))}`;
    super(`${describeError(status, refusal, fields)}${wait}`);
    this.code = refusal?.code ?? null;
    this.fields = fields;
    this.params = (refusal !== null && "params" in refusal ? refusal.params : null) ?? [];
  }

  /** Returns the same error for a form that edits one part of what was sent: its fields have the names that they have there. */
  within(part: string): CallError {
    const fields = Object.entries(this.fields).map(([name, message]) => [
      name.startsWith(`${part}.`) ? name.slice(part.length + 1) : name,
      message,
    ]);
    if (fields.length === 0) return this;
    return new CallError(this.status, { code: "validation_failed", fields: Object.fromEntries(fields) });
  }
}

/** 5 seconds, 3 minutes, 24 hours: never less than it is. */
function waitText(seconds: number): string {
  if (seconds > 7_200) return words.hours(Math.ceil(seconds / 3_600));
  if (seconds > 120) return words.minutes(Math.ceil(seconds / 60));
  return words.seconds(seconds);
}

/** @throws the error itself when it is none of a call. */
export function requireCallError(error: unknown): CallError {
  if (error instanceof CallError) return error;
  throw error;
}

function readFieldErrors(refusal: ResponseError | null): Readonly<Record<string, string>> {
  if (refusal === null) return {};
  if ("fields" in refusal) {
    return Object.fromEntries(
      Object.entries(refusal.fields).map(([name, message]) => [name, fieldError(message)]),
    );
  }
  if (!("conflicts" in refusal)) return {};
  const { email_already_exists: email, external_id_already_exists: externalId } = refusal.conflicts;
  return {
    ...(email && { email: words.sameEmail }),
    ...(externalId && { externalId: words.sameNumber }),
  };
}

function describeError(
  status: number,
  refusal: ResponseError | null,
  fields: Readonly<Record<string, string>>,
): string {
  if (status === 0) return words.unreachable;
  if (refusal !== null && "scope" in refusal) {
    return words.lacksScope(refusal.scope);
  }
  const [first] = Object.entries(fields);
  if (first !== undefined) return `${first[0]}: ${first[1]}`;
  const { code } = refusal ?? { code: "unknown" };
  const message = messages[code];
  if (message !== undefined) return message;
  if (code.startsWith("too_many_")) return words.tooMany;
  return words.refused(status, code);
}
