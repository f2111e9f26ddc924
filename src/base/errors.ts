import { shareAcrossCopies } from "./copies.js";
import { formatMissingMessage, getLookupHint, type MissingResource, quoteValue } from "./error-messages.js";

/**
 * Every error code in the API, with its HTTP status and meaning. All codes are defined here, and the responses, the OpenAPI
 * document, and the reference are generated from this table.
 */
export const errorCodes = {
  malformed_request: {
    status: 400,
    meaning: "The body isn't a JSON object, or the URL is malformed.",
  },
  wrong_param_type: {
    status: 400,
    meaning: "A field or parameter has the wrong type. params contains its name.",
  },
  unauthorized: { status: 401, meaning: "The token is missing, expired or invalid." },
  access_denied: { status: 403, meaning: "The token lacks the scope named in the message." },
  address_not_allowed: {
    status: 403,
    meaning:
      "The token can't be used from this IP address. params contains the address, or null if it's unknown.",
  },
  recent_sign_in_required: {
    status: 403,
    meaning: "You must have signed in within the last 15 minutes.",
  },
  resource_not_found: {
    status: 404,
    meaning: "The resource doesn't exist, or belongs to another organization.",
  },
  method_not_allowed: {
    status: 405,
    meaning: "This path doesn't support this method. See the Allow header.",
  },
  user_tag_already_exists: { status: 409, meaning: "Another tag already has this slug." },
  user_tag_already_assigned: { status: 409, meaning: "The user already has this tag." },
  segment_already_exists: { status: 409, meaning: "Another segment already has this slug." },
  outbox_disabled: {
    status: 409,
    meaning: "This service doesn't store events, so segments can't emit them.",
  },
  segment_in_use: {
    status: 409,
    meaning: "The segment is in use, so this change isn't allowed.",
  },
  user_already_exists: {
    status: 409,
    meaning: "Another user already has this email address or external ID.",
  },
  person_already_exists: {
    status: 409,
    meaning: "Another staff member in the organization already has this email address.",
  },
  person_mailed_recently: {
    status: 409,
    meaning:
      "In the last hour, this address received five emails from the organization, or ten from all " +
      "organizations. params and Retry-After indicate when the next email is allowed.",
  },
  last_owner: {
    status: 409,
    meaning: "The organization has no other owner who has signed in.",
  },
  template_already_exists: { status: 409, meaning: "Another template already has this key." },
  template_in_use: {
    status: 409,
    meaning: "Passes have been issued from this template, so it can't be deleted.",
  },
  pass_never_installed: {
    status: 409,
    meaning: "A pass that was never installed can't be marked as uninstalled.",
  },
  not_a_point_card: { status: 409, meaning: "The pass's template has no points." },
  not_enough_points: { status: 409, meaning: "The card has fewer usable points than needed." },
  purchase_conflict: {
    status: 409,
    meaning: "The purchase was recorded with the same revision and different content.",
  },
  return_conflict: { status: 409, meaning: "The return was recorded with different content." },
  not_a_stamp_card: { status: 409, meaning: "The pass's template isn't a stamp card." },
  not_enough_stamps: { status: 409, meaning: "The card has fewer stamps than you tried to remove." },
  already_reversed: { status: 409, meaning: "This entry has already been reversed." },
  not_reversible: {
    status: 409,
    meaning: "This kind of entry can't be reversed. Purchases correct their own entries.",
  },
  reward_already_redeemed: {
    status: 409,
    meaning: "The reward earned by this entry has already been redeemed. Reverse the redemption first.",
  },
  no_reward_available: { status: 409, meaning: "The card has no reward to redeem." },
  app_has_no_secret: { status: 409, meaning: "The app is public, so it has no secret." },
  mail_not_configured: { status: 409, meaning: "No mail server is configured for this service." },
  no_mail_address: { status: 409, meaning: "The customer has no email address." },
  address_suppressed: {
    status: 409,
    meaning:
      "Email to this address is suppressed because an email bounced or the recipient objected. Nothing is " +
      "sent to the customer by email until their address changes.",
  },
  pass_notified_recently: {
    status: 409,
    meaning:
      "This pass was emailed to the customer in the last minute or three times in the last 24 hours, or " +
      "the customer received ten emails about their passes in the last 24 hours. params and Retry-After " +
      "indicate when the next email is allowed.",
  },
  customer_unsubscribed: {
    status: 409,
    meaning:
      "The customer has unsubscribed. To subscribe them again, provide the text that they have since " +
      "agreed to and the time when they did.",
  },
  wallets_not_configured: { status: 409, meaning: "No wallets are configured for this service." },
  message_not_draft: {
    status: 409,
    meaning: "The message isn't a draft. Only drafts can be changed, deleted or sent.",
  },
  message_ended: { status: 409, meaning: "The message has already been sent or canceled, or has expired." },
  message_tested_recently: {
    status: 409,
    meaning:
      "The organization has sent ten test messages in the last hour. params and Retry-After indicate when " +
      "the next one is allowed.",
  },
  webhook_endpoint_disabled: {
    status: 409,
    meaning: "The webhook endpoint is disabled, so no events are sent to it.",
  },
  too_many_api_tokens: {
    status: 409,
    meaning: "The organization has reached its limit for API tokens (limits.apiTokens).",
  },
  too_many_apps: { status: 409, meaning: "The organization has reached its limit for apps (limits.apps)." },
  too_many_automations: {
    status: 409,
    meaning: "The organization has reached its limit for automations (limits.automations).",
  },
  too_many_automation_versions: {
    status: 409,
    meaning:
      "Waiting runs still use too many earlier versions of this automation. params contains the limit.",
  },
  too_many_grants: {
    status: 409,
    meaning:
      "The organization or this user has reached the limit for grants (limits.grants, limits.grantsPerSubject).",
  },
  too_many_passkeys: { status: 409, meaning: "This staff member has reached the limit of 10 passkeys." },
  too_many_people: {
    status: 409,
    meaning: "The organization has reached its limit for staff members (limits.people).",
  },
  too_many_user_tags: {
    status: 409,
    meaning: "The organization has reached its limit for tags (limits.tags).",
  },
  too_many_messages: {
    status: 409,
    meaning:
      "The organization has reached its limit for stored, scheduled or sending messages (limits.messages, limits.scheduledMessages, limits.sendingMessages).",
  },
  too_many_segments: {
    status: 409,
    meaning: "The organization has reached its limit for segments (limits.segments).",
  },
  too_many_templates: {
    status: 409,
    meaning: "The organization has reached its limit for templates (limits.templates).",
  },
  too_many_webhook_endpoints: {
    status: 409,
    meaning: "The organization has reached its limit for webhook endpoints (limits.webhookEndpoints).",
  },
  too_many_pending_deliveries: {
    status: 409,
    meaning: "Too many deliveries are pending. Try again after some of them have finished.",
  },
  too_many_pictures: {
    status: 409,
    meaning: "The organization's designs already use the maximum of 200 pictures.",
  },
  idempotency_key_in_use: {
    status: 409,
    meaning: "A request with this idempotency key is still in progress. Try again shortly.",
  },
  payload_too_large: { status: 413, meaning: "The body is larger than 1 MiB." },
  unsupported_media_type: {
    status: 415,
    meaning: "The body is compressed, or its type isn't application/json.",
  },
  validation_failed: {
    status: 422,
    meaning: "One or more fields are missing or invalid.",
  },
  more_than_bought: {
    status: 422,
    meaning:
      "More of a line would be returned than was bought. The value is the line's path, such as lines.0.",
  },
  idempotency_key_reused: {
    status: 422,
    meaning:
      "This idempotency key was already used for a different request, or by another caller for a request " +
      "whose response contains a secret.",
  },
  rate_limit_exceeded: {
    status: 429,
    meaning:
      "You sent too many requests, made too many expensive requests, or sent too many invitations in one " +
      "day. Retry-After indicates how long to wait.",
  },
  internal_error: { status: 500, meaning: "An unexpected error occurred. See the server log." },
  storage_unavailable: {
    status: 503,
    meaning:
      "The storage is busy, full, closed or unreachable. If you use the library directly, the message " +
      "explains the reason and what to do.",
  },
} as const satisfies Record<string, { status: number; meaning: string }>;

export type ErrorCode = keyof typeof errorCodes;

/** The values in a create or update request that are already taken by another user. */
export interface UserConflicts {
  /** The requested email address, which is already taken by another user. */
  readonly email_already_exists?: readonly [email: string];
  /** The requested external ID, which is already taken by another user. */
  readonly external_id_already_exists?: readonly [externalId: string];
}

type CodeWithDetail = "access_denied" | "validation_failed" | "user_already_exists";

/** The details of an error. `code` determines which other fields are present. */
export type ErrorDetail =
  | {
      /** The error code. It stays the same in all releases, so programs can rely on it. */
      readonly code: Exclude<ErrorCode, CodeWithDetail>;
      /** The values in question, such as an invalid field's name or the time when a retry is allowed. `null` if there are none. */
      readonly params: readonly string[] | null;
    }
  | {
      readonly code: "access_denied";
      /** The scope that the caller lacks. */
      readonly scope: string;
    }
  | {
      readonly code: "validation_failed";
      /** A message for each invalid field. Nested fields are named by path, such as `user.email`. */
      readonly fields: Readonly<Record<string, string>>;
    }
  | {
      readonly code: "user_already_exists";
      /** The values that another user already has. */
      readonly conflicts: UserConflicts;
    };

export interface LoyaltyErrorOptions extends ErrorOptions {
  readonly missing?: MissingResource | null;
  /** The error message. Default: a message derived from `detail`. */
  readonly message?: string;
}

/** The documentation page that explains each error code. */
const ERRORS_PAGE = "loyalty-kit/docs/errors.md";

/**
 * The only error that the library throws deliberately. Any other error is a bug.
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

  /** Makes `instanceof` narrow to the union of the error types for all codes, so that checking `code` also narrows `detail`. */
  declare static readonly [Symbol.hasInstance]: (value: unknown) => value is AnyLoyaltyError;

  override readonly name = "LoyaltyError";
  /** The error code. It stays the same in all releases, so programs can rely on it. */
  readonly code: Code;
  /** The HTTP status. Frameworks read it from errors that a route doesn't catch, and can overwrite it. */
  status: number;
  /** Same as `status`, for frameworks that look for this name. */
  statusCode: number;
  /**
   * Whether the message is safe to show to clients. `false` for status 500 and above. Frameworks check it for errors that a route
   * doesn't catch.
   */
  expose: boolean;
  /** Details such as the missing scope or the invalid fields. `code` determines which fields are present. */
  readonly detail: ErrorDetail & { readonly code: Code };
  /** The type of the resource that was not found, or `null` if the type is unknown or this is a different kind of error. */
  readonly missing: MissingResource | null;
  /**
   * The section of this package's documentation that explains how to fix the error, such as
   * `loyalty-kit/docs/errors.md#resource_not_found`.
   */
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

  /** Returns the error as an HTTP response. Hono calls this for errors that a route doesn't catch. */
  getResponse(): Response {
    const message = this.expose ? this.message : errorCodes.internal_error.meaning;
    return Response.json({ code: this.code, message }, { status: this.status });
  }
}

/** The union of {@link LoyaltyError} types for all codes. Checking `code` also narrows `detail`. */
export type AnyLoyaltyError = { readonly [Code in ErrorCode]: LoyaltyError<Code> }[ErrorCode];

/**
 * Returns whether a value is a {@link LoyaltyError} and, if `code` is passed, has that code. Also recognizes errors from other
 * copies of the package in the same process.
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
 * Returns a `resource_not_found` error.
 * @param missing the type of the missing resource, or `null` if unknown.
 * @param value the ID, slug, or other value that the caller looked up.
 * @param organizationId the organization that was searched.
 * @param suggestion a similar existing value that the caller might have meant.
 */
export function notFound(
  missing: MissingResource | null,
  value?: string,
  organizationId?: string,
  suggestion?: string,
): LoyaltyError {
  const detail = { code: "resource_not_found", params: null } as const;
  if (missing === null) return new LoyaltyError(detail);
  const hint =
    suggestion === undefined ? getLookupHint(missing, value) : `Did you mean ${quoteValue(suggestion)}?`;
  const message = `${formatMissingMessage(missing, value, organizationId)} ${hint}`;
  return new LoyaltyError(detail, { missing, message });
}

/** The reasons why storage can be unavailable, each with a message that suggests a fix. */
const unavailableReasons = {
  closed: "The service is closed. Trying again doesn't help. Open a new service instead.",
  full: "The database's disk is full. Free up some space, then try again.",
  locked:
    "Another transaction has kept the database locked for too long. Try again. Inside a transaction, make " +
    "each call through the organization object it provides, because other calls wait until it ends.",
  nested:
    "A transaction of the host is still open, and this call is waiting for it to end. Inside a transaction, " +
    "make each call through the organization object it provides.",
  taken:
    "Another transaction holds the write lock. Roll back and run your transaction again, preferably with " +
    "loyalty.runBetweenTransactions.",
  slow:
    "The transaction was still open when it timed out, so it was rolled back. Inside a transaction, make " +
    "each call through the organization object it provides, because other calls wait until it ends. You can " +
    "also do less work in it or set a longer timeout.",
  raced: "Other changes interfered with this transaction. Run it again.",
  crowded: "Too many calls are waiting, or they take too long. Try again later with fewer concurrent calls.",
  unreachable: "The database can't be reached. Try again when it's available.",
  refused: "The database rejected the login or doesn't exist. Check the connection string.",
  readOnly: "The database is read-only. Connect to its primary, or try again after the failover.",
  migrated: "The database was migrated by another release. Run that release.",
  replaced: "The database was replaced by another one. Restart the process.",
  pictures: "Pictures can't be decoded right now. Try again.",
  keys: "The keys that verify tokens can't be fetched. Try again.",
} as const;

type UnavailableReason = keyof typeof unavailableReasons;

/** Returns a `storage_unavailable` error whose message gives the reason and suggests a fix. */
export function unavailable(reason: UnavailableReason, cause?: unknown): LoyaltyError<"storage_unavailable"> {
  const message = unavailableReasons[reason];
  return new LoyaltyError({ code: "storage_unavailable", params: null }, { message, cause });
}

export function accessDenied(scope: string): LoyaltyError {
  return new LoyaltyError({ code: "access_denied", scope });
}

export function validationFailed(fields: Readonly<Record<string, string>>): LoyaltyError {
  return new LoyaltyError({ code: "validation_failed", fields });
}

/** An input key that the call doesn't recognize. */
export interface UnknownKey {
  /** The key's path in the input, such as `limits.tag`. */
  readonly path: string;
  /** The known key that the caller might have meant, or `undefined` if no known key is similar. */
  readonly near: string | undefined;
}

/** Returns a `validation_failed` error that lists the unknown keys, or `null` if there are none. */
export function unknownKeysError(keys: readonly UnknownKey[]): LoyaltyError | null {
  if (keys.length === 0) return null;
  const fields = keys.map(({ path, near }) => {
    const hint = near === undefined ? "" : ` (did you mean ${near}?)`;
    return [path, `is not a known field${hint}`];
  });
  return validationFailed(Object.fromEntries(fields));
}

export function createLoyaltyError(
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
      return `Another user has the ${listTakenValues(detail.conflicts).join(" and the ")}.`;
    case "wrong_param_type":
      return detail.params === null
        ? errorCodes.wrong_param_type.meaning
        : `${detail.params.map(quoteValue).join(", ")} ${detail.params.length === 1 ? "has" : "have"} the wrong type.`;
    default:
      if (missing !== null) return formatMissingMessage(missing);
      return detail.params === null
        ? errorCodes[detail.code].meaning
        : `${errorCodes[detail.code].meaning} (${detail.params.join(", ")})`;
  }
}

function listTakenValues({ email_already_exists, external_id_already_exists }: UserConflicts): string[] {
  return [
    ...(email_already_exists ?? []).map((email) => `email ${quoteValue(email)}`),
    ...(external_id_already_exists ?? []).map((id) => `externalId ${quoteValue(id)}`),
  ];
}
