import type { Automation } from "../../../../../src/automations/schema.js";

type TriggerEvent = Extract<Automation["on"], { readonly event: unknown }>["event"];

/**
 * What triggers an automation: one of the listed event types, entering a segment (`segment`), a date (`date`), or points that
 * expire (`pointsExpiry`).
 */
export type TriggerKind = TriggerEvent | "segment" | "date" | "pointsExpiry";

export type ActionKind = "message" | "assignTag" | "unassignTag" | "addStamps" | "giveReward" | "givePoints";

/** How often an automation can run for the same customer: once, each time it is triggered, or at most once in a number of days. */
export type Frequency = "once" | "occasion" | "everyDays";
