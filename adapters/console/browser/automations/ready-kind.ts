/** The automations that are ready. */
export type ReadyKind = "welcome" | "nearlyFull" | "reward" | "birthday" | "winBack";
