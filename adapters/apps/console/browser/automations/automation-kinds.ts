import type { Automation } from "../../../../../src/automations/schema.js";

type StartingEvent = Extract<Automation["on"], { readonly event: unknown }>["event"];

/** The kinds of triggers for an automation: an event type, entering a segment, or a date. */
export type StartKind = StartingEvent | "segment" | "date";

/** The kinds of actions that an automation can perform. */
export type ActionKind = "message" | "assignTag" | "unassignTag" | "addStamps" | "giveReward";

/** Limits on how often an automation runs for the same customer. */
export type Frequency = "once" | "occasion" | "everyDays";
