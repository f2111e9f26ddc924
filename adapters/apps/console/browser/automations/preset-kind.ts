export type PresetKind = "welcome" | "nearlyFull" | "reward" | "birthday" | "winBack";
