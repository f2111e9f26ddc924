import { array, boolean, choice, type Fields, integer, number, object, text, within } from "./body-shape.js";

/** A condition of each kind, with its fields. */
const conditions: readonly { readonly valid: unknown; readonly fields: Fields }[] = [
  { valid: { slug: "a" }, fields: { slug: text(null) } },
  { valid: { segment: "guests" }, fields: { segment: text(null) } },
  {
    valid: { stamps: { templateId: "tpl_1", min: 1, max: 9 } },
    fields: { stamps: object, ...within("stamps", { templateId: text(null), min: integer, max: integer }) },
  },
  {
    valid: { rewards: { templateId: "tpl_1", min: 1, max: 9 } },
    fields: { rewards: object, ...within("rewards", { templateId: text(null), min: integer, max: integer }) },
  },
  {
    valid: { completions: { min: 1, max: 9 } },
    fields: { completions: object, ...within("completions", { min: integer, max: integer }) },
  },
  {
    valid: { lastVisit: { withinDays: 7 } },
    fields: {
      lastVisit: object,
      ...within("lastVisit", {
        templateId: text(null),
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
      ...within("visits", { templateId: text(null), days: integer, min: integer, max: integer }),
    },
  },
  {
    valid: { joined: { from: "2026-01-01", to: "2026-02-01T00:00:00Z" } },
    fields: {
      joined: object,
      ...within("joined", { from: choice, to: choice, withinDays: integer, beforeDays: integer }),
    },
  },
  {
    valid: { metadata: { path: ["plan"], equals: "gold" } },
    fields: {
      metadata: object,
      ...within("metadata", {
        path: array,
        "path.0": text(200),
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
      ...within("anniversary", {
        path: array,
        "path.0": text(200),
        month: { types: ["string", "integer"] },
        withinDays: integer,
      }),
    },
  },
  {
    valid: { field: { name: "phone", exists: true } },
    fields: { field: object, ...within("field", { name: choice, exists: boolean }) },
  },
  {
    valid: { wallet: { platform: "apple", templateId: "tpl_1", installed: true } },
    fields: {
      wallet: object,
      ...within("wallet", { platform: choice, templateId: text(null), installed: boolean }),
    },
  },
  {
    valid: { subscription: { channel: "email", status: "NONE" } },
    fields: { subscription: object, ...within("subscription", { channel: choice, status: choice }) },
  },
  { valid: { language: "de" }, fields: { language: choice } },
];

/** A filter with a condition of each kind. */
export const segmentFilter = () => ({
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
      ...within(`conditions.${at}`, fields),
    })),
  ),
  filters: array,
  "filters.0": object,
};
