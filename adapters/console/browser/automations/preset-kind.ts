/** Automation presets. */
export type PresetKind = "welcome" | "nearlyFull" | "reward" | "birthday" | "winBack";
