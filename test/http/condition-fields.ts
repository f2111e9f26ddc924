import {
  array,
  boolean,
  choice,
  type Fields,
  integer,
  number,
  object,
  prefixFields,
  textField,
} from "./body-shape.js";

/** A condition of each kind, with its fields. */
const conditions: readonly { readonly valid: unknown; readonly fields: Fields }[] = [
  { valid: { slug: "a" }, fields: { slug: textField(null) } },
  { valid: { segment: "guests" }, fields: { segment: textField(null) } },
  {
    valid: { stamps: { templateId: "tpl_1", min: 1, max: 9 } },
    fields: {
      stamps: object,
      ...prefixFields("stamps", { templateId: textField(null), min: integer, max: integer }),
    },
  },
  {
    valid: { rewards: { templateId: "tpl_1", min: 1, max: 9 } },
    fields: {
      rewards: object,
      ...prefixFields("rewards", { templateId: textField(null), min: integer, max: integer }),
    },
  },
  {
    valid: { completions: { min: 1, max: 9 } },
    fields: { completions: object, ...prefixFields("completions", { min: integer, max: integer }) },
  },
  {
    valid: { lastVisit: { withinDays: 7 } },
    fields: {
      lastVisit: object,
      ...prefixFields("lastVisit", {
        templateId: textField(null),
        withinDays: integer,
        beforeDays: integer,
        never: boolean,
      }),
    },
  },
  {
    valid: { visits: { days: 7, min: 1, max: 9 } },
    fields: {
      visits: object,
      ...prefixFields("visits", { templateId: textField(null), days: integer, min: integer, max: integer }),
    },
  },
  {
    valid: { points: { templateId: "tpl_1", min: 1, max: 9 } },
    fields: {
      points: object,
      ...prefixFields("points", { templateId: textField(null), min: integer, max: integer }),
    },
  },
  {
    valid: { pointsExpire: { templateId: "tpl_1", withinDays: 7 } },
    fields: {
      pointsExpire: object,
      ...prefixFields("pointsExpire", { templateId: textField(null), withinDays: integer }),
    },
  },
  {
    valid: { spent: { days: 7, currency: "EUR", min: 1, max: 9 } },
    fields: {
      spent: object,
      ...prefixFields("spent", { days: integer, currency: choice, min: integer, max: integer }),
    },
  },
  {
    valid: { purchases: { days: 7, min: 1, max: 9 } },
    fields: {
      purchases: object,
      ...prefixFields("purchases", { days: integer, min: integer, max: integer }),
    },
  },
  {
    valid: { joined: { from: "2026-01-01", to: "2026-02-01T00:00:00Z" } },
    fields: {
      joined: object,
      ...prefixFields("joined", { from: choice, to: choice, withinDays: integer, beforeDays: integer }),
    },
  },
  {
    valid: { metadata: { path: ["plan"], equals: "gold" } },
    fields: {
      metadata: object,
      ...prefixFields("metadata", {
        path: array,
        "path.0": textField(200),
        equals: { types: ["string", "boolean", "integer", "fraction"], maxLength: null },
        min: number,
        max: number,
        exists: boolean,
        withinDays: integer,
        beforeDays: integer,
      }),
    },
  },
  {
    valid: { anniversary: { path: ["born"], month: 5 } },
    fields: {
      anniversary: object,
      ...prefixFields("anniversary", {
        path: array,
        "path.0": textField(200),
        month: { types: ["string", "integer"] },
        withinDays: integer,
      }),
    },
  },
  {
    valid: { field: { name: "phone", exists: true } },
    fields: { field: object, ...prefixFields("field", { name: choice, exists: boolean }) },
  },
  {
    valid: { wallet: { platform: "apple", templateId: "tpl_1", installed: true } },
    fields: {
      wallet: object,
      ...prefixFields("wallet", { platform: choice, templateId: textField(null), installed: boolean }),
    },
  },
  {
    valid: { subscription: { channel: "email", status: "NONE" } },
    fields: { subscription: object, ...prefixFields("subscription", { channel: choice, status: choice }) },
  },
  { valid: { language: "de" }, fields: { language: choice } },
];

/** Builds a filter with a condition of each kind. */
export const buildSegmentFilter = () => ({
  operator: "OR",
  conditions: conditions.map(({ valid }) => valid),
  filters: [],
});
export const segmentFilterFields: Fields = {
  operator: choice,
  conditions: array,
  ...Object.assign(
    {},
    ...conditions.map(({ fields }, at) => ({
      [`conditions.${at}`]: object,
      ...prefixFields(`conditions.${at}`, fields),
    })),
  ),
  filters: array,
  "filters.0": object,
};
