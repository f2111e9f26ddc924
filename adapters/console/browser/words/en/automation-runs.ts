import type { AutomationRun } from "../../../../../src/resources/automation-run.js";
import type { MessageChannel } from "../../../../../src/resources/subscription.js";
import { momentText } from "./forms.js";

type Status = AutomationRun["status"];

/** All words of what came of an automation. */
export const runs = {
  title: "What it did",
  titleOfCustomer: "Done by automations",
  none: "Nothing so far. It begins with what happens from now on.",
  noneSuch: "None like this.",
  noneForCustomer: "Nothing so far.",
  toShow: "Runs to show",
  noun: "runs",
  show: "Show what was done",
  gone: "an automation that is gone",
  hint: "Whether somebody got a mail or a message on the card stands on their screen.",
} as const;

export const runStatuses: Readonly<Record<Status, string>> = {
  WAITING: "waiting",
  DONE: "done",
  SKIPPED: "left out",
  FAILED: "failed",
};

export const runFilters = [
  ["", "All runs"],
  ["DONE", "Done"],
  ["SKIPPED", "Left out"],
  ["FAILED", "Failed"],
  ["WAITING", "Waiting"],
] as const;

const reasons: Readonly<Record<string, string>> = {
  condition: "the customer was not one of those whom it is for",
  late: "it was more than a day late",
  done_before: "it was done for the customer before",
  too_many_runs: "five were done for the customer within an hour",
  disabled: "it was switched off",
  canceled: "a copy of the shop’s data does nothing by itself",
  access_denied: "who made it may not do this any more, so it was switched off",
  gave_up: "the server could not do it for a whole day",
  resource_not_found: "the customer has no such card, or the tag is gone",
  not_a_stamp_card: "the card has no stamps",
  too_many_pending_deliveries: "too many mails were waiting",
};

/** Why a run was not done, or would not be. */
export const reasonText = (reason: string): string => reasons[reason] ?? `it was refused (${reason})`;

/** More of a run than its status. */
export const aboutRuns = {
  due: (at: string) => `due ${momentText(at)}`,
  /** @param step from 1. */
  atStep: (step: number, reason: string) => `at step ${step}: ${reason}`,
} as const;

/** All words of trying an automation with one customer. */
export const trial = {
  open: "Try it",
  title: (name: string) => `Try “${name}” with one customer`,
  hint: "Nothing is done: it says what would be done now, had it just begun for the customer.",
  customer: "Customer",
  /** The name of the customer follows, and then the reason or nothing. */
  would: "It would be done for",
  wouldNot: "It would not be done for",
  /** @param reason `null` if there is none. */
  because: (reason: string | null) =>
    reason === null ? "." : `: ${trialReasons[reason] ?? reasonText(reason)}.`,
  condition: "For whom it is",
  actions: "What it would do",
  is: "would be done",
  isNot: "would not be done",
  close: "Close",
} as const;

/** The reasons of a trial, where they differ from the reasons of a run that has ended. */
const trialReasons: Readonly<Record<string, string>> = {
  disabled: "it is switched off",
  condition: "the customer is not one of those whom it is for",
  too_many_runs: "five were done for the customer within the last hour",
  access_denied: "who made it may not do this any more",
};

/** The outcome of a message on one channel. */
export const trialOutcomes = {
  goesOut: (channel: MessageChannel) => `goes out ${wayText(channel)}`,
  doesNot: (channel: MessageChannel, reason: string) => `not ${wayText(channel)}: ${reason}`,
} as const;

const wayText = (channel: MessageChannel) => (channel === "email" ? "by mail" : "on the card");
