import type { Automation } from "../../../../../src/automations/schema.js";

type StartingEvent = Extract<Automation["on"], { readonly event: unknown }>["event"];

/** What triggers an automation: an event of this type, entering a segment, or a date. */
export type StartKind = StartingEvent | "segment" | "date";

export type ActionKind = "message" | "assignTag" | "unassignTag" | "addStamps" | "giveReward";

/** How often an automation can run for the same customer: once, on every occasion, or at most once in a number of days. */
export type Frequency = "once" | "occasion" | "everyDays";
