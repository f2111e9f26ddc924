/* Every field of every request body. */

import {
  type BodyShape,
  buildFilter,
  choice,
  type Field,
  filterFields,
  integer,
  newText,
  nullableTextField,
  textField,
} from "./body-shape.js";
import { shopBodies } from "./shop-bodies.js";

const createUser = () => ({
  email: `${newText("user")}@example.com`,
  name: "Ada",
  phone: "1",
  externalId: newText("c-"),
  metadata: {},
});
const userFields = {
  email: nullableTextField(null),
  name: nullableTextField(150),
  phone: nullableTextField(20),
  externalId: nullableTextField(100),
  metadata: { types: ["object"] },
} satisfies Record<string, Field>;

const bulkTaggingShapes = (kind: string): BodyShape[] => {
  const endpoint = { method: "POST", path: `/v1/user-tags/{slug}/users:${kind}` } as const;
  return [
    {
      ...endpoint,
      valid: () => ({ userIds: ["c-1"] }),
      fields: { userIds: { types: ["array"] }, "userIds.0": textField(null) },
    },
    { ...endpoint, valid: () => ({ filter: buildFilter() }), fields: filterFields },
  ];
};

const stampChangeShape = (kind: string): BodyShape => ({
  method: "POST",
  path: `/v1/walletpasses/{walletPassId}/stamps/${kind}`,
  valid: () => ({ count: 1, note: "n" }),
  fields: { count: integer, note: nullableTextField(512) },
});

export const bodies: readonly BodyShape[] = [
  ...shopBodies,
  {
    method: "POST",
    path: "/v1/user-tags",
    valid: () => ({ name: newText("New"), description: "d", color: "#000000" }),
    fields: { name: nullableTextField(100), description: nullableTextField(500), color: choice },
  },
  {
    method: "PUT",
    path: "/v1/user-tags/{slug}",
    valid: () => ({ name: newText("New"), description: "d", color: "#000000" }),
    fields: { name: textField(100), description: nullableTextField(500), color: choice },
  },
  {
    method: "POST",
    path: "/v1/user-tags/query",
    valid: () => ({ filter: buildFilter(), page: 0, size: 20 }),
    fields: { ...filterFields, page: integer, size: integer },
  },
  ...bulkTaggingShapes("assign"),
  ...bulkTaggingShapes("unassign"),
  { method: "POST", path: "/v1/users", valid: createUser, fields: userFields },
  { method: "POST", path: "/v1/users:upsert", valid: createUser, fields: userFields },
  { method: "PATCH", path: "/v1/users/{userId}", valid: createUser, fields: userFields },
  {
    method: "POST",
    path: "/v1/templates/{templateId}/walletpasses",
    valid: () => ({ userId: "c-1" }),
    fields: { userId: textField(null) },
  },
  {
    method: "POST",
    path: "/v1/templates/{templateId}/walletpasses",
    valid: () => ({ user: createUser() }),
    fields: {
      user: { types: ["object"] },
      ...Object.fromEntries(Object.entries(userFields).map(([name, field]) => [`user.${name}`, field])),
    },
  },
  {
    method: "POST",
    path: "/v1/templates",
    valid: () => ({ name: "New", type: "STAMP_CARD", maxStamps: 10 }),
    fields: { name: nullableTextField(150), type: choice, maxStamps: { types: ["integer", "null"] } },
  },
  {
    method: "PATCH",
    path: "/v1/templates/{templateId}",
    valid: () => ({ name: "New", maxStamps: 9 }),
    fields: { name: textField(150), maxStamps: integer },
  },
  {
    method: "PUT",
    path: "/v1/walletpasses/{walletPassId}/installation",
    valid: () => ({ status: "INSTALLED" }),
    fields: { status: choice },
  },
  stampChangeShape("add"),
  stampChangeShape("remove"),
  {
    method: "POST",
    path: "/v1/walletpasses/{walletPassId}/stamps/set",
    valid: () => ({ stamps: 1, note: "n" }),
    fields: { stamps: integer, note: nullableTextField(512) },
  },
  {
    method: "POST",
    path: "/v1/webhook-endpoints",
    valid: () => ({ url: "https://example.com", types: ["user.created"], description: "d" }),
    fields: {
      url: choice,
      types: { types: ["array", "null"] },
      "types.0": choice,
      description: nullableTextField(null),
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
      description: nullableTextField(500),
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
      name: nullableTextField(null),
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
      name: nullableTextField(null),
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
    fields: { overlapSeconds: { types: ["integer"] }, expiresAt: nullableTextField(null) },
  },
  {
    method: "POST",
    path: "/v1/apps/{appId}/rotate-secret",
    valid: () => ({ immediately: true }),
    fields: { immediately: { types: ["boolean"] } },
  },
];
