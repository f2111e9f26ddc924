import type * as en from "../en/apps.js";
import type { Translated } from "../translated.js";
import { dayText } from "./forms.js";

export const apps: Translated<typeof en.apps> = {
  none: "Keine Apps",
  noneHint:
    "Apps, die für andere Organisationen arbeiten, fragen über OAuth nach Zugriff. Registrieren Sie Ihre App zuerst hier.",
  fresh: "Neue App",
  public: "öffentlich",
  registered: (at) => `registriert am ${dayText(at)}`,
  details: "Redirect-URIs und Berechtigungen",
  newSecret: "Neues Geheimnis",
  delete: "Löschen",
  deleteTitle: (name) => `„${name}“ löschen?`,
  deleteVerb: (name) => `${name} löschen`,
  deleteHint:
    "Alle Token der App werden sofort ungültig, in jeder Organisation, die sie zugelassen hat. Das lässt sich nicht rückgängig machen.",
  wasDeleted: (name) => `Die App „${name}“ ist gelöscht`,
  newSecretTitle: (name) => `Neues Geheimnis für „${name}“`,
  provesWho: "Damit weist sich die App aus.",
  rotateTitle: (name) => `Neues Geheimnis für „${name}“ erstellen?`,
  rotateHint:
    "Das bisherige gilt noch 24 Stunden, damit Sie Ihre Server umstellen können. Ist es bekannt geworden, widerrufen Sie es jetzt.",
  cancel: "Abbrechen",
  endOld: "Das alte jetzt widerrufen",
  makeSecret: "Neues Geheimnis erstellen",
  wasRegistered: (name) => `Die App „${name}“ ist registriert`,
  provesId: (id) => `Damit weist sich die App als ${id} aus.`,
  secretTitle: (name) => `Geheimnis von „${name}“`,
  register: "App registrieren",
  name: "Name",
  nameHint: "Wird angezeigt, wenn die App um Zugriff bittet.",
  isPublic: "Öffentlich: läuft auf den Geräten der Nutzer",
  isPublicHint:
    "Mobile Apps, Browser und Kommandozeilen können kein Geheimnis bewahren und bekommen deshalb keines.",
  publicUri: "com.example.app:/callback",
  uri: "https://app.example/callback",
  redirectUris: "Redirect-URIs",
  publicUrisHint:
    "Wohin Browser zurückkehren, eine pro Zeile: https, http auf localhost oder ein eigenes Schema der App.",
  urisHint: "Wohin Browser zurückkehren, eine pro Zeile: https oder http auf localhost.",
  may: "Berechtigungen, um die sie bitten darf",
};

export const grants: Translated<typeof en.grants> = {
  title: "Apps mit Zugriff",
  none: "Keine App hat Zugriff.",
  by: "für",
  since: (at) => `seit ${dayText(at)}`,
  until: (at) => `bis ${dayText(at)}`,
  end: "Widerrufen",
  endTitle: (app) => `Zugriff von „${app}“ widerrufen?`,
  endVerb: (subject) => `Für ${subject} widerrufen`,
  wasEnded: (app, subject) => `„${app}“ hat für ${subject} keinen Zugriff mehr`,
  endHint: (subject) => `Die App verliert jetzt den Zugriff, bis ${subject} sie wieder zulässt.`,
};
