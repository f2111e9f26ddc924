import type * as english from "../en/people.js";
import type { Translated } from "../translated.js";
import { quoted } from "./forms.js";

export const people: Translated<typeof english.people> = {
  title: "Team",
  about: "Alle melden sich mit ihrer eigenen E-Mail-Adresse an. So sehen Sie, wer was getan hat.",
  invite: "Teammitglied einladen",
  inviteTitle: "Teammitglied einladen",
  sendInvitation: "Einladung senden",
  inviteHint: "Per E-Mail kommt ein Anmeldelink, der einmal funktioniert und drei Tage gültig ist.",
  invited: (email) => `${email} ist eingeladen`,
  nobody: "Noch keine Teammitglieder",
  nobodyYet: "Laden Sie Ihr Team ein. API-Token gelten daneben weiter.",
  noMailAdvice:
    "E-Mails sind noch nicht eingerichtet: Bitten Sie die Person, die Ihren Server betreibt, um einen Anmeldelink für jedes Teammitglied.",
  email: "E-Mail-Adresse",
  name: "Name",
  nameHint: "Erscheint im Änderungsprotokoll. Leer lassen, um die E-Mail-Adresse zu zeigen.",
  ownRole: "Rolle",
  role: "Rolle",
  roles: {
    owner: "Inhaber",
    manager: "Leitung",
    till: "Kasse",
  },
  rolesIn: {
    owner: "Alles, auch Team, API-Token, Webhooks und die Einstellungen des Geschäfts.",
    manager:
      "Kunden, Karten, Nachrichten, Gruppen, Automatisierungen und Statistik. Nicht Team, API-Token, Webhooks oder Einstellungen des Geschäfts.",
    till: "Kunden und ihre Karten finden, Stempel geben und Prämien einlösen. Sonst nichts.",
  },
  you: "Sie",
  waiting: "Eingeladen",
  neverHere: (day) => `eingeladen am ${day}, noch nicht angemeldet`,
  lastHere: (day) => `zuletzt aktiv am ${day}`,
  more: (name) => `Mehr zu ${name}`,
  change: "Ändern",
  changeTitle: (name) => `${name} ändern`,
  save: "Speichern",
  saved: "Gespeichert",
  sendAgain: "Neuen Link senden",
  sendAgainHint: "Er ersetzt den bisherigen Link.",
  sentAgain: (email) => `Ein neuer Link ist unterwegs an ${email}`,
  devices: "Geräte",
  devicesTitle: (name) => `Geräte von ${name}`,
  close: "Schließen",
  signOutAll: "Überall abmelden",
  signOutAllHint: "Überall abmelden entfernt auch die Passkeys der Person.",
  signedOutAll: (name) => `${name} ist überall abgemeldet`,
  remove: "Entfernen",
  removeTitle: (name) => `${quoted(name)} entfernen?`,
  removeVerb: (name) => `${name} entfernen`,
  removed: (name) => `${name} ist entfernt`,
  removing:
    "Die Person wird sofort überall abgemeldet und kann sich nicht mehr anmelden. Was sie getan hat, bleibt, ebenso ihre API-Token. Geplante Nachrichten werden trotzdem gesendet.",
};

export const devices: Translated<typeof english.devices> = {
  title: "Ihre Geräte",
  about: "Hier sind Sie angemeldet. Melden Sie Geräte ab, die Sie nicht kennen oder verloren haben.",
  none: "Keine Geräte",
  here: "dieses Gerät",
  since: (begun, seen) => `seit ${begun} · zuletzt benutzt ${seen}`,
  signOut: "Abmelden",
  signOutOf: (device) => `Von ${device} abmelden`,
  signedOut: (device) => `Abgemeldet: ${device}`,
  everywhere: "Auf allen Geräten abmelden",
  everywhereHint:
    "Das entfernt auch Ihre Passkeys. Um sich wieder anzumelden, brauchen Sie einen neuen Link.",
};
