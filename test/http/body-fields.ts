/* Every field of every request body. */

import {
  another,
  type BodyShape,
  choice,
  type Field,
  filter,
  filterFields,
  integer,
  nullableText,
  text,
} from "./body-shape.js";
import { shopBodies } from "./shop-bodies.js";

const user = () => ({
  email: `${another("user")}@example.com`,
  name: "Ada",
  phone: "1",
  externalId: another("c-"),
  metadata: {},
});
const userFields = {
  email: nullableText(null),
  name: nullableText(150),
  phone: nullableText(20),
  externalId: nullableText(100),
  metadata: { types: ["object"] },
} satisfies Record<string, Field>;

const bulkTagging = (kind: string): BodyShape[] => {
  const endpoint = { method: "POST", path: `/v1/user-tags/{slug}/users:${kind}` } as const;
  return [
    {
      ...endpoint,
      valid: () => ({ userIds: ["c-1"] }),
      fields: { userIds: { types: ["array"] }, "userIds.0": text(null) },
    },
    { ...endpoint, valid: () => ({ filter: filter() }), fields: filterFields },
  ];
};

const stampChange = (kind: string): BodyShape => ({
  method: "POST",
  path: `/v1/walletpasses/{walletPassId}/stamps/${kind}`,
  valid: () => ({ count: 1, note: "n" }),
  fields: { count: integer, note: nullableText(512) },
});

export const bodies: readonly BodyShape[] = [
  ...shopBodies,
  {
    method: "POST",
    path: "/v1/user-tags",
    valid: () => ({ name: another("New"), description: "d", color: "#000000" }),
    fields: { name: nullableText(100), description: nullableText(500), color: choice },
  },
  {
    method: "PUT",
    path: "/v1/user-tags/{slug}",
    valid: () => ({ name: another("New"), description: "d", color: "#000000" }),
    fields: { name: text(100), description: nullableText(500), color: choice },
  },
  {
    method: "POST",
    path: "/v1/user-tags/query",
    valid: () => ({ filter: filter(), page: 0, size: 20 }),
    fields: { ...filterFields, page: integer, size: integer },
  },
  ...bulkTagging("assign"),
  ...bulkTagging("unassign"),
  { method: "POST", path: "/v1/users", valid: user, fields: userFields },
  { method: "POST", path: "/v1/users:upsert", valid: user, fields: userFields },
  { method: "PATCH", path: "/v1/users/{userId}", valid: user, fields: userFields },
  {
    method: "POST",
    path: "/v1/templates/{templateId}/walletpasses",
    valid: () => ({ userId: "c-1" }),
    fields: { userId: text(null) },
  },
  {
    method: "POST",
    path: "/v1/templates/{templateId}/walletpasses",
    valid: () => ({ user: user() }),
    fields: {
      user: { types: ["object"] },
      ...Object.fromEntries(Object.entries(userFields).map(([name, field]) => [`user.${name}`, field])),
    },
  },
  {
    method: "POST",
    path: "/v1/templates",
    valid: () => ({ name: "New", type: "STAMP_CARD", maxStamps: 10 }),
    fields: { name: nullableText(150), type: choice, maxStamps: { types: ["integer", "null"] } },
  },
  {
    method: "PATCH",
    path: "/v1/templates/{templateId}",
    valid: () => ({ name: "New", maxStamps: 9 }),
    fields: { name: text(150), maxStamps: integer },
  },
  {
    method: "PUT",
    path: "/v1/walletpasses/{walletPassId}/installation",
    valid: () => ({ status: "INSTALLED" }),
    fields: { status: choice },
  },
  stampChange("add"),
  stampChange("remove"),
  {
    method: "POST",
    path: "/v1/walletpasses/{walletPassId}/stamps/set",
    valid: () => ({ stamps: 1, note: "n" }),
    fields: { stamps: integer, note: nullableText(512) },
  },
  {
    method: "POST",
    path: "/v1/webhook-endpoints",
    valid: () => ({ url: "https://example.com", types: ["user.created"], description: "d" }),
    fields: {
      url: choice,
      types: { types: ["array", "null"] },
      "types.0": choice,
      description: nullableText(null),
    },
  },
  {
    method: "PATCH",
    path: "/v1/webhook-endpoints/{webhookEndpointId}",
    valid: () => ({
      url: "https://example.com",
      types: ["user.created"],
      description: "d",
      isDisabled: false,
    }),
    fields: {
      url: choice,
      types: { types: ["array", "null"] },
      "types.0": choice,
      description: nullableText(500),
      isDisabled: { types: ["boolean"] },
    },
  },
  {
    method: "POST",
    path: "/v1/webhook-endpoints/{webhookEndpointId}/replay",
    valid: () => ({ since: "2000-01-01T00:00:00.000Z", until: "2999-01-01T00:00:00.000Z" }),
    fields: { since: choice, until: choice },
  },
  {
    method: "POST",
    path: "/v1/api-tokens",
    valid: () => ({ name: "New", scopes: ["user:read"], expiresAt: "2999-01-01T00:00:00.000Z" }),
    fields: {
      name: nullableText(null),
      scopes: { types: ["array"] },
      "scopes.0": choice,
      expiresAt: { types: ["string", "null"] },
    },
  },
  {
    method: "POST",
    path: "/v1/apps",
    valid: () => ({ name: "New", redirectUris: ["https://app.example/"], scopes: ["user:read"] }),
    fields: {
      name: nullableText(null),
      redirectUris: { types: ["array"] },
      "redirectUris.0": choice,
      scopes: { types: ["array"] },
      "scopes.0": choice,
    },
  },
  {
    method: "POST",
    path: "/v1/api-tokens/{id}/rotate",
    valid: () => ({ overlapSeconds: 60 }),
    fields: { overlapSeconds: { types: ["integer"] }, expiresAt: nullableText(null) },
  },
  {
    method: "POST",
    path: "/v1/apps/{appId}/rotate-secret",
    valid: () => ({ immediately: true }),
    fields: { immediately: { types: ["boolean"] } },
  },
];
