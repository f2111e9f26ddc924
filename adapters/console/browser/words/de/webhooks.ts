import type * as en from "../en/webhooks.js";
import type { Translated } from "../translated.js";
import { countText, momentText } from "./forms.js";

export const webhooks: Translated<typeof en.webhooks> = {
  none: "Keine Webhook-Endpunkte",
  noneHint:
    "Geben Sie die https-Adresse eines Ihrer Server an, dann erfährt er von jedem Stempel, jedem Kunden und jeder Karte.",
  fresh: "Neuer Endpunkt",
  allEvents: "Alle Ereignisse",
  enabled: "eingeschaltet",
  requested: "ausgeschaltet",
  gone: "ausgeschaltet, weil er sagte, dass es ihn nicht mehr gibt",
  failing: "ausgeschaltet, weil er tagelang versagt hat",
  wasEnabled: "Eingeschaltet",
  wasDisabled: "Ausgeschaltet",
  test: "Probe senden",
  tested: "Ein Probeereignis ist unterwegs",
  enable: "Einschalten",
  disable: "Ausschalten",
  remove: "Entfernen",
  removeTitle: "Diesen Endpunkt entfernen?",
  removeVerb: (url) => `${url} entfernen`,
  removeHint:
    "Seine Zustellungen verschwinden mit, und was zu ihm unterwegs ist, wird aufgegeben. Das lässt sich nicht rückgängig machen.",
  wasRemoved: "Der Endpunkt ist entfernt",
  newTitle: "Neuer Webhook-Endpunkt",
  add: "Endpunkt hinzufügen",
  url: "URL",
  urlExample: "https://shop.example/hooks",
  types: "Ereignisse, oder alle",
  secretTitle: "Das Geheimnis des Endpunkts",
  secretUse: "Daran erkennt Ihr Server, dass Ereignisse von hier kommen.",
};

export const deliveries: Translated<typeof en.deliveries> = {
  title: "Zustellungen",
  none: "Noch nichts gesendet.",
  pending: "wartet",
  delivered: "zugestellt",
  failed: "fehlgeschlagen",
  replay: "Noch einmal senden",
  replayed: "Es wird noch einmal gesendet",
  details: "Inhalt und Antworten",
  ofTest: "Eine Probe sendet als Daten diesen Endpunkt selbst.",
  eventGone: "Das Ereignis ist nicht mehr aufbewahrt.",
  attempts: (count) => countText(count, "Versuch", "Versuche"),
  took: (milliseconds) => `${milliseconds} ms`,
  last: (answer) => `zuletzt ${answer}`,
  next: (at) => `nächster Versuch ${momentText(at)}`,
};

export const eventLog: Translated<typeof en.eventLog> = {
  kind: "Art des Ereignisses",
  day: "Tag",
  all: "Alle Ereignisse",
  pause: "Anhalten",
  goOn: "Weiter",
  asCode: "Liste als Code",
  oneAsCode: "Als Code",
  reading: "Ein langes Protokoll wird gelesen …",
  none: "Noch keine Ereignisse",
  noneHint: "Was ab jetzt passiert, erscheint hier.",
  noun: "Ereignisse",
  by: "von",
  with: "mit",
};
