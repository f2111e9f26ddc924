import { settingsSchema, updateSettingsSchema } from "../resources/settings.js";
import type { Operations } from "./operation.js";

/** The operations on what an organization has set for all that it does. */
export const settingsOperations = {
  get: {
    operationId: "getSettings",
    summary: "Get the settings of the organization",
    answer: "The settings.",
    scope: "settings:read",
    result: settingsSchema,
    errors: [],
  },
  update: {
    operationId: "updateSettings",
    summary: "Change the settings of the organization",
    description: [
      "Only sent fields change; `null` clears one. Customers see `name` and `logo` on pages, posters and mails; the logo is sent as those of",
      "designs are. Pages and mails that have no texts in a customer's language are in `language`. `timeZone` is a name of the IANA database such as `Europe/Vienna`, by whose calendar the days of",
      "the organization are counted from now on; what was counted before stays on its day. While `requiresEmail` is `false`, a new user without an email needs a phone or an external id. The audit trail records the change.",
    ].join(" "),
    answer: "The settings as they are now.",
    scope: "settings:write",
    body: updateSettingsSchema,
    result: settingsSchema,
    errors: ["too_many_pictures"],
  },
} satisfies Operations<"settings">;
