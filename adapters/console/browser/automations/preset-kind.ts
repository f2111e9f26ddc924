/** The automations that are ready. */
export type PresetKind = "welcome" | "nearlyFull" | "reward" | "birthday" | "winBack";
