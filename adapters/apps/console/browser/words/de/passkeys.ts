import type * as english from "../en/passkeys.js";
import type { Translated } from "../translated.js";
import { quoted } from "./forms.js";

export const passkeys: Translated<typeof english.passkeys> = {
  title: "Ihre Passkeys",
  about: "Melden Sie sich mit Fingerabdruck, Gesicht oder PIN an, ohne auf eine E-Mail zu warten.",
  none: "Sie haben noch keinen Passkey",
  add: "Passkey hinzufügen",
  name: "Name",
  nameHint: "Daran erkennen Sie das Gerät wieder.",
  goOn: "Weiter",
  cancel: "Abbrechen",
  added: (name) => `Sie können sich jetzt mit ${quoted(name)} anmelden`,
  neverUsed: (made) => `seit ${made} · noch nicht benutzt`,
  lastUsed: (made, used) => `seit ${made} · zuletzt benutzt ${used}`,
  remove: "Entfernen",
  removeTitle: (name) => `${quoted(name)} entfernen?`,
  removeVerb: (name) => `${name} entfernen`,
  removing:
    "Eine Anmeldung damit ist nicht mehr möglich. Löschen Sie ihn auch auf dem Gerät: Dort würde er sonst weiter angeboten.",
  removed: (name) => `${name} ist entfernt`,
  elsewhere: (origin) => `Passkeys gelten nur unter ${origin}. Öffnen Sie die Konsole dort.`,
  unknown: "Dieser Browser kennt keine Passkeys.",
  given: "Dieses Gerät oder der Ort Ihrer Passwörter hat schon einen für Sie.",
  signInAgain:
    "Melden Sie sich zuerst ab und wieder an: Dafür muss die Anmeldung jünger als 15 Minuten sein.",
  refused: "Der Server hat den Passkey nicht angenommen. Versuchen Sie es noch einmal.",
};

export const signingIn: Translated<typeof english.signingIn> = {
  canceled: "Das wurde abgebrochen oder hat zu lange gedauert. Versuchen Sie es noch einmal.",
  failed: "Dieses Gerät konnte das nicht.",
  notTaken: "Dieser Passkey gilt hier nicht oder nicht mehr. Melden Sie sich anders an.",
  tooOften: "Von hier gab es zu viele Versuche. Versuchen Sie es später noch einmal.",
  unanswered: "Der Server antwortet nicht. Versuchen Sie es gleich noch einmal.",
};
