import type { Operations } from "../kernel/operation.js";
import { settingsSchema, updateSettingsSchema } from "./schema.js";

export const settingsOperations = {
  get: {
    operationId: "getSettings",
    summary: "Get organization settings",
    answer: "The organization's settings.",
    scope: "settings:read",
    result: settingsSchema,
    errors: [],
  },
  update: {
    operationId: "updateSettings",
    summary: "Update organization settings",
    description:
      "Updates only the fields you provide; `null` clears a field. Customers see the `name` and `logo` on " +
      "pages, posters and emails. `logo` accepts the same values as it does in designs. `language` is used " +
      "if a page or email isn't available in the customer's language. `timeZone` (an IANA name such as " +
      "`Europe/Vienna`) determines when each day begins from now on; past statistics don't change. If " +
      "`requiresEmail` is `false`, a new user without an email needs a phone number or an external ID. The " +
      "change is recorded in the audit trail.",
    answer: "The updated settings.",
    scope: "settings:write",
    body: updateSettingsSchema,
    result: settingsSchema,
    errors: ["too_many_pictures"],
  },
} satisfies Operations<"settings">;
