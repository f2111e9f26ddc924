/** The resources that may be missing, each by its `object`, with the parameters and fields of a request that name one. */
const missables = {
  user: ["userId"],
  UserTag: ["tagSlug", "slug"],
  UserTagAssignment: ["tagSlug"],
  template: ["templateId"],
  wallet_pass: ["walletPassId", "qrCodeValue"],
  stamp_entry: ["entryId"],
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

export type MissingResource = keyof typeof missables;

export function isMissing(text: string | null): text is MissingResource {
  return text !== null && Object.hasOwn(missables, text);
}

/** Returns the value of a request that names a resource of this kind; `undefined` if there is none. */
export function namedValue(
  missing: MissingResource,
  named: Readonly<Record<string, unknown>>,
): string | undefined {
  const value = missables[missing].map((field) => named[field]).find((given) => given !== undefined);
  return typeof value === "string" ? value : undefined;
}

/**
 * Says which resource is missing, on one line of bounded length.
 * @param value the id, slug or other value that the caller looked for; `undefined` where that is not known.
 * @param organizationId `undefined` where it is not known, as in a client.
 */
export function missingMessage(missing: MissingResource, value?: string, organizationId?: string): string {
  const which =
    value === undefined
      ? `No such ${formatResourceWord(missing)}`
      : `No ${formatResourceWord(missing)} ${quoted(value)}`;
  return `${which} in ${organizationId === undefined ? "this organization" : quoted(organizationId)}.`;
}

/** The words for a resource: `user tag` for `UserTag`. */
function formatResourceWord(missing: MissingResource): string {
  const words = missing.replaceAll("_", " ").replaceAll(/\B[A-Z]/g, " $&");
  return words.toLowerCase().replace("api", "API");
}

const hints: Readonly<Record<MissingResource, string>> = {
  user: "Use the user's id or externalId.",
  UserTag: "List the slugs with tags.list.",
  UserTagAssignment: "List the user's tags with tags.ofUser.",
  template: "List the templates with templates.list.",
  wallet_pass: "List a user's passes with passes.ofUser.",
  stamp_entry: "List a pass's entries with stamps.history.",
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

/** The resources by the prefixes of their ids. */
const byPrefix: Readonly<Record<string, MissingResource>> = {
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

/** Says where to look for a resource, after one was not found by a value. */
export function hintOn(missing: MissingResource, value = ""): string {
  if (missing === "user" && value.includes("@")) return "Look users up by email with users.find.";
  const other = byPrefix[/^([a-z]+)_/.exec(value)?.[1] ?? ""];
  if (other === undefined || other === missing) return hints[missing];
  const word = formatResourceWord(other);
  return `That is the id of ${/^[ae]/i.test(word) ? "an" : "a"} ${word}. ${hints[missing]}`;
}

/** Says what a call was given in place of an object. */
export function notAnObject(given: unknown): string {
  const kind = given === null ? "null" : Array.isArray(given) ? "an array" : `a ${typeof given}`;
  return `The argument input must be an object, not ${kind}.`;
}

/** A message quotes at most this many characters of a value. */
const MAX_QUOTED = 100;

/** Quotes a value on one line. Control and format characters are escaped, and so is what HTML could read as a tag. */
export function quoted(value: string): string {
  const text = value.length > MAX_QUOTED ? `${value.slice(0, MAX_QUOTED)}…` : value;
  return JSON.stringify(text).replace(
    /[<>&\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}
