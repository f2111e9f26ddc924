import {
  automationSchema,
  createAutomationSchema,
  scopesOfAutomationInput,
  testAutomationSchema,
  updateAutomationSchema,
} from "../resources/automation.js";
import { automationRunPageSchema, automationRunQuerySchema } from "../resources/automation-run.js";
import { automationTestSchema } from "../resources/automation-test.js";
import { scopesOfAllLeaves } from "../resources/segment-filter.js";
import type { Operations } from "./operation.js";

const SCOPES = [
  "It needs the scopes of what it does too: `message:send`, `user_tag:write`, `loyalty:manage`; and those of what it looks at,",
  "as a query of segments does.",
].join(" ");

/** The operations on what is done for customers by itself. */
export const automationOperations = {
  create: {
    operationId: "createAutomation",
    summary: "Make an automation",
    description: [
      "It is started by an event, when a user enters a segment, or on the anniversary of a date in metadata; never by what happened",
      `before. Its actions are done all or none, in one transaction with the run. ${SCOPES}`,
    ].join(" "),
    answer: "The automation.",
    scope: "automation:manage",
    scopesFor: scopesOfAutomationInput,
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
    summary: "Change an automation",
    description: [
      "Only sent fields change; `if: null` is everybody. Runs that wait go on as they began, and are skipped once it is disabled.",
      SCOPES,
    ].join(" "),
    answer: "The automation as it is now.",
    scope: "automation:manage",
    scopesFor: scopesOfAutomationInput,
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
    answer: "The automation is deleted, and its runs that wait are skipped.",
    scope: "automation:manage",
    result: null,
    errors: ["resource_not_found"],
  },
  runs: {
    operationId: "listAutomationRuns",
    summary: "List the runs of an automation",
    description:
      "It needs the scopes of what the automation's condition and the segment that starts it read; for runs of an earlier version those of all conditions.",
    answer: "A page of runs, newest first.",
    scope: "automation:manage",
    query: automationRunQuerySchema,
    result: automationRunPageSchema,
    errors: ["resource_not_found"],
  },
  test: {
    operationId: "testAutomation",
    summary: "See what an automation would do for a user",
    description:
      "It changes nothing, and no answer is kept for an idempotency key. It needs the scopes of what the automation's condition reads.",
    answer: "Whether it would be done, and what would become of each action.",
    scope: ["automation:manage", "user:read"],
    body: testAutomationSchema,
    result: automationTestSchema,
    errors: ["resource_not_found"],
  },
  ofUser: {
    operationId: "listAutomationRunsOfUser",
    tag: "Users",
    summary: "List what automations did for a user",
    description: "The runs of deleted automations are among them, so it needs the scopes of all conditions.",
    answer: "A page of runs of all automations, newest first.",
    scope: ["automation:manage", ...scopesOfAllLeaves],
    query: automationRunQuerySchema,
    result: automationRunPageSchema,
    errors: ["resource_not_found"],
  },
} satisfies Operations<"automations">;
