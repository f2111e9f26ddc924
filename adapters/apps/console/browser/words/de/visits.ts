import type * as english from "../en/visits.js";
import type { Translated } from "../translated.js";
import { countText } from "./forms.js";

export const visits: Translated<typeof english.visits> = {
  happening: "Aktuelles",
  nothingYet: "Was an der Kasse und auf den Handys der Kunden passiert, erscheint hier.",
  by: (who) => `· ${who}`,
  title: "Wann Kunden kommen",
  none: (weeks) => `Sobald Sie stempeln, stehen hier die stärksten Stunden der letzten ${weeks} Wochen.`,
  most: (weeks) => `Am meisten los in den letzten ${weeks} Wochen:`,
  inHour: (weekday, hour, count) =>
    `${weekday}, ${hour} bis ${hour + 1} Uhr, ${countText(count, "Besuch", "Besuche")}`,
  table: "Besuche nach Wochentag und Stunde",
  weekday: "Wochentag",
};
