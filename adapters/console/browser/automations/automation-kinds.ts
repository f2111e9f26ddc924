import type { Automation } from "../../../../src/resources/automation.js";

type StartingEvent = Extract<Automation["on"], { readonly event: unknown }>["event"];

/** Kinds of triggers. */
export type StartKind = StartingEvent | "segment" | "date";

/** Kinds of actions. */
export type ActionKind = "message" | "assignTag" | "unassignTag" | "addStamps" | "giveReward";

/** How often an automation may run for the same customer. */
export type Frequency = "once" | "occasion" | "everyDays";
