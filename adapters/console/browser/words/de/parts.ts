import type * as english from "../en/parts.js";
import type { Translated } from "../translated.js";
import { numberText } from "./forms.js";

export const parts: Translated<typeof english.parts> = {
  card: {
    progress: (stamps, most) => `${stamps} von ${most} Stempeln`,
    toRedeem: (count) => (count === 1 ? "1 Prämie einzulösen" : `${count} Prämien einzulösen`),
    earns: (reward) => `Eine volle Karte bringt: ${reward}`,
  },
  code: {
    title: "Dasselbe mit einem Programm",
    set: "Setzen Sie",
    toToken: "auf ein API-Token, das dies lesen darf. Ihr eigenes steht nicht darin.",
    forShell: "Für eine Shell",
    forProgram: "Für ein Programm",
    copyCurl: "Als curl kopieren",
    copyClient: "Als Code kopieren",
    copied: "Kopiert",
    done: "Fertig",
    item: "Als Code",
    itemHint: "Dasselbe für ein Programm oder eine Shell.",
  },
  crop: {
    title: (label) => `${label}: Ausschnitt wählen`,
    part: (width, height) => `Der Ausschnitt des Bildes, ${width} × ${height} Pixel`,
    hint: "Ziehen verschiebt das Bild. Zwei Finger oder das Mausrad ändern die Größe.",
    size: "Größe",
    across: "Von links nach rechts",
    down: "Von oben nach unten",
    tooLarge: "Dieser Ausschnitt braucht mehr als 512 KiB. Wählen Sie ein einfacheres Bild.",
    whole: "Ganzes Bild",
    use: "Ausschnitt nehmen",
  },
  picture: {
    tooLarge: (file) => `„${file}“ hat mehr als 30 MB.`,
    unreadable: (file) =>
      `„${file}“ ist kein Bild, das hier gelesen werden kann. Speichern Sie es als PNG oder JPEG.`,
    isKept: "Ein Bild ist gespeichert.",
    drop: "Bild hierher ziehen, einfügen oder",
    choose: "Datei wählen",
    remove: (label) => `${label} entfernen`,
  },
  chart: {
    highest: (value) => `höchstens ${numberText(value)}`,
    byDay: (title) => `${title} nach Tagen`,
  },
  pager: {
    label: (noun) => `Seiten: ${noun}`,
    newer: (noun) => `Neuere ${noun}`,
    older: (noun) => `Ältere ${noun}`,
    range: (from, to, total) => `${from}–${to} von ${total}`,
  },
  cancel: "Abbrechen",
  keep: "Behalten",
  undo: "Rückgängig",
  dismiss: "Ausblenden",
  tryAgain: "Noch einmal versuchen",
  loading: "Wird geladen",
  on: "Ein",
  off: "Aus",
  numbered: (at) => `Nummer ${at}`,
};

export const events: Translated<typeof english.events> = {
  becameCustomer: "Ist Kunde geworden",
  changed: "Angaben geändert",
  deleted: "Wurde gelöscht",
  gotCard: "Karte bekommen",
  cardCancelled: "Eine Karte wurde eingezogen",
  cardFull: "Karte voll: Prämie verdient",
  tookReward: "Prämie eingelöst",
  wasGivenReward: "Prämie geschenkt bekommen",
  undone: "Eine Änderung der Karte wurde rückgängig gemacht",
  stamped: "Gestempelt",
  takenOff: "Stempel abgezogen",
  corrected: "Stempel berichtigt",
  emptied: "Karte geleert",
  onCard: (what, stamps, most) => `${what}: ${stamps}/${most}`,
  gotTag: (tag) => `Etikett „${tag}“ bekommen`,
  lostTag: (tag) => `Etikett „${tag}“ verloren`,
  cameInto: (segment) => `In „${segment}“ gekommen`,
  left: (segment) => `Aus „${segment}“ gefallen`,
  newsByMail: "Neuigkeiten per E-Mail",
  newsOnCard: "Neuigkeiten auf der Karte",
  agreed: "eingewilligt",
  refused: "will keine",
  unconfirmed: "noch nicht bestätigt",
  addedTo: (wallet) => `Karte zu ${wallet} hinzugefügt`,
  removedFrom: (wallet) => `Karte aus ${wallet} entfernt`,
  aWallet: "einem Wallet",
  importEnded: "Ein Import ist fertig",
  messageBegan: "Eine Nachricht hat begonnen",
};

export const actors: Translated<typeof english.actors> = {
  library: "Ihre Software",
  token: "ein Programm oder eine Kasse",
  app: "eine App",
  console: "die Konsole",
  worker: "von selbst",
  customer: "der Kunde",
  automation: "eine Automatik",
};

export const actorAt: typeof english.actorAt = (who, location) => `${who}, ${location}`;
