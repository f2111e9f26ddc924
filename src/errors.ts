import { shareAcrossCopies } from "./copies.js";
import { hintOn, type MissingResource, missingMessage, quoted } from "./error-messages.js";

/**
 * Every error of the interface: its HTTP status and what it means. The answers, the OpenAPI document and the
 * reference are made from this table; a code stands nowhere else.
 */
export const errorCodes = {
  malformed_request: {
    status: 400,
    meaning: "The input is not a JSON object; or the URL is malformed.",
  },
  wrong_param_type: { status: 400, meaning: "A field or parameter has the wrong type; params name it." },
  unauthorized: { status: 401, meaning: "The token is missing, expired or invalid." },
  access_denied: { status: 403, meaning: "The token lacks the scope that the message names." },
  address_not_allowed: {
    status: 403,
    meaning:
      "The token may be used from other addresses only; params has the address of the request, or null.",
  },
  recent_sign_in_required: {
    status: 403,
    meaning: "The session began more than 15 minutes ago, and this needs a new one.",
  },
  resource_not_found: { status: 404, meaning: "It does not exist, or belongs to another organization." },
  method_not_allowed: { status: 405, meaning: "The path exists, but not with this method; see Allow." },
  user_tag_already_exists: { status: 409, meaning: "Another tag has this slug." },
  user_tag_already_assigned: { status: 409, meaning: "The user has this tag already." },
  segment_already_exists: { status: 409, meaning: "Another segment has this slug." },
  outbox_disabled: { status: 409, meaning: "The service stores no events, so a segment can't emit any." },
  segment_in_use: {
    status: 409,
    meaning: "The segment is in use, so it can't be deleted.",
  },
  user_already_exists: {
    status: 409,
    meaning: "Another user has this email or externalId.",
  },
  person_already_exists: { status: 409, meaning: "Another person of the organization has this email." },
  person_mailed_recently: {
    status: 409,
    meaning:
      "The organization has mailed the address five times within an hour, or all organizations ten times; params and Retry-After say when another mail may go.",
  },
  last_owner: {
    status: 409,
    meaning: "No other owner of the organization has signed in yet.",
  },
  template_already_exists: { status: 409, meaning: "Another template has this key." },
  template_in_use: { status: 409, meaning: "The template has passes, so it can't be deleted." },
  pass_never_installed: { status: 409, meaning: "A pass that was never installed can't be uninstalled." },
  not_a_stamp_card: { status: 409, meaning: "The pass is of a template without stamps." },
  not_enough_stamps: { status: 409, meaning: "More stamps were to be taken than the card has." },
  already_reversed: { status: 409, meaning: "Another entry reverses this one." },
  not_reversible: { status: 409, meaning: "An entry that reverses another one can't be reversed." },
  reward_already_redeemed: {
    status: 409,
    meaning: "The entry earned a reward that has been redeemed; reverse that first.",
  },
  no_reward_available: { status: 409, meaning: "The card has no reward to redeem." },
  app_has_no_secret: { status: 409, meaning: "The app is public, so it has no secret." },
  mail_not_configured: { status: 409, meaning: "The service sends no mails." },
  no_mail_address: { status: 409, meaning: "The customer has no address that mail could be sent to." },
  address_suppressed: {
    status: 409,
    meaning:
      "The customer's address or its owner has refused mail; nothing is sent until the address changes.",
  },
  pass_notified_recently: {
    status: 409,
    meaning:
      "A mail about the pass went to the customer in the last minute, or three in 24 hours, or ten about all their passes; params and Retry-After say when another may go.",
  },
  customer_unsubscribed: {
    status: 409,
    meaning: "The customer has ended messages; only a new consent with its text and a later time counts.",
  },
  wallets_not_configured: { status: 409, meaning: "The service has no wallets." },
  message_not_draft: {
    status: 409,
    meaning: "Only drafts can be changed, deleted and sent.",
  },
  message_ended: { status: 409, meaning: "The message has been sent, has expired or was canceled." },
  message_tested_recently: {
    status: 409,
    meaning:
      "The organization has tested messages ten times in the last hour; params and Retry-After say when another test may go.",
  },
  webhook_endpoint_disabled: { status: 409, meaning: "Nothing is sent to a disabled webhook endpoint." },
  too_many_api_tokens: { status: 409, meaning: "The organization has as many as it may have." },
  too_many_apps: { status: 409, meaning: "The organization has as many as it may have." },
  too_many_automations: { status: 409, meaning: "The organization has as many as it may have." },
  too_many_automation_versions: {
    status: 409,
    meaning:
      "Too many earlier versions of the automation are kept for the runs that began with them; params says how many.",
  },
  too_many_grants: { status: 409, meaning: "The organization has as many as it may have." },
  too_many_passkeys: { status: 409, meaning: "The person has as many as they may have." },
  too_many_people: { status: 409, meaning: "The organization has as many as it may have." },
  too_many_user_tags: { status: 409, meaning: "The organization has as many as it may have." },
  too_many_messages: { status: 409, meaning: "The organization has as many as it may have." },
  too_many_segments: { status: 409, meaning: "The organization has as many as it may have." },
  too_many_templates: { status: 409, meaning: "The organization has as many as it may have." },
  too_many_webhook_endpoints: { status: 409, meaning: "The organization has as many as it may have." },
  too_many_pending_deliveries: {
    status: 409,
    meaning: "Too many deliveries are pending; some must end first.",
  },
  too_many_pictures: {
    status: 409,
    meaning: "The designs show as many pictures as the organization may have.",
  },
  idempotency_key_in_use: { status: 409, meaning: "A call with this key is under way; ask again soon." },
  payload_too_large: { status: 413, meaning: "The body is over 1 MiB." },
  unsupported_media_type: { status: 415, meaning: "The body is compressed or not application/json." },
  validation_failed: {
    status: 422,
    meaning: "Fields are missing or have wrong values.",
  },
  idempotency_key_reused: {
    status: 422,
    meaning: "The key was used before, with another request or for another caller's secret.",
  },
  rate_limit_exceeded: {
    status: 429,
    meaning:
      "Too many requests, too costly ones, or too many invitations on a day; Retry-After tells how long to wait.",
  },
  internal_error: { status: 500, meaning: "An unexpected error; the host's log has it." },
  storage_unavailable: {
    status: 503,
    meaning:
      "The storage is busy, full, closed or can't be reached. In process, the message says which, and what helps.",
  },
} as const satisfies Record<string, { status: number; meaning: string }>;

export type ErrorCode = keyof typeof errorCodes;

/** The values already taken when a user can't be created or changed, as they were sent. */
export interface UserConflicts {
  readonly email_already_exists?: readonly [email: string];
  readonly external_id_already_exists?: readonly [externalId: string];
}

type CodeWithDetail = "access_denied" | "validation_failed" | "user_already_exists";

/** The detail says what went wrong, discriminated by `code`. */
export type ErrorDetail =
  | { readonly code: Exclude<ErrorCode, CodeWithDetail>; readonly params: readonly string[] | null }
  | { readonly code: "access_denied"; readonly scope: string }
  | { readonly code: "validation_failed"; readonly fields: Readonly<Record<string, string>> }
  | { readonly code: "user_already_exists"; readonly conflicts: UserConflicts };

export interface LoyaltyErrorOptions extends ErrorOptions {
  readonly missing?: MissingResource | null;
  /** Default: what `detail` says. */
  readonly message?: string;
}

/** The page of the package that has an entry for each code. */
const ERRORS_PAGE = "loyalty-kit/docs/errors.md";

/**
 * The library throws this error alone on purpose. Anything else that escapes it is a fault.
 *
 * @example
 * import { LoyaltyError } from "loyalty-kit";
 *
 * const error = await cafe.users.get("nobody").catch((thrown: unknown) => thrown);
 * if (error instanceof LoyaltyError) console.log(error.code, error.docs);
 */
export class LoyaltyError<Code extends ErrorCode = ErrorCode> extends Error {
  static {
    shareAcrossCopies(LoyaltyError, "LoyaltyError");
  }

  override readonly name = "LoyaltyError";
  readonly code: Code;
  /** The HTTP status of the error. Frameworks read it from an error that a route leaves uncaught, and may set it. */
  status: number;
  /** The same as `status`, for the frameworks that read this name. */
  statusCode: number;
  /** Whether clients may read the message; frameworks that answer uncaught errors ask. False from status 500 on. */
  expose: boolean;
  /** Says what went wrong, with fields that depend on `code`. */
  readonly detail: ErrorDetail & { readonly code: Code };
  /** The resource that was not found; `null` for other errors, and where that is not known. */
  readonly missing: MissingResource | null;
  /** The file of this package, and its section, that says what to do: `loyalty-kit/docs/errors.md#resource_not_found`. */
  readonly docs: string;

  constructor(detail: ErrorDetail & { readonly code: Code }, options: LoyaltyErrorOptions = {}) {
    const { missing = null, message = describe(detail, missing) } = options;
    super(message, options);
    this.code = detail.code;
    this.status = errorCodes[detail.code].status;
    this.statusCode = this.status;
    this.expose = this.status < 500;
    this.detail = detail;
    this.missing = missing;
    this.docs = `${ERRORS_PAGE}#${detail.code}`;
  }

  /** Makes a response for a route to return. Hono calls it for an error that a route leaves uncaught. */
  getResponse(): Response {
    const message = this.expose ? this.message : errorCodes.internal_error.meaning;
    return Response.json({ code: this.code, message }, { status: this.status });
  }
}

/** A {@link LoyaltyError} of any code: once `code` is compared, TypeScript knows the fields of `detail`. */
export type AnyLoyaltyError = { readonly [Code in ErrorCode]: LoyaltyError<Code> }[ErrorCode];

/**
 * Returns true for a {@link LoyaltyError}, and with `code` for one of that code alone. Copies of the package in one process
 * recognize each other's errors.
 *
 * @example
 * import { isLoyaltyError } from "loyalty-kit";
 *
 * const anna = await cafe.users.create({ email: "anna@example.com" }).catch((error: unknown) => {
 *   if (!isLoyaltyError(error, "user_already_exists")) throw error;
 *   console.log("taken:", error.detail.conflicts);
 *   return null;
 * });
 */
export function isLoyaltyError(error: unknown): error is AnyLoyaltyError;
export function isLoyaltyError<Code extends ErrorCode>(
  error: unknown,
  code: Code,
): error is LoyaltyError<Code>;
export function isLoyaltyError(error: unknown, code?: ErrorCode): boolean {
  return error instanceof LoyaltyError && (code === undefined || error.code === code);
}

/**
 * @param missing `null` where that is not known.
 * @param value the id, slug or other value that the caller looked for.
 * @param organizationId where.
 * @param near a value of one that exists, which the caller may have meant.
 */
export function notFound(
  missing: MissingResource | null,
  value?: string,
  organizationId?: string,
  near?: string,
): LoyaltyError {
  const detail = { code: "resource_not_found", params: null } as const;
  if (missing === null) return new LoyaltyError(detail);
  const hint = near === undefined ? hintOn(missing, value) : `Did you mean ${quoted(near)}?`;
  const message = `${missingMessage(missing, value, organizationId)} ${hint}`;
  return new LoyaltyError(detail, { missing, message });
}

/** Why storage is unavailable, each in words that say what helps. */
const unavailableReasons = {
  closed: "The service is closed. Trying again doesn't help: open a new service.",
  full: "The disk of the database is full. Free some space, then try again.",
  locked:
    "Another transaction has kept the database locked for too long. Try again. Inside a transaction, make each call through the organization that the transaction gives: other calls wait until it ends.",
  nested:
    "A transaction of the host is still open, and this call waits for its end. Inside a transaction, make each call through the organization that the transaction gives.",
  taken:
    "Another transaction has the lock for writing. Roll back and run yours again, best with loyalty.runBetweenTransactions.",
  slow: "The transaction was still open at its timeout, so it was rolled back. Inside a transaction, make each call through the organization that the transaction gives: other calls wait until it ends. Or do less in it, or set a longer timeout.",
  raced: "Other changes got in the way. Run the transaction again.",
  crowded: "Too many calls are waiting, or they take too long. Try again later, with fewer at the same time.",
  unreachable: "The database can't be reached. Try again when it is back.",
  refused: "The database refuses the login, or doesn't exist. Check the connection string.",
  readOnly: "The database only accepts reads. Connect to its primary, or try again after the failover.",
  migrated: "Another release has migrated the database. Run that release.",
  replaced: "Another database has taken this one's place. Start the process again.",
  pictures: "Pictures can't be decoded at the moment. Try again.",
  keys: "The keys that verify tokens can't be fetched. Try again.",
} as const;

type UnavailableReason = keyof typeof unavailableReasons;

/** Returns `storage_unavailable` in words that say why, and what helps. */
export function unavailable(reason: UnavailableReason, cause?: unknown): LoyaltyError<"storage_unavailable"> {
  const message = unavailableReasons[reason];
  return new LoyaltyError({ code: "storage_unavailable", params: null }, { message, cause });
}

export function accessDenied(scope: string): LoyaltyError {
  return new LoyaltyError({ code: "access_denied", scope });
}

export function invalid(fields: Readonly<Record<string, string>>): LoyaltyError {
  return new LoyaltyError({ code: "validation_failed", fields });
}

/** Returns `validation_failed` on each of the keys that were not known; `null` when there are none. */
export function refusalOfKeys(paths: readonly string[]): LoyaltyError | null {
  return paths.length === 0
    ? null
    : invalid(Object.fromEntries(paths.map((path) => [path, "is unknown here"])));
}

export function failure(
  code: Exclude<ErrorCode, CodeWithDetail>,
  params: readonly string[] | null = null,
  options?: Omit<LoyaltyErrorOptions, "missing">,
): LoyaltyError {
  return new LoyaltyError({ code, params }, options);
}

function describe(detail: ErrorDetail, missing: MissingResource | null): string {
  switch (detail.code) {
    case "access_denied":
      return `The scope ${detail.scope} is required.`;
    case "validation_failed":
      return Object.entries(detail.fields)
        .map(([field, message]) => `${field} ${message}`)
        .join("; ");
    case "user_already_exists":
      return `Another user has the ${takenValues(detail.conflicts).join(" and the ")}.`;
    case "wrong_param_type":
      return detail.params === null
        ? errorCodes.wrong_param_type.meaning
        : `${detail.params.map(quoted).join(", ")} ${detail.params.length === 1 ? "has" : "have"} the wrong type.`;
    default:
      if (missing !== null) return missingMessage(missing);
      return detail.params === null
        ? errorCodes[detail.code].meaning
        : `${errorCodes[detail.code].meaning} (${detail.params.join(", ")})`;
  }
}

function takenValues({ email_already_exists, external_id_already_exists }: UserConflicts): string[] {
  return [
    ...(email_already_exists ?? []).map((email) => `email ${quoted(email)}`),
    ...(external_id_already_exists ?? []).map((id) => `externalId ${quoted(id)}`),
  ];
}
