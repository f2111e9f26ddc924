import type * as english from "../en/events.js";
import type { Translated } from "../translated.js";

export const events: Translated<typeof english.events> = {
  becameCustomer: "Ist Kunde geworden",
  signedUpAgain: "Jemand hat sich erneut mit dieser E-Mail-Adresse angemeldet",
  changed: "Angaben geändert",
  deleted: "Wurde gelöscht",
  gotCard: "Karte bekommen",
  cardCanceled: "Eine Karte wurde eingezogen",
  cardFull: "Karte voll: Prämie verdient",
  tookReward: "Prämie eingelöst",
  wasGivenReward: "Prämie geschenkt bekommen",
  undone: "Eine Änderung der Karte wurde rückgängig gemacht",
  stamped: "Gestempelt",
  takenOff: "Stempel abgezogen",
  corrected: "Stempel berichtigt",
  emptied: "Karte geleert",
  onCard: (what, stamps, most) => `${what}: ${stamps}/${most}`,
  bought: (amount) => `Einkauf für ${amount}`,
  boughtAndReturned: (amount, returned) => `Einkauf für ${amount}, ${returned} zurückgegeben`,
  purchaseChanged: (amount) => `Einkauf geändert, jetzt ${amount}`,
  returnedGoods: "Ware zurückgegeben",
  withResult: (what, result) => `${what}: ${result}`,
  gotTag: (tag) => `Etikett „${tag}“ bekommen`,
  lostTag: (tag) => `Etikett „${tag}“ verloren`,
  cameInto: (segment) => `In „${segment}“ gekommen`,
  left: (segment) => `„${segment}“ verlassen`,
  newsByMail: "Neuigkeiten per E-Mail",
  newsOnCard: "Neuigkeiten auf der Karte",
  agreed: "eingewilligt",
  refused: "abgemeldet",
  unconfirmed: "noch nicht bestätigt",
  addedTo: (wallet) => `Karte zu ${wallet} hinzugefügt`,
  removedFrom: (wallet) => `Karte aus ${wallet} entfernt`,
  aWallet: "einem Wallet",
  importEnded: "Ein Import ist fertig",
  messageBegan: "Eine Nachricht wurde gestartet",
  colleague: "jemand aus dem Team",
};

export const actors: Translated<typeof english.actors> = {
  library: "Ihre Software",
  token: "ein Programm oder eine Kasse",
  app: "eine App",
  console: "die Konsole",
  worker: "automatisch",
  customer: "der Kunde",
  automation: "eine Automatisierung",
};

export const actorAt: typeof english.actorAt = (who, location) => `${who}, ${location}`;
