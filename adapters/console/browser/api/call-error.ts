import type { ErrorCode } from "../../../../src/errors.js";
import type { AnsweredError } from "../../../client/refusal.js";

const messages: Readonly<Record<string, string>> = {
  unauthorized: "You are not signed in any more.",
  user_tag_already_exists: "Another tag has that name already.",
  user_tag_already_assigned: "The customer has this tag already.",
  segment_already_exists: "Another segment has that name already.",
  segment_in_use: "The segment is still needed, so it can’t be deleted.",
  template_in_use: "Customers have this card, so it can’t be deleted.",
  not_a_stamp_card: "This card has no stamps.",
  not_enough_stamps: "The card doesn’t have that many stamps.",
  already_reversed: "This was undone already.",
  reward_already_redeemed: "The reward it gave has been redeemed. Undo that first.",
  no_reward_available: "There is no reward on this card.",
  mail_not_configured: "This server sends no mails yet. Settings says how that is set up.",
  no_mail_address: "The customer has no address that mail could be sent to.",
  address_suppressed: "Nothing is sent to the customer’s address any more, until it is changed.",
  customer_unsubscribed:
    "The customer has ended these messages. Say when they agreed anew: it has to be after that.",
  message_not_draft: "The message is no draft any more.",
  message_tested_recently: "There were ten tests in the last hour, which is as many as there may be.",
  message_ended: "The message has ended already.",
  wallets_not_configured: "This server puts no cards into wallets yet.",
  too_many_messages:
    "There are as many messages as there may be, or too many are scheduled or being sent at once.",
  too_many_automations: "There are as many automations as there may be. Delete one that you don’t need.",
  too_many_automation_versions:
    "It was changed so often that no more of its earlier forms can be kept. Make another one, and delete this.",
  too_many_pending_deliveries: "So many mails wait to be sent that there is no room for more.",
  webhook_endpoint_disabled: "The endpoint is disabled. Enable it first.",
  pass_notified_recently: "This card was mailed a short while ago.",
  rate_limit_exceeded: "That was too much at once.",
  resource_not_found: "It isn’t there, or not any more.",
  storage_unavailable: "The server is busy. Try again in a moment.",
  internal_error: "Something went wrong on the server. Its log says what.",
} satisfies Partial<Record<ErrorCode, string>>;

/** A call that failed. */
export class CallError extends Error {
  override readonly name = "CallError";
  readonly code: string | null;
  /** The messages by the field that each is about. */
  readonly fields: Readonly<Record<string, string>>;
  /** What the refusal is about, such as what uses a thing that is to be deleted. */
  readonly params: readonly string[];

  /**
   * @param status 0 when no answer came, and 400 for a call that no request can say.
   * @param refusal `null` for an answer that is not one of the API.
   * @param retryAfter the seconds after which the server asks to try again; `null` when it says nothing.
   * @param missing what there is none of, of what the call named; `null` when it is not said.
   */
  constructor(
    readonly status: number,
    refusal: AnsweredError | null,
    readonly retryAfter: number | null = null,
    readonly missing: string | null = null,
  ) {
    const fields = fieldsOf(refusal);
    const wait = retryAfter === null ? "" : ` Try again in ${waitText(retryAfter)}.`;
    super(`${messageOf(status, refusal, fields)}${wait}`);
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
  if (seconds > 7_200) return `${Math.ceil(seconds / 3_600)} hours`;
  if (seconds > 120) return `${Math.ceil(seconds / 60)} minutes`;
  return `${seconds} ${seconds === 1 ? "second" : "seconds"}`;
}

/** @throws the error itself when it is none of a call. */
export function callErrorOf(error: unknown): CallError {
  if (error instanceof CallError) return error;
  throw error;
}

function fieldsOf(refusal: AnsweredError | null): Readonly<Record<string, string>> {
  if (refusal === null) return {};
  if ("fields" in refusal) return refusal.fields;
  if (!("conflicts" in refusal)) return {};
  const { email_already_exists: email, external_id_already_exists: externalId } = refusal.conflicts;
  return {
    ...(email && { email: "Another customer has this address." }),
    ...(externalId && { externalId: "Another customer has this number." }),
  };
}

function messageOf(
  status: number,
  refusal: AnsweredError | null,
  fields: Readonly<Record<string, string>>,
): string {
  if (status === 0) return "The server can’t be reached.";
  if (refusal !== null && "scope" in refusal) {
    return `You may not do this here: your sign-in lacks ${refusal.scope}.`;
  }
  const [first] = Object.entries(fields);
  if (first !== undefined) return `${first[0]}: ${first[1]}`;
  const { code } = refusal ?? { code: "unknown" };
  const words = messages[code];
  if (words !== undefined) return words;
  if (code.startsWith("too_many_"))
    return "There are as many as there may be. Delete one that you don’t need.";
  return `The server refused it (${status} ${code}).`;
}
