import type * as en from "../en/webhooks.js";
import type { Translated } from "../translated.js";
import { countText, momentText } from "./forms.js";

export const webhooks: Translated<typeof en.webhooks> = {
  none: "Keine Webhook-Endpunkte",
  noneHint:
    "Geben Sie die https-Adresse Ihres Servers an, dann bekommt er für jeden Stempel, jeden Kunden und jede Karte ein Ereignis.",
  fresh: "Neuer Endpunkt",
  allEvents: "Alle Ereignisse",
  enabled: "eingeschaltet",
  requested: "ausgeschaltet",
  gone: "ausgeschaltet: antwortete mit 410 Gone",
  failing: "ausgeschaltet: tagelang fehlgeschlagen",
  wasEnabled: "Eingeschaltet",
  wasDisabled: "Ausgeschaltet",
  test: "Test senden",
  tested: "Ein Testereignis ist unterwegs",
  enable: "Einschalten",
  disable: "Ausschalten",
  remove: "Entfernen",
  removeTitle: "Diesen Endpunkt entfernen?",
  removeVerb: (url) => `${url} entfernen`,
  removeHint:
    "Das löscht auch seine Zustellungen und bricht ausstehende ab. Das lässt sich nicht rückgängig machen.",
  wasRemoved: "Der Endpunkt ist entfernt",
  newTitle: "Neuer Webhook-Endpunkt",
  add: "Endpunkt hinzufügen",
  url: "URL",
  urlExample: "https://shop.example/hooks",
  types: "Ereignistypen (ohne Auswahl alle)",
  secretTitle: "Signaturgeheimnis",
  secretUse: "Damit prüft Ihr Server, dass Ereignisse von hier kommen.",
};

export const deliveries: Translated<typeof en.deliveries> = {
  title: "Zustellungen",
  none: "Noch nichts gesendet.",
  pending: "wartet",
  delivered: "zugestellt",
  failed: "fehlgeschlagen",
  replay: "Noch einmal senden",
  replayed: "Wird noch einmal gesendet",
  details: "Inhalt und Antworten",
  ofTest: "Ein Testereignis enthält diesen Endpunkt als Daten.",
  eventGone: "Das Ereignis ist nicht mehr gespeichert.",
  attempts: (count) => countText(count, "Versuch", "Versuche"),
  took: (milliseconds) => `${milliseconds} ms`,
  last: (answer) => `zuletzt ${answer}`,
  next: (at) => `nächster Versuch ${momentText(at)}`,
};

export const eventLog: Translated<typeof en.eventLog> = {
  kind: "Ereignistyp",
  day: "Tag",
  all: "Alle Ereignisse",
  pause: "Anhalten",
  goOn: "Fortsetzen",
  asCode: "Liste als Code",
  oneAsCode: "Als Code",
  reading: "Ein langes Protokoll wird gelesen …",
  none: "Noch keine Ereignisse",
  noneHint: "Neue Ereignisse erscheinen hier.",
  noun: "Ereignisse",
  by: "von",
  with: "mit",
};
