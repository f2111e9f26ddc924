import type * as en from "../en/apps.js";
import type { Translated } from "../translated.js";
import { dayText } from "./forms.js";

export const apps: Translated<typeof en.apps> = {
  none: "Keine Apps",
  noneHint:
    "Ein Programm, das für Leute anderer Organisationen arbeitet, fragt sie über OAuth. Melden Sie es zuerst hier an.",
  fresh: "Neue App",
  public: "öffentlich",
  registered: (at) => `angemeldet ${dayText(at)}`,
  details: "Redirect-URIs und Berechtigungen",
  newSecret: "Neues Geheimnis",
  delete: "Löschen",
  deleteTitle: (name) => `„${name}“ löschen?`,
  deleteVerb: (name) => `${name} löschen`,
  deleteHint:
    "Sie bekommt keine Token mehr, und die, die sie hat, enden jetzt, in jeder Organisation, die sie erlaubt hat. Das lässt sich nicht rückgängig machen.",
  wasDeleted: (name) => `Die App „${name}“ ist gelöscht`,
  newSecretTitle: (name) => `Das neue Geheimnis von „${name}“`,
  provesWho: "Damit weist sich die App aus.",
  rotateTitle: (name) => `Ein neues Geheimnis für „${name}“`,
  rotateHint:
    "Das bisherige gilt noch 24 Stunden, bis Ihre Server das neue haben. Ist es bekannt geworden, beenden Sie es jetzt.",
  cancel: "Abbrechen",
  endOld: "Das alte jetzt beenden",
  makeSecret: "Neues Geheimnis anlegen",
  wasRegistered: (name) => `Die App „${name}“ ist angemeldet`,
  provesId: (id) => `Damit weist sich die App als ${id} aus.`,
  secretTitle: (name) => `Das Geheimnis von „${name}“`,
  register: "App anmelden",
  name: "Name",
  nameHint: "Ihn lesen die Leute, die gefragt werden, ob sie die App erlauben.",
  isPublic: "Öffentlich: Sie läuft auf den Geräten der Leute",
  isPublicHint:
    "Ein Telefon, ein Browser oder eine Befehlszeile bewahrt kein Geheimnis, also gibt es keines.",
  publicUri: "com.example.app:/callback",
  uri: "https://app.example/callback",
  redirectUris: "Redirect-URIs",
  publicUrisHint:
    "Wohin Browser zurückkommen, je Zeile eine: https, http auf localhost oder ein eigenes Schema der App.",
  urisHint: "Wohin Browser zurückkommen, je Zeile eine: https oder http auf localhost.",
  may: "Worum sie bitten darf",
};

export const grants: Translated<typeof en.grants> = {
  title: "Was Apps erlaubt ist",
  none: "Niemand hat einer App etwas erlaubt.",
  by: "für",
  since: (at) => `seit ${dayText(at)}`,
  until: (at) => `bis ${dayText(at)}`,
  end: "Beenden",
  endTitle: (app) => `Beenden, was „${app}“ erlaubt ist?`,
  endVerb: (subject) => `Für ${subject} beenden`,
  wasEnded: (app, subject) => `${subject} erlaubt „${app}“ nichts mehr`,
  endHint: (subject) => `Die App wird ab jetzt abgewiesen, bis ${subject} sie wieder erlaubt.`,
};
