/** What the API answers when it refuses. */
interface Refusal {
  readonly code?: string;
  readonly message?: string;
  readonly params?: readonly string[] | null;
  readonly STANDARD_VALIDATION?: Readonly<Record<string, string>>;
  readonly CUSTOM_VALIDATION?: Readonly<Record<string, readonly string[]>>;
}

const words: Readonly<Record<string, string>> = {
  user_tag_already_exists: "Another tag has that name already.",
  user_tag_already_assigned: "The customer has this tag already.",
  template_in_use: "Customers have this card, so it can’t be deleted.",
  not_a_stamp_card: "This card has no stamps.",
  not_enough_stamps: "The card doesn’t have that many stamps.",
  already_reversed: "This was undone already.",
  reward_already_redeemed: "The reward it gave has been redeemed. Undo that first.",
  no_reward_available: "There is no reward on this card.",
  webhook_endpoint_disabled: "The endpoint is disabled. Enable it first.",
  rate_limit_exceeded: "That was too much at once.",
  resource_not_found: "It isn’t there, or not any more.",
  storage_unavailable: "The server is busy. Try again in a moment.",
  internal_error: "Something went wrong on the server. Its log says what.",
};

const fieldWords: Readonly<Record<string, readonly [field: string, message: string]>> = {
  email_already_exists: ["email", "Another customer has this address."],
  external_id_already_exists: ["externalId", "Another customer has this id."],
};

/** A call that did not do what was asked for. `status` is 0 when no answer came. */
export class CallError extends Error {
  override readonly name = "CallError";

  private constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** What is wrong with single fields. */
    readonly fields: Readonly<Record<string, string>> = {},
    /** Seconds after which it is worth trying again; `null` when nobody said so. */
    readonly retryAfter: number | null = null,
  ) {
    super(message);
  }

  static unanswered(): CallError {
    return new CallError(0, "unanswered", "The server can’t be reached.");
  }

  static of(status: number, refusal: Refusal, retryAfter: number | null): CallError {
    const fields = { ...refusal.STANDARD_VALIDATION, ...conflicts(refusal.CUSTOM_VALIDATION) };
    const code = refusal.code ?? (Object.keys(fields).length > 0 ? "validation_failed" : "unknown");
    const wait =
      retryAfter === null ? "" : ` Try again in ${retryAfter} ${retryAfter === 1 ? "second" : "seconds"}.`;
    return new CallError(
      status,
      code,
      `${messageOf(status, code, refusal, fields)}${wait}`,
      fields,
      retryAfter,
    );
  }
}

function conflicts(taken: Refusal["CUSTOM_VALIDATION"]): Record<string, string> {
  return Object.fromEntries(
    Object.keys(taken ?? {}).flatMap((code) => {
      const words = fieldWords[code];
      return words === undefined ? [] : [words];
    }),
  );
}

function messageOf(
  status: number,
  code: string,
  refusal: Refusal,
  fields: Readonly<Record<string, string>>,
): string {
  if (code === "access_denied")
    return `You may not do this here: ${refusal.message ?? "a scope is missing"}.`;
  if (code === "unauthorized") return "You are not signed in any more.";
  const [first] = Object.entries(fields);
  if (first !== undefined) return `${first[0]}: ${first[1]}`;
  if (code.startsWith("too_many_")) return "The organization has as many as it may have.";
  return words[code] ?? `The server refused it (${status} ${code}).`;
}
