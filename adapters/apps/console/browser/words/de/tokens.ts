import type * as en from "../en/tokens.js";
import type { Translated } from "../translated.js";
import { countText, dayText } from "./forms.js";

export const tokens: Translated<typeof en.tokens> = {
  fresh: "Neues Token",
  none: "Keine Token",
  made: (at) => `angelegt ${dayText(at)}`,
  neverUsed: "nie benutzt",
  used: (at) => `benutzt ${dayText(at)}`,
  expires: (at) => `läuft ab ${dayText(at)}`,
  from: (addresses) => `von ${addresses}`,
  revoke: "Widerrufen",
  revokeTitle: (name) => `„${name}“ widerrufen?`,
  revokeVerb: (name) => `${name} widerrufen`,
  wasRevoked: (name) => `Das Token „${name}“ ist widerrufen`,
  revokeHint: (prefix) =>
    `Programme, die \`${prefix}…\` verwenden, verlieren jetzt den Zugriff. Sie selbst auch, wenn Sie damit angemeldet sind. Das lässt sich nicht rückgängig machen.`,
  madeUnknown: "Was es angelegt hat, lässt sich gerade nicht anzeigen.",
  grantsEnd: (count) => `Das widerruft auch ${countText(count, "Freigabe", "Freigaben")} für Apps.`,
  stays: "Was es angelegt hat, bleibt, bis Sie es entfernen:",
  token: "Token",
  app: "App",
  endpoint: "Webhook-Endpunkt",
  newTitle: "Neues API-Token",
  make: "Token anlegen",
  shownTitle: (name) => `Das Token „${name}“`,
  name: "Name",
  nameHint: "Wofür es ist, etwa „Kasse der Bäckerei“.",
  may: "Berechtigungen",
  expiresLabel: "Läuft ab",
  neverExpires: "Es läuft nie ab",
  usedFrom: "Benutzt von",
  usedFromHint: "IP-Adressen und Netze, etwa 192.0.2.0/24. Leer lassen für überall.",
};

export const scopes: Translated<typeof en.scopes> = {
  title: "Berechtigungen",
  behind: (count) => `Berechtigungen: ${count === 0 ? "noch keine" : count}`,
  behindOneByOne: (count) => `Berechtigungen: ${count}, angepasst`,
  count: (count) => countText(count, "Berechtigung", "Berechtigungen"),
  ofPreset: (preset, count) => `${preset}: ${countText(count, "Berechtigung", "Berechtigungen")}`,
};

export const scopeWords: typeof en.scopeWords = {
  "user_tag:read": "Etiketten sehen und darüber Kunden mit ihren Namen, Adressen und anderen Daten",
  "user_tag:write": "Etiketten anlegen, ändern, löschen und vergeben",
  "user:create": "Kunden hinzufügen und erfahren, ob eine Adresse oder externe ID vergeben ist",
  "user:read": "Kunden sehen, mit ihren Namen, Adressen und anderen Daten",
  "user:update": "Kunden ändern und löschen und ihre Daten dabei sehen",
  "pass:read": "Karten im Wallet mit ihren Stempeln sehen, und wem sie gehören",
  "pass:create": "Karten ausgeben, auch an neue Kunden",
  "pass:update": "Vermerken, dass Karten in einem Wallet sind oder daraus entfernt wurden",
  "pass:delete": "Karten von Kunden löschen",
  "pass:notify": "Kunden die Links zu ihren Karten mailen",
  "template:create": "Vorlagen von Karten anlegen",
  "template:read": "Vorlagen von Karten sehen",
  "template:update": "Vorlagen von Karten ändern",
  "template:delete": "Vorlagen von Karten löschen",
  "loyalty:manage": "Stempel geben, abziehen, setzen und einlösen und Punkte geben, abziehen und einlösen",
  "purchase:read": "Einkäufe und Rückgaben von Kunden sehen",
  "purchase:write": "Einkäufe und Rückgaben erfassen und damit Stempel und Punkte geben und abziehen",
  "api_token:manage":
    "API-Token anlegen und widerrufen, Apps registrieren und den Zugang von Apps beenden. Was damit angelegt wird, bleibt, wenn der Zugang endet",
  "webhook:manage":
    "Ereignisse mit den Daten von Kunden an andere Server senden. Das geht weiter, wenn der Zugang endet",
  "message:read": "Die E-Mails und Nachrichten an Kunden und ihre Einstellungen sehen",
  "message:send":
    "Kunden Nachrichten senden, deren Einstellungen ändern und Adressen vermerken, die E-Mails ablehnen",
  "automation:manage":
    "Automatisch für Kunden handeln, im Rahmen der übrigen Berechtigungen, bis der Zugang endet",
  "settings:read": "Die Einstellungen des Geschäfts sehen, etwa die Zeitzone",
  "settings:write": "Die Einstellungen des Geschäfts ändern, etwa die Zeitzone",
  "statistics:read": "Sehen, wie viele Kunden, Karten, Stempel, Punkte und Prämien es an jedem Tag gibt",
  "segment:read": "Die Kunden von Gruppen zählen und sehen, soweit sichtbar ist, was die Gruppen verwenden",
  "segment:write": "Gruppen von Kunden speichern, ändern und löschen, soweit sichtbar ist, was sie verwenden",
  "people:manage": "Personen einladen, die sich anmelden, und sie ändern, abmelden und entfernen",
  "audit:read":
    "Sehen, wer Token, Apps und Webhooks verwaltet und Kunden exportiert oder endgültig gelöscht hat",
  "organization:export": "Alle gespeicherten Daten in einer Datei exportieren, mit den Daten aller Kunden",
  "actor:write": "Angeben, für welche Person, welchen Ort und welchen Beleg eine Änderung aufgezeichnet wird",
};

export const presets: Translated<typeof en.presets> = {
  till: [
    "Kasse",
    "Findet Kunden und ihre Karten, erfasst Einkäufe, gibt Stempel und Punkte und löst Prämien ein. Kann keine Kunden anlegen oder löschen.",
  ],
  readOnly: [
    "Nur lesen",
    "Sieht Kunden, Karten, Einkäufe, Nachrichten, Gruppen, Statistik und Einstellungen. Kann nichts ändern.",
  ],
  import: ["Import", "Legt Kunden mit ihren Etiketten, Karten und Stempeln an und aktualisiert sie."],
  everything: [
    "Alles",
    "Alles, was Sie dürfen: auch allen Kunden schreiben, Kunden endgültig löschen und weitere Token anlegen.",
  ],
};
