/** Identifies an automation preset. */
export type PresetKind = "welcome" | "nearlyFull" | "reward" | "birthday" | "winBack";
