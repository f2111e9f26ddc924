import type { ResponseError } from "../../../../http/client/error-response.js";
import { fieldError, refusals, callErrors as words } from "../words/en/call-errors.js";

const messages: Readonly<Record<string, string>> = refusals;

/** The error that a failed API call rejects with. Its message can be shown to the user. */
export class CallError extends Error {
  override readonly name = "CallError";
  readonly code: string | null;
  /** Error messages for the request's fields, keyed by field name. */
  readonly fields: Readonly<Record<string, string>>;
  /**
   * The API error's parameters. For example, if a resource can't be deleted because it is in use, the parameters are the resources
   * that use it.
   */
  readonly params: readonly string[];

  /**
   * @param status the HTTP status, 0 if there was no response, or 400 if the call's arguments couldn't be converted to a request.
   * @param responseError the API's error, or `null` if the response isn't an API error.
   * @param retryAfter the number of seconds to wait before retrying, or `null` if the server didn't specify one.
   * @param missingResource the kind of resource that wasn't found, or `null` if it is unknown.
   */
  constructor(
    readonly status: number,
    responseError: ResponseError | null,
    readonly retryAfter: number | null = null,
    readonly missingResource: string | null = null,
  ) {
    const fields = readFieldErrors(responseError);
    const retryHint = retryAfter === null ? "" : ` ${words.tryAgainIn(formatWait(retryAfter))}`;
    super(`${describeError(status, responseError, fields)}${retryHint}`);
    this.code = responseError?.code ?? null;
    this.fields = fields;
    this.params = (responseError !== null && "params" in responseError ? responseError.params : null) ?? [];
  }

  /**
   * Returns the error for a form that edits only one part of the request. The part's prefix is removed from the field names so that
   * they match the form's own fields. If there are no field errors, returns this error unchanged.
   * @param part the part's field name in the request.
   */
  stripFieldPrefix(part: string): CallError {
    const fields = Object.entries(this.fields).map(([name, message]) => [
      name.startsWith(`${part}.`) ? name.slice(part.length + 1) : name,
      message,
    ]);
    if (fields.length === 0) return this;
    return new CallError(this.status, { code: "validation_failed", fields: Object.fromEntries(fields) });
  }
}

/** Describes a wait, rounded up, for example "5 seconds", "3 minutes" or "24 hours". */
function formatWait(seconds: number): string {
  if (seconds > 7_200) return words.hours(Math.ceil(seconds / 3_600));
  if (seconds > 120) return words.minutes(Math.ceil(seconds / 60));
  return words.seconds(seconds);
}

/**
 * Returns the error if it is a {@link CallError}.
 * @throws any other error, unchanged.
 */
export function requireCallError(error: unknown): CallError {
  if (error instanceof CallError) return error;
  throw error;
}

/**
 * Loads code on demand.
 * @throws {CallError} if the server can't be reached.
 */
export async function loadCode<Code>(load: () => Promise<Code>): Promise<Code> {
  try {
    return await load();
  } catch {
    throw new CallError(0, null);
  }
}

function readFieldErrors(responseError: ResponseError | null): Readonly<Record<string, string>> {
  if (responseError === null) return {};
  if ("fields" in responseError) {
    return Object.fromEntries(
      Object.entries(responseError.fields).map(([name, message]) => [name, fieldError(message)]),
    );
  }
  if (!("conflicts" in responseError)) return {};
  const { email_already_exists: email, external_id_already_exists: externalId } = responseError.conflicts;
  return {
    ...(email && { email: words.sameEmail }),
    ...(externalId && { externalId: words.sameNumber }),
  };
}

function describeError(
  status: number,
  responseError: ResponseError | null,
  fields: Readonly<Record<string, string>>,
): string {
  if (status === 0) return words.unreachable;
  if (responseError !== null && "scope" in responseError) {
    return words.lacksScope(responseError.scope);
  }
  const [firstField] = Object.entries(fields);
  if (firstField !== undefined) return `${firstField[0]}: ${firstField[1]}`;
  const { code } = responseError ?? { code: "unknown" };
  const message = messages[code];
  if (message !== undefined) return message;
  if (code.startsWith("too_many_")) return words.tooMany;
  return words.refused(status, code);
}
