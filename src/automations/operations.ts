import type { Operations } from "../kernel/operation.js";
import { pastConditionScopes } from "../segments/filter-schema.js";
import { automationRunPageSchema, automationRunQuerySchema, automationTestSchema } from "./run-schema.js";
import {
  automationSchema,
  createAutomationSchema,
  listInputScopes,
  testAutomationSchema,
  updateAutomationSchema,
} from "./schema.js";

const SCOPES =
  "Also requires the scopes for the automation's actions (`message:send`, `user_tag:write`, " +
  "`loyalty:manage`) and, as with a segment query, for the data that its condition uses.";

export const automationOperations = {
  create: {
    operationId: "createAutomation",
    summary: "Create an automation",
    description:
      "An automation runs when an event occurs, when a user enters a segment, on the anniversary of a date in " +
      "the user's metadata, or when points are about to expire. Events that occurred before the automation was created don't trigger " +
      `it. A run performs either all of its actions, in a single transaction, or none of them. ${SCOPES}`,
    answer: "The new automation.",
    scope: "automation:manage",
    scopesFor: listInputScopes,
    body: createAutomationSchema,
    status: 201,
    result: automationSchema,
    errors: ["resource_not_found", "mail_not_configured", "wallets_not_configured", "too_many_automations"],
  },
  list: {
    operationId: "listAutomations",
    summary: "List automations",
    answer: "All automations, oldest first.",
    scope: "automation:manage",
    result: automationSchema.array(),
    errors: [],
  },
  get: {
    operationId: "getAutomation",
    summary: "Get an automation",
    answer: "The automation.",
    scope: "automation:manage",
    result: automationSchema,
    errors: ["resource_not_found"],
  },
  update: {
    operationId: "updateAutomation",
    summary: "Update an automation",
    description:
      "Updates only the fields you provide. `if: null` matches all users. Runs that are already waiting keep " +
      `the version they started with, and are skipped if you disable the automation. ${SCOPES}`,
    answer: "The updated automation.",
    scope: "automation:manage",
    scopesFor: listInputScopes,
    body: updateAutomationSchema,
    result: automationSchema,
    errors: [
      "resource_not_found",
      "mail_not_configured",
      "wallets_not_configured",
      "too_many_automation_versions",
    ],
  },
  delete: {
    operationId: "deleteAutomation",
    summary: "Delete an automation",
    answer: "The automation was deleted. Its waiting runs will be skipped.",
    scope: "automation:manage",
    result: null,
    errors: ["resource_not_found"],
  },
  runs: {
    operationId: "listAutomationRuns",
    summary: "List an automation's runs",
    description:
      "Also requires the scopes for all data that the automation's condition and trigger segment use, and " +
      "for the conditions of earlier versions that have runs.",
    answer: "A page of runs, newest first.",
    scope: "automation:manage",
    query: automationRunQuerySchema,
    result: automationRunPageSchema,
    errors: ["resource_not_found"],
  },
  test: {
    operationId: "testAutomation",
    summary: "Test an automation for a user",
    description:
      "Performs a dry run without changing anything. The response isn't stored, even if you provide an " +
      "idempotency key. Also requires the scopes for the data that the automation's condition uses.",
    answer: "Whether the automation would run, and what each action would do.",
    scope: ["automation:manage", "user:read"],
    body: testAutomationSchema,
    result: automationTestSchema,
    errors: ["resource_not_found"],
  },
  ofUser: {
    operationId: "listAutomationRunsOfUser",
    tag: "Users",
    summary: "List a user's automation runs",
    description:
      "Includes the runs of deleted automations, so it also requires the scopes for every kind of " +
      "condition, except for purchases.",
    answer: "A page of runs from all automations, newest first.",
    scope: ["automation:manage", ...pastConditionScopes],
    query: automationRunQuerySchema,
    result: automationRunPageSchema,
    errors: ["resource_not_found"],
  },
} satisfies Operations<"automations">;
