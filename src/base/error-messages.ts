/**
 * The resources that an error can report as missing, keyed by their `object`, with the request parameters and fields that refer to
 * them.
 */
const lookupFields = {
  user: ["userId"],
  UserTag: ["tagSlug", "slug"],
  UserTagAssignment: ["tagSlug"],
  template: ["templateId"],
  wallet_pass: ["walletPassId", "qrCodeValue"],
  stamp_entry: ["entryId"],
  point_entry: ["entryId"],
  purchase: ["receipt"],
  api_token: ["id"],
  app: ["appId"],
  grant: ["grantId"],
  webhook_endpoint: ["webhookEndpointId"],
  webhook_delivery: ["deliveryId"],
  event: ["eventId"],
  message_delivery: ["messageDeliveryId"],
  message: ["messageId"],
  segment: ["segmentSlug"],
  automation: ["automationId"],
  person: ["personId"],
  person_session: ["sessionId"],
} as const;

export type MissingResource = keyof typeof lookupFields;

export function isMissingResource(text: string | null): text is MissingResource {
  return text !== null && Object.hasOwn(lookupFields, text);
}

/**
 * Returns the value in a request that identifies the missing resource, such as its ID or slug, or `undefined` if the request has no
 * such value.
 */
export function findIdentifier(
  resource: MissingResource,
  values: Readonly<Record<string, unknown>>,
): string | undefined {
  const value = lookupFields[resource].map((field) => values[field]).find((item) => item !== undefined);
  return typeof value === "string" ? value : undefined;
}

/**
 * Returns a one-line message of bounded length that says which resource is missing.
 * @param value the ID, slug, or other value that the caller looked up, or `undefined` if unknown.
 * @param organizationId the organization that was searched, or `undefined` if unknown, as it always is for clients.
 */
export function formatMissingMessage(
  resource: MissingResource,
  value?: string,
  organizationId?: string,
): string {
  const identifier =
    value === undefined
      ? `No such ${formatResourceWord(resource)}`
      : `No ${formatResourceWord(resource)} ${quoteValue(value)}`;
  return `${identifier} in ${organizationId === undefined ? "this organization" : quoteValue(organizationId)}.`;
}

/** Returns the display name of a resource type: `user tag` for `UserTag`. */
function formatResourceWord(resource: MissingResource): string {
  const words = resource.replaceAll("_", " ").replaceAll(/\B[A-Z]/g, " $&");
  return words.toLowerCase().replace("api", "API");
}

const hints: Readonly<Record<MissingResource, string>> = {
  user: "Use the user's id or externalId.",
  UserTag: "List the slugs with tags.list.",
  UserTagAssignment: "List the user's tags with tags.ofUser.",
  template: "List the templates with templates.list.",
  wallet_pass: "List a user's passes with passes.ofUser.",
  stamp_entry: "List a pass's entries with stamps.history.",
  point_entry: "List a pass's entries with points.history.",
  purchase: "List the purchases with purchases.list.",
  api_token: "List the tokens with apiTokens.list.",
  app: "List the apps with apps.list.",
  grant: "List the grants with grants.list.",
  webhook_endpoint: "List the endpoints with webhooks.list.",
  webhook_delivery: "List an endpoint's deliveries with webhooks.deliveries.",
  event: "List the stored events with events.list.",
  message_delivery: "List them with passes.deliveries or messages.deliveries.",
  message: "List the messages with messages.list.",
  segment: "List the slugs with segments.list.",
  automation: "List the automations with automations.list.",
  person: "List the people with people.list.",
  person_session: "List a person's sessions with people.sessions.",
};

/** The resource types, keyed by their ID prefixes. */
const resourceByPrefix: Readonly<Record<string, MissingResource>> = {
  usr: "user",
  utag: "UserTag",
  tpl: "template",
  wp: "wallet_pass",
  ste: "stamp_entry",
  akt: "api_token",
  app: "app",
  grt: "grant",
  whe: "webhook_endpoint",
  whd: "webhook_delivery",
  evt: "event",
  mdl: "message_delivery",
  msg: "message",
  seg: "segment",
  aut: "automation",
  per: "person",
  pse: "person_session",
};

/** Returns a hint about where to find a resource, for use in the error message after a failed lookup. */
export function getLookupHint(resource: MissingResource, value = ""): string {
  if (resource === "user" && value.includes("@")) return "Look users up by email with users.find.";
  const similarResource = resourceByPrefix[/^([a-z]+)_/.exec(value)?.[1] ?? ""];
  if (similarResource === undefined || similarResource === resource) return hints[resource];
  const word = formatResourceWord(similarResource);
  return `That is the id of ${/^[ae]/i.test(word) ? "an" : "a"} ${word}. ${hints[resource]}`;
}

/** Returns an error message that states what kind of value a call received instead of an object. */
export function formatNotAnObject(value: unknown): string {
  return `The argument input must be an object, not ${describeKind(value)}.`;
}

/** Returns the kind of a value, with an article if it has one, such as `a number`, `an array`, or `null`. */
export function describeKind(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** Maximum number of characters of a value that a message quotes. */
const MAX_QUOTED_LENGTH = 100;

/**
 * Quotes a value on one line, truncating long values. Escapes control characters, format characters, and anything that HTML could
 * parse as a tag.
 */
export function quoteValue(value: string): string {
  const text = value.length > MAX_QUOTED_LENGTH ? `${value.slice(0, MAX_QUOTED_LENGTH)}…` : value;
  return JSON.stringify(text).replace(
    /[<>&\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}
