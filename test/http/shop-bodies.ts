import {
  array,
  type BodyShape,
  boolean,
  buildFilter,
  choice,
  type Fields,
  filterFields,
  integer,
  newText,
  nullableChoice,
  nullableTextField,
  object,
  prefixFields,
  textField,
} from "./body-shape.js";
import { buildSegmentFilter, segmentFilterFields } from "./condition-fields.js";

/* Bodies for segments, messages, automations and their settings. */

const segmentFields = {
  description: nullableTextField(500),
  color: nullableChoice,
  ...filterFields,
  emitsEvents: boolean,
} satisfies Fields;
const buildSegment = () => ({
  name: newText("New"),
  description: "d",
  color: "#000000",
  filter: buildFilter(),
  emitsEvents: false,
});

/** Builds the content of a message. */
const buildContent = () => ({
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
  ...prefixFields("texts.0", {
    language: choice,
    wallet: nullableTextField(150),
    subject: nullableTextField(150),
    text: nullableTextField(null),
  }),
  link: nullableChoice,
  respectsCap: boolean,
} satisfies Fields;

const buildMessage = () => ({
  name: "New",
  audience: { filter: buildFilter() },
  ...buildContent(),
  sendAt: "2999-01-01T00:00:00Z",
  expiresAt: "2999-01-02T00:00:00Z",
  showUntil: "2999-01-03T00:00:00Z",
});
const messageFields = {
  audience: object,
  ...prefixFields("audience", { all: boolean, ...filterFields, segment: choice, userIds: array }),
  ...contentFields,
  sendAt: nullableChoice,
  expiresAt: nullableChoice,
  showUntil: nullableChoice,
} satisfies Fields;

const buildAutomation = (per: unknown) => ({
  name: "New",
  isEnabled: false,
  on: { event: "stamp.added" },
  if: buildFilter(),
  after: 1,
  do: [{ assignTag: "vip" }, { message: buildContent() }],
  per,
});
const automationFields = {
  isEnabled: boolean,
  on: object,
  ...prefixFields("on", { event: choice, templateId: textField(null), toGo: integer }),
  if: { types: ["object", "null"] },
  ...prefixFields("if", { operator: choice, conditions: array, "conditions.0": object }),
  after: integer,
  do: array,
  "do.0": object,
  ...prefixFields("do.0", { assignTag: textField(null) }),
  "do.1": object,
  ...prefixFields("do.1", { message: object, ...prefixFields("message", contentFields) }),
  per: { types: ["string", "object"] },
} satisfies Fields;

const automationBodies: readonly BodyShape[] = [
  { method: "POST", path: "/v1/automations", name: nullableTextField(150) } as const,
  { method: "PATCH", path: "/v1/automations/{automationId}", name: textField(150) } as const,
].flatMap(({ name, ...endpoint }): BodyShape[] => [
  { ...endpoint, valid: () => buildAutomation("once"), fields: { name, ...automationFields } },
  {
    ...endpoint,
    valid: () => buildAutomation({ everyDays: 2 }),
    fields: { "per.everyDays": integer },
  },
  ...[
    {
      on: { date: { metadata: ["born"], daysBefore: 1, at: "09:00" } },
      fields: prefixFields("on.date", {
        metadata: array,
        "metadata.0": textField(200),
        daysBefore: integer,
        at: choice,
      }),
    },
    {
      on: { date: { pointsExpiry: "tpl_1", at: "09:00" } },
      fields: prefixFields("on.date", { pointsExpiry: textField(null) }),
    },
    {
      do: [{ givePoints: { templateId: "tpl_1", points: 1 } }],
      fields: prefixFields("do.0", {
        givePoints: object,
        ...prefixFields("givePoints", { templateId: textField(null), points: integer }),
      }),
    },
    {
      do: [{ addStamps: { templateId: "tpl_1", count: 1 } }],
      fields: prefixFields("do.0", {
        addStamps: object,
        ...prefixFields("addStamps", { templateId: textField(null), count: integer }),
      }),
    },
    {
      do: [{ giveReward: { templateId: "tpl_1" } }],
      fields: prefixFields("do.0", {
        giveReward: object,
        ...prefixFields("giveReward", { templateId: textField(null) }),
      }),
    },
  ].map(
    ({ fields, ...part }): BodyShape => ({
      ...endpoint,
      valid: () => ({ ...buildAutomation("once"), ...part }),
      fields,
      ...(("do" in part || "pointsExpiry" in part.on.date) && { namesNothing: true }),
    }),
  ),
]);

const consentFields = { status: choice, text: nullableTextField(2_000), at: choice } satisfies Fields;
const buildConsent = () => ({ status: "SUBSCRIBED", text: "Yes", at: "2020-01-01T00:00:00Z" });

export const shopBodies: readonly BodyShape[] = [
  {
    method: "POST",
    path: "/v1/segments/query",
    valid: () => ({ filter: buildSegmentFilter(), page: 0, size: 20 }),
    fields: { filter: object, ...prefixFields("filter", segmentFilterFields), page: integer, size: integer },
  },
  {
    method: "POST",
    path: "/v1/segments",
    valid: buildSegment,
    fields: { name: nullableTextField(100), ...segmentFields },
  },
  {
    method: "PUT",
    path: "/v1/segments/{segmentSlug}",
    valid: buildSegment,
    fields: { name: textField(100), ...segmentFields },
  },
  {
    method: "POST",
    path: "/v1/messages",
    valid: buildMessage,
    fields: { name: nullableTextField(150), ...messageFields },
  },
  {
    method: "PATCH",
    path: "/v1/messages/{messageId}",
    valid: buildMessage,
    fields: { name: textField(150), ...messageFields },
  },
  ...automationBodies,
  {
    method: "POST",
    path: "/v1/automations/{automationId}/test",
    valid: () => ({ userId: "c-1" }),
    fields: { userId: textField(null) },
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
      senderName: nullableTextField(78),
      replyTo: nullableChoice,
      footer: nullableTextField(1_000),
      quietHours: { types: ["object", "null"] },
      ...prefixFields("quietHours", { from: choice, to: choice }),
      cap: { types: ["object", "null"] },
      ...prefixFields("cap", { perDays: integer, messages: integer }),
      walletByDefault: boolean,
    },
  },
  {
    method: "PUT",
    path: "/v1/users/{userId}/subscription",
    valid: () => ({ email: buildConsent(), wallet: buildConsent(), language: "de" }),
    fields: {
      email: object,
      ...prefixFields("email", consentFields),
      wallet: object,
      ...prefixFields("wallet", consentFields),
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
