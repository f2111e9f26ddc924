/** The available automation presets. */
export type PresetKind = "welcome" | "nearlyFull" | "reward" | "birthday" | "winBack";
