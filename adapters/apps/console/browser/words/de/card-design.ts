import type * as en from "../en/card-design.js";
import type { Translated } from "../translated.js";

export const design: Translated<typeof en.design> = {
  back: "Karten",
  title: (card) => `Gestaltung von ${card}`,
  undo: "Rückgängig",
  remove: "Gestaltung entfernen",
  save: "Speichern",
  wasSaved: "Die Gestaltung ist gespeichert. Karten in Wallets folgen.",
  wasRemoved: "Die Gestaltung ist entfernt. Karten in Wallets folgen.",
  programSaved: "Gespeichert. Die Änderungen gelten für neue Einkäufe.",
  validUntil: "Gültig bis",
  validUntilHint: "Danach archivieren Wallets die Karte. Leer lassen für unbegrenzt.",
  preview: "Vorschau",
  stampsShown: (stamps) => `Gezeigte Stempel: ${stamps}`,
  allStampsShown: "Gezeigte Stempel: alle",
  lockScreen: "Auf dem Sperrbildschirm",
  walletsChoose:
    "Schriften und Anordnung bestimmt das jeweilige Wallet. Ein iPhone zeigt den Namen Ihres Geschäfts und das Symbol oder sonst das Logo; Android zeigt das Logo.",
};

export const look: Translated<typeof en.look> = {
  title: "Aussehen",
  ready: "Fertige Gestaltungen",
  backgroundColor: "Hintergrund",
  foregroundColor: "Text und Stempel",
  labelColor: "Beschriftungen",
  shape: "Form der Stempel",
  reward: "Prämie für eine volle Karte",
  rewardHint: "Auf der Karte, dem Plakat und der Anmeldeseite",
  logo: "Logo",
  logoHint: "Neben dem Titel.",
  icon: "Symbol",
  iconHint: "In Mitteilungen.",
  strip: "Bild hinter den Stempeln",
  stripHint: "So breit wie die Karte.",
  filled: "Stempel",
  filledHint: "Anstelle der Form.",
  empty: "Fehlender Stempel",
  emptyHint: "Leer lassen, um den Stempel verblasst zu zeigen.",
};

export const shapes: Translated<typeof en.shapes> = [
  ["CIRCLE", "Kreise"],
  ["STAR", "Sterne"],
  ["HEART", "Herzen"],
  ["CUP", "Tassen"],
  ["CHECK", "Häkchen"],
];

export const contrastOf: Translated<typeof en.contrastOf> = {
  foregroundColor: (ratio, least) =>
    `Text und Stempel sind auf diesem Hintergrund schwer zu lesen: Ihr Kontrast ist ${ratio}, und er sollte mindestens ${least} sein.`,
  labelColor: (ratio, least) =>
    `Beschriftungen sind auf diesem Hintergrund schwer zu lesen: Ihr Kontrast ist ${ratio}, und er sollte mindestens ${least} sein.`,
};

export const makeReadable: Translated<typeof en.makeReadable> = {
  foregroundColor: { white: "Text und Stempel weiß machen", black: "Text und Stempel schwarz machen" },
  labelColor: { white: "Beschriftungen weiß machen", black: "Beschriftungen schwarz machen" },
};

export const texts: Translated<typeof en.texts> = {
  title: "Texte",
  add: "Sprache hinzufügen",
  languageNumber: (number) => `Sprache ${number}`,
  remove: (number) => `Sprache ${number} entfernen`,
  firstHint: "Wer keine der anderen spricht, liest auch diese Texte.",
  terms: "Bedingungen",
  says: "Text dazu",
};

export const textWords: Translated<typeof en.textWords> = {
  title: ["Titel", "Ohne Angabe der Name der Karte"],
  description: ["Beschreibung", "Wird anstelle des Bildes vorgelesen"],
  stampsLabel: ["Wie Stempel heißen", "Etwa Kaffees"],
  rewardsLabel: ["Wie Prämien heißen", "Etwa Gratis-Kaffees"],
  toGo: ["Was noch fehlt", "Mit {count} darin, etwa „noch {count}“"],
  rewardReady: ["Eine Prämie wartet", "Was eine volle Karte sagt"],
};

export const lists: Translated<typeof en.lists> = {
  link: {
    item: (number) => `Link ${number}`,
    label: (number) => `Link ${number}`,
    add: "Link hinzufügen",
    remove: (number) => `Link ${number} entfernen`,
  },
  place: {
    item: (number) => `Ort ${number}`,
    add: "Ort hinzufügen",
    remove: (number) => `Ort ${number} entfernen`,
  },
  front: {
    item: (number) => `Zeile vorne ${number}`,
    label: (number) => `Zeile vorne ${number}`,
    add: "Zeile vorne hinzufügen",
    remove: (number) => `Zeile vorne ${number} entfernen`,
  },
  back: {
    item: (number) => `Zeile hinten ${number}`,
    label: (number) => `Zeile hinten ${number}`,
    add: "Zeile hinten hinzufügen",
    remove: (number) => `Zeile hinten ${number} entfernen`,
  },
};

export const links: Translated<typeof en.links> = {
  links: "Links",
  address: "Adresse",
  places: "Orte",
  placesHint: "Telefone in der Nähe eines Ortes zeigen die Karte von selbst, mit dem Text.",
  latitude: "Breitengrad",
  longitude: "Längengrad",
  saysThere: "Text dort",
};

export const previews: Translated<typeof en.previews> = {
  inApple: "In Apple Wallet",
  inGoogle: "In Google Wallet",
  stamps: (stamps, most) => `${stamps} von ${most} Stempeln`,
  exampleCode: "QR-Code eines Beispiels",
  onIphone: "Auf dem Sperrbildschirm eines iPhones",
  onAndroid: "Auf dem Sperrbildschirm eines Android-Telefons",
  yourShop: "Ihr Geschäft",
  message: "Eine Nachricht, die Sie senden",
  now: "jetzt",
};
