import type * as english from "../en/tags.js";
import type { Translated } from "../translated.js";
import { countText } from "./forms.js";

const customers = (count: number) => countText(count, "Kunde", "Kunden");

export const tags: Translated<typeof english.tags> = {
  title: "Etiketten",
  add: "Neues Etikett",
  none: "Noch keine Etiketten",
  noneHint: "Ein Etikett kennzeichnet Kunden in Ihren Worten, zum Beispiel „Stammgast“ oder „Nussallergie“.",
  search: "Etiketten suchen",
  searchExample: "Name eines Etiketts",
  noneFound: "Keine passenden Etiketten",
  noun: "Etiketten",
  holders: customers,
  change: (tag) => `${tag} ändern`,
  edit: "Bearbeiten",
  editHint: "Name, Farbe und Beschreibung",
  merge: "Mit einem anderen zusammenführen",
  mergeHint: "Kunden mit diesem Etikett bekommen das andere",
  delete: "Löschen",
  deleteHint: "Entfernt es von allen Kunden",
  deleteTitle: (tag) => `Etikett „${tag}“ löschen?`,
  deleteVerb: (tag) => `„${tag}“ löschen`,
  deleted: (tag) => `Das Etikett „${tag}“ ist gelöscht`,
  deleteText: (holders) =>
    `${holders === null ? "Kunden mit diesem Etikett verlieren" : countText(holders, "Kunde verliert", "Kunden verlieren")} es. Gruppen, die es verwenden, finden damit niemanden mehr. Das lässt sich nicht rückgängig machen.`,
  form: {
    name: "Name",
    description: "Beschreibung",
    color: "Farbe",
    new: "Neues Etikett",
    edit: (tag) => `„${tag}“ bearbeiten`,
    add: "Hinzufügen",
    save: "Speichern",
    saved: (tag) => `„${tag}“ ist gespeichert`,
  },
  merging: {
    title: (tag) => `„${tag}“ mit einem anderen Etikett zusammenführen`,
    into: "Mit",
    text: (holders, tag, other) =>
      `${holders === null ? `Kunden mit „${tag}“ bekommen` : `${countText(holders, "Kunde", "Kunden")} mit „${tag}“ ${holders === 1 ? "bekommt" : "bekommen"}`} „${other}“. Dann wird „${tag}“ gelöscht, und Gruppen, die es verwenden, finden damit niemanden mehr. Das lässt sich nicht rückgängig machen.`,
    hint: (tag) =>
      `Alles oder nichts: Bricht die Verbindung ab, prüfen Sie, ob es „${tag}“ noch gibt, und führen Sie es dann noch einmal zusammen.`,
    keep: "Beide behalten",
    verb: (tag) => `Mit „${tag}“ zusammenführen`,
    merged: (count, tag) => `${countText(count, "Kunde hat", "Kunden haben")} „${tag}“ bekommen`,
    hadBefore: (count) => `${countText(count, "Kunde hatte", "Kunden hatten")} es schon`,
  },
  ofCustomer: {
    none: "Noch keine Etiketten.",
    takeOff: (tag) => `${tag} entfernen`,
    tookOff: (tag) => `„${tag}“ ist entfernt`,
    toAdd: "Etikett",
    add: "Etikett vergeben",
  },
  bulk: {
    label: "Ausgewählte Kunden",
    all: (count) => `Alle ${customers(count)} ausgewählt`,
    some: (count) => `${customers(count)} ausgewählt`,
    selectAll: (count) => `Alle ${customers(count)} auswählen`,
    makeFirst: "Legen Sie zuerst ein Etikett an, oben unter „Etiketten“.",
    tag: "Etikett",
    assign: "Vergeben",
    unassign: "Entfernen",
    exportAll: "Alle exportieren",
    clear: "Auswahl aufheben",
    got: (count) => `${countText(count, "Kunde hat", "Kunden haben")} das Etikett bekommen`,
    lost: (count) => `${countText(count, "Kunde hat", "Kunden haben")} das Etikett verloren`,
  },
};
