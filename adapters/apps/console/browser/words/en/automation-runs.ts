import type { AutomationRun } from "../../../../../../src/automations/run-schema.js";
import type { MessageChannel } from "../../../../../../src/messages/subscription-schema.js";
import { momentText } from "./forms.js";

type Status = AutomationRun["status"];

/** UI text for the lists of runs on an automation's screen and on a customer's screen. */
export const runs = {
  title: "Runs",
  titleOfCustomer: "Automations",
  none: "No runs yet. Only new events trigger the automation.",
  noneSuch: "No matching runs.",
  noneForCustomer: "No runs yet.",
  toShow: "Filter runs",
  noun: "runs",
  show: "Show what automations did",
  gone: "a deleted automation",
  hint: "Open a customer to see their emails and messages.",
} as const;

export const runStatuses: Readonly<Record<Status, string>> = {
  WAITING: "waiting",
  DONE: "done",
  SKIPPED: "skipped",
  FAILED: "failed",
};

export const runFilters = [
  ["", "All runs"],
  ["DONE", "Done"],
  ["SKIPPED", "Skipped"],
  ["FAILED", "Failed"],
  ["WAITING", "Waiting"],
] as const;

const reasons: Readonly<Record<string, string>> = {
  condition: "the customer didn’t match the condition",
  late: "it was over a day late",
  done_before: "it already ran for this customer",
  too_many_runs: "the customer had five runs within an hour",
  disabled: "it was turned off",
  canceled: "automations don’t run in a copy of the database",
  access_denied: "its creator no longer has permission, so it was turned off",
  gave_up: "the server failed for a whole day",
  resource_not_found: "the customer doesn’t have the card, or the tag was deleted",
  not_a_stamp_card: "the card has no stamps",
  too_many_pending_deliveries: "too many emails were waiting",
};

/** Returns UI text for the reason why a run was skipped or failed. */
export const reasonText = (reason: string): string => reasons[reason] ?? `it failed (${reason})`;

/** UI text that explains a run's status. */
export const aboutRuns = {
  due: (at: string) => `due ${momentText(at)}`,
  /** @param step the step's number, starting at 1. */
  atStep: (step: number, reason: string) => `at step ${step}: ${reason}`,
} as const;

/** UI text for the dry run that tests an automation with one customer. */
export const trial = {
  open: "Try it",
  title: (name: string) => `Test “${name}” with one customer`,
  hint: "See what would happen for one customer right now. Nothing is changed or sent.",
  customer: "Customer",
  /** Shown before the customer's name. The reason follows the name if there is one. */
  would: "It would run for",
  wouldNot: "It wouldn’t run for",
  /** @param reason the reason's code, or `null` if there is none. */
  because: (reason: string | null) =>
    reason === null ? "." : `: ${trialReasons[reason] ?? reasonText(reason)}.`,
  condition: "Condition",
  actions: "Actions",
  is: "would run",
  isNot: "wouldn’t run",
  close: "Close",
} as const;

/** Reasons in a test whose text differs from the text for finished runs. */
const trialReasons: Readonly<Record<string, string>> = {
  disabled: "it is turned off",
  condition: "the customer doesn’t match the condition",
  too_many_runs: "the customer had five runs within the last hour",
  access_denied: "its creator no longer has permission",
};

/** UI text that says whether a tested message would be sent on a channel. */
export const trialOutcomes = {
  goesOut: (channel: MessageChannel) => `sent ${wayText(channel)}`,
  doesNot: (channel: MessageChannel, reason: string) => `not sent ${wayText(channel)}: ${reason}`,
} as const;

const wayText = (channel: MessageChannel) => (channel === "email" ? "by email" : "on the card");
