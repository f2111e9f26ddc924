import type * as english from "../en/time-zone.js";
import type { Translated } from "../translated.js";

export const timeZoneWords: Translated<typeof english.timeZoneWords> = {
  suggested: (zone) => `Uhrzeiten richten sich nach der Zeitzone dieses Geräts, ${zone}.`,
};
