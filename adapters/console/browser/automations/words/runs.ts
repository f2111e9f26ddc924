import type { AutomationRun } from "../../../../../src/resources/automation-run.js";
import type { AutomationTest } from "../../../../../src/resources/automation-test.js";
import type { Choices } from "../../parts/choices.js";
import { momentText } from "../../words/en/forms.js";
import { mailReasons } from "../../words/en/mails.js";

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

export const runStatuses: Readonly<
  Record<Status, { readonly text: string; readonly tone: "good" | "warn" | "bad" | "" }>
> = {
  WAITING: { text: "waiting", tone: "warn" },
  DONE: { text: "done", tone: "good" },
  SKIPPED: { text: "left out", tone: "" },
  FAILED: { text: "failed", tone: "bad" },
};

export const runFilters: Choices<Status | ""> = [
  ["", "All runs"],
  ["DONE", "Done"],
  ["SKIPPED", "Left out"],
  ["FAILED", "Failed"],
  ["WAITING", "Waiting"],
];

const reasons: Readonly<Record<string, string>> = {
  condition: "the customer was not one of those whom it is for",
  late: "it was more than a day late",
  done_before: "it was done for the customer before",
  too_many_runs: "five were done for the customer within an hour",
  disabled: "it was switched off",
  cancelled: "a copy of the shop’s data does nothing by itself",
  access_denied: "who made it may not do this any more, so it was switched off",
  gave_up: "the server could not do it for a whole day",
  resource_not_found: "the customer has no such card, or the tag is gone",
  not_a_stamp_card: "the card has no stamps",
  too_many_pending_deliveries: "too many mails were waiting",
};

/** Says why a run was not done, or would not be. */
export const reasonText = (reason: string): string => reasons[reason] ?? `it was refused (${reason})`;

/** Says more of a run than its status; empty where there is no more to say. */
export function aboutRun({ status, reason, actionIndex, dueAt }: AutomationRun): string {
  if (status === "WAITING") return `due ${momentText(dueAt)}`;
  if (reason === null) return "";
  const place = actionIndex === null || reason === "gave_up" ? "" : `at step ${actionIndex + 1}: `;
  return `${place}${reasonText(reason)}`;
}

/** All words of trying an automation with one customer. */
export const trial = {
  open: "Try it",
  title: (name: string) => `Try “${name}” with one customer`,
  hint: "Nothing is done: it says what would be done now, had it just begun for the customer.",
  customer: "Customer",
  would: "It would be done for",
  wouldNot: "It would not be done for",
  because: (reason: string) => `: ${trialReasons[reason] ?? reasonText(reason)}.`,
  condition: "For whom it is",
  actions: "What it would do",
  is: "would be done",
  isNot: "would not be done",
  close: "Close",
} as const;

/** What is said otherwise of now than of a run that is over. */
const trialReasons: Readonly<Record<string, string>> = {
  disabled: "it is switched off",
  condition: "the customer is not one of those whom it is for",
  too_many_runs: "five were done for the customer within the last hour",
  access_denied: "who made it may not do this any more",
};

type Tried = AutomationTest["actions"][number];

/** Says what would become of one action: why it would be refused, or how a message would go out. */
export function triedTexts({ reason, channels }: Tried): readonly string[] {
  if (reason !== null) return [reasonText(reason)];
  return (channels ?? []).map(({ channel, reason }) => {
    const way = channel === "email" ? "by mail" : "on the card";
    return reason === null ? `goes out ${way}` : `not ${way}: ${mailReasons[reason]}`;
  });
}

/** Returns whether an action would be done; a message that goes out by no way would not. */
export const isTried = ({ reason, channels }: Tried): boolean =>
  reason === null && (channels === null || channels.some((channel) => channel.reason === null));
