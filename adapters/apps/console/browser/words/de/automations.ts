import type * as en from "../en/automations.js";
import type { Translated } from "../translated.js";
import { countText } from "./forms.js";

export const automations: Translated<typeof en.automations> = {
  title: "Automatisierungen",
  back: "Automatisierungen",
  fresh: "Neue Automatisierung",
  edit: "Bearbeiten",
  none: "Noch keine Automatisierungen",
  noneHint: "Beginnen Sie mit einer Vorlage. Ihre Texte können Sie ändern.",
  list: "Automatisierungen",
  runsOf: (runs) => countText(runs, "Lauf", "Läufe"),
  noRuns: "Noch nie gelaufen",
  last: (when, how) => `letzter Lauf ${when}: ${how}`,
  wasOn: (name) => `„${name}“ ist eingeschaltet`,
  wasOff: (name) => `„${name}“ ist ausgeschaltet`,
  about: "Was sie tut",
  starts: "Wenn",
  condition: "Für wen",
  actions: "Aktionen",
  per: "Wie oft",
  numbers: "Ergebnisse",
  delete: "Löschen",
  deleteTitle: (name) => `„${name}“ löschen?`,
  deleteVerb: (name) => `„${name}“ löschen`,
  deleteHint:
    "Erledigte Läufe bleiben, wartende werden übersprungen. Das lässt sich nicht rückgängig machen; Sie können sie stattdessen ausschalten.",
  wasDeleted: (name) => `„${name}“ ist gelöscht`,
};
