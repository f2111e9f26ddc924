import type * as english from "../en/people.js";
import type { Translated } from "../translated.js";
import { quoted } from "./forms.js";

export const people: Translated<typeof english.people> = {
  title: "Personen",
  about:
    "Jede Person meldet sich mit ihrer eigenen E-Mail-Adresse an. So weiß das Geschäft, wer was getan hat.",
  invite: "Jemanden einladen",
  inviteTitle: "Jemanden einladen",
  sendInvitation: "Einladung senden",
  inviteHint: "Eine E-Mail mit einem Link kommt an, der einmal gilt, drei Tage lang.",
  invited: (email) => `${email} ist eingeladen`,
  nobody: "Noch meldet sich niemand mit einer E-Mail-Adresse an",
  nobodyYet: "Laden Sie ein, wer hier arbeitet. Schlüssel gelten daneben weiter.",
  noMail: "Dieser Server sendet noch keine E-Mails. Deshalb kann von hier niemand eingeladen werden.",
  noMailWay: "Wer ihn betreibt, legt mit diesem Befehl einen Link für jemanden an:",
  email: "E-Mail-Adresse",
  name: "Name",
  nameHint: "Steht überall, wo gesagt wird, wer etwas getan hat. Leer: die E-Mail-Adresse.",
  ownRole: "Rolle",
  role: "Was die Person darf",
  roles: {
    owner: "Inhaber",
    manager: "Leitung",
    till: "Kasse",
  },
  rolesIn: {
    owner: "Alles: auch Personen, Schlüssel, Webhooks und die Einstellungen des Geschäfts.",
    manager:
      "Kunden, Karten, Nachrichten, Gruppen, Automatiken und Zahlen. Nicht Personen, Schlüssel, Webhooks oder die Einstellungen des Geschäfts.",
    till: "Kunden und ihre Karten finden, Stempel geben und Prämien ausgeben. Sonst nichts.",
  },
  you: "Sie",
  waiting: "Eingeladen",
  neverHere: (day) => `eingeladen am ${day}, noch nicht da gewesen`,
  lastHere: (day) => `zuletzt da am ${day}`,
  more: (name) => `Mehr zu ${name}`,
  change: "Ändern",
  changeTitle: (name) => `${name} ändern`,
  save: "Speichern",
  saved: "Gespeichert",
  sendAgain: "Link noch einmal senden",
  sendAgainHint: "Der vorige gilt dann nicht mehr.",
  sentAgain: (email) => `Ein neuer Link ist unterwegs an ${email}`,
  devices: "Wo die Person angemeldet ist",
  devicesTitle: (name) => `Wo ${name} angemeldet ist`,
  close: "Schließen",
  signOutAll: "Überall abmelden",
  signOutAllHint: "Überall abmelden entfernt auch die Passkeys der Person.",
  signedOutAll: (name) => `${name} ist überall abgemeldet`,
  remove: "Entfernen",
  removeTitle: (name) => `${quoted(name)} entfernen?`,
  removeVerb: (name) => `${name} entfernen`,
  removed: (name) => `${name} ist entfernt`,
  removing:
    "Die Person wird sofort überall abgemeldet und kann sich nicht mehr anmelden. Was sie getan hat, bleibt, und Schlüssel, die sie angelegt hat, auch. Nachrichten, die sie geplant hat, werden gesendet.",
};

export const devices: Translated<typeof english.devices> = {
  title: "Ihre Geräte",
  about: "Wo Sie angemeldet sind. Beenden Sie, was Sie nicht kennen oder verloren haben.",
  none: "Nirgends angemeldet",
  here: "dieses Gerät",
  since: (begun, seen) => `seit ${begun} · zuletzt benutzt ${seen}`,
  signOut: "Abmelden",
  signOutOf: (device) => `Von ${device} abmelden`,
  signedOut: (device) => `Abgemeldet: ${device}`,
  everywhere: "Auf allen Geräten abmelden",
  everywhereHint:
    "Das entfernt auch Ihre Passkeys. Um sich wieder anzumelden, brauchen Sie einen neuen Link.",
};
