import type * as en from "../en/automations.js";
import type { Translated } from "../translated.js";
import { countText } from "./forms.js";

export const automations: Translated<typeof en.automations> = {
  title: "Automatiken",
  back: "Automatiken",
  fresh: "Neue Automatik",
  edit: "Bearbeiten",
  none: "Noch geschieht nichts von selbst",
  noneHint: "Beginnen Sie mit einer fertigen: Ihre Texte sind schon da, und Sie können sie ändern.",
  list: "Automatiken",
  runsOf: (runs) => countText(runs, "Lauf", "Läufe"),
  noRuns: "ist noch nie gelaufen",
  last: (when, how) => `der letzte ${when}: ${how}`,
  wasOn: (name) => `„${name}“ ist eingeschaltet`,
  wasOff: (name) => `„${name}“ ist ausgeschaltet`,
  about: "Was sie tut",
  starts: "Wann",
  condition: "Für wen",
  actions: "Was geschieht",
  per: "Wie oft",
  numbers: "Was daraus geworden ist",
  delete: "Löschen",
  deleteTitle: (name) => `„${name}“ löschen?`,
  deleteVerb: (name) => `„${name}“ löschen`,
  deleteHint:
    "Was sie getan hat, bleibt. Was auf seinen Tag wartet, entfällt. Das lässt sich nicht rückgängig machen; ausschalten schon.",
  wasDeleted: (name) => `„${name}“ ist gelöscht`,
};
