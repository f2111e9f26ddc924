import {
  another,
  array,
  type BodyShape,
  boolean,
  choice,
  type Fields,
  filter,
  filterFields,
  integer,
  nullableChoice,
  nullableText,
  object,
  text,
  within,
} from "./body-shape.js";
import { segmentFilter, segmentFilterFields } from "./condition-fields.js";

/* The bodies of what a shop does with its customers by filters: segments, messages, automations and their settings. */

const segmentFields = {
  description: nullableText(500),
  color: nullableChoice,
  ...filterFields,
  emitsEvents: boolean,
} satisfies Fields;
const segment = () => ({
  name: another("New"),
  description: "d",
  color: "#000000",
  filter: filter(),
  emitsEvents: false,
});

/** What a message says and how. */
const content = () => ({
  templateId: null,
  channels: ["email"],
  order: "each",
  texts: [{ language: "en", wallet: "w", subject: "s", text: "t" }],
  link: null,
  respectsCap: true,
});
const contentFields = {
  templateId: nullableChoice,
  channels: array,
  "channels.0": choice,
  order: choice,
  texts: array,
  "texts.0": object,
  ...within("texts.0", {
    language: choice,
    wallet: nullableText(150),
    subject: nullableText(150),
    text: nullableText(null),
  }),
  link: nullableChoice,
  respectsCap: boolean,
} satisfies Fields;

const message = () => ({
  name: "New",
  audience: { filter: filter() },
  ...content(),
  sendAt: "2999-01-01T00:00:00Z",
  expiresAt: "2999-01-02T00:00:00Z",
  showUntil: "2999-01-03T00:00:00Z",
});
const messageFields = {
  audience: object,
  ...within("audience", { all: boolean, ...filterFields, segment: choice, userIds: array }),
  ...contentFields,
  sendAt: nullableChoice,
  expiresAt: nullableChoice,
  showUntil: nullableChoice,
} satisfies Fields;

const automation = (per: unknown) => ({
  name: "New",
  isEnabled: false,
  on: { event: "stamp.added" },
  if: filter(),
  after: 1,
  do: [{ assignTag: "vip" }, { message: content() }],
  per,
});
const automationFields = {
  isEnabled: boolean,
  on: object,
  ...within("on", { event: choice, templateId: text(null), toGo: integer }),
  if: { types: ["object", "null"] },
  ...within("if", { operator: choice, conditions: array, "conditions.0": object }),
  after: integer,
  do: array,
  "do.0": object,
  ...within("do.0", { assignTag: text(null) }),
  "do.1": object,
  ...within("do.1", { message: object, ...within("message", contentFields) }),
  per: { types: ["string", "object"] },
} satisfies Fields;

const automationBodies: readonly BodyShape[] = [
  { method: "POST", path: "/v1/automations", name: nullableText(150) } as const,
  { method: "PATCH", path: "/v1/automations/{automationId}", name: text(150) } as const,
].flatMap(({ name, ...endpoint }): BodyShape[] => [
  { ...endpoint, valid: () => automation("once"), fields: { name, ...automationFields } },
  {
    ...endpoint,
    valid: () => automation({ everyDays: 2 }),
    fields: { "per.everyDays": integer },
  },
  ...[
    {
      on: { date: { metadata: ["born"], daysBefore: 1, at: "09:00" } },
      fields: within("on.date", {
        metadata: array,
        "metadata.0": text(200),
        daysBefore: integer,
        at: choice,
      }),
    },
    {
      do: [{ addStamps: { templateId: "tpl_1", count: 1 } }],
      fields: within("do.0", {
        addStamps: object,
        ...within("addStamps", { templateId: text(null), count: integer }),
      }),
    },
    {
      do: [{ giveReward: { templateId: "tpl_1" } }],
      fields: within("do.0", { giveReward: object, ...within("giveReward", { templateId: text(null) }) }),
    },
  ].map(
    ({ fields, ...part }): BodyShape => ({
      ...endpoint,
      valid: () => ({ ...automation("once"), ...part }),
      fields,
      ...("do" in part && { namesNothing: true }),
    }),
  ),
]);

const consentFields = { status: choice, text: nullableText(2_000), at: choice } satisfies Fields;
const consent = () => ({ status: "SUBSCRIBED", text: "Yes", at: "2020-01-01T00:00:00Z" });

export const shopBodies: readonly BodyShape[] = [
  {
    method: "POST",
    path: "/v1/segments/query",
    valid: () => ({ filter: segmentFilter(), page: 0, size: 20 }),
    fields: { filter: object, ...within("filter", segmentFilterFields), page: integer, size: integer },
  },
  {
    method: "POST",
    path: "/v1/segments",
    valid: segment,
    fields: { name: nullableText(100), ...segmentFields },
  },
  {
    method: "PUT",
    path: "/v1/segments/{segmentSlug}",
    valid: segment,
    fields: { name: text(100), ...segmentFields },
  },
  {
    method: "POST",
    path: "/v1/messages",
    valid: message,
    fields: { name: nullableText(150), ...messageFields },
  },
  {
    method: "PATCH",
    path: "/v1/messages/{messageId}",
    valid: message,
    fields: { name: text(150), ...messageFields },
  },
  ...automationBodies,
  {
    method: "POST",
    path: "/v1/automations/{automationId}/test",
    valid: () => ({ userId: "c-1" }),
    fields: { userId: text(null) },
  },
  {
    method: "PUT",
    path: "/v1/message-settings",
    valid: () => ({
      senderName: "Coffee",
      replyTo: "a@example.com",
      footer: "f",
      quietHours: { from: "22:00", to: "06:00" },
      cap: { perDays: 7, messages: 2 },
      walletByDefault: false,
    }),
    fields: {
      senderName: nullableText(78),
      replyTo: nullableChoice,
      footer: nullableText(1_000),
      quietHours: { types: ["object", "null"] },
      ...within("quietHours", { from: choice, to: choice }),
      cap: { types: ["object", "null"] },
      ...within("cap", { perDays: integer, messages: integer }),
      walletByDefault: boolean,
    },
  },
  {
    method: "PUT",
    path: "/v1/users/{userId}/subscription",
    valid: () => ({ email: consent(), wallet: consent(), language: "de" }),
    fields: {
      email: object,
      ...within("email", consentFields),
      wallet: object,
      ...within("wallet", consentFields),
      language: nullableChoice,
    },
  },
  {
    method: "POST",
    path: "/v1/message-deliveries:bounce",
    valid: () => ({ email: "nobody@example.com", kind: "soft" }),
    fields: { email: choice, kind: choice },
  },
  {
    method: "POST",
    path: "/v1/message-deliveries/{messageDeliveryId}/bounce",
    valid: () => ({ kind: "soft" }),
    fields: { kind: choice },
  },
];
