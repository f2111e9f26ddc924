import type { Automation } from "../../../../src/resources/automation.js";

type StartingEvent = Extract<Automation["on"], { readonly event: unknown }>["event"];

/** What triggers an automation. */
export type StartKind = StartingEvent | "segment" | "date";

/** What an automation's action does. */
export type ActionKind = "message" | "assignTag" | "unassignTag" | "addStamps" | "giveReward";

/** How often an automation may run for the same customer. */
export type Frequency = "once" | "occasion" | "everyDays";
