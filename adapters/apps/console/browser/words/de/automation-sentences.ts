import type * as en from "../en/automation-sentences.js";
import type { Translated } from "../translated.js";
import { countText, quoted } from "./forms.js";

const cardText = (card: string | null, any: string) => (card === null ? any : `die Karte ${quoted(card)}`);
const onCard = (card: string | null) => (card === null ? "" : ` auf der Karte ${quoted(card)}`);

export const happens: typeof en.happens = {
  "user.created": () => "Wenn ein Kunde hinzugefügt wird",
  "pass.created": (card) => `Wenn ein Kunde ${cardText(card, "eine Karte")} bekommt`,
  "pass.installed": (card) => `Wenn ein Kunde ${cardText(card, "eine Karte")} zu einem Wallet hinzufügt`,
  "stamp.added": (card) => `Wenn ein Kunde einen Stempel${onCard(card)} bekommt`,
  "stamp_card.completed": (card) => `Wenn ${cardText(card, "eine Karte")} voll ist`,
  "stamp_card.redeemed": (card) =>
    `Wenn eine Prämie${card === null ? "" : ` der Karte ${quoted(card)}`} eingelöst wird`,
  "purchase.recorded": () => "Wenn ein Kunde etwas kauft",
};

export const starts: Translated<typeof en.starts> = {
  segment: (segment) => `Wenn ein Kunde in die Gruppe ${quoted(segment)} kommt`,
  everyYear: (day, daysBefore, at) =>
    daysBefore === 0
      ? `Jedes Jahr an diesem Tag: ${quoted(day)}, um ${at}`
      : `Jedes Jahr ${countText(daysBefore, "Tag", "Tage")} vor ${quoted(day)}, um ${at}`,
  pointsExpiry: (card, daysBefore, at) =>
    daysBefore === 0
      ? `Am letzten Tag von Punkten auf ${quoted(card)}, um ${at}`
      : `${countText(daysBefore, "Tag", "Tage")} vor dem letzten Tag von Punkten auf ${quoted(card)}, um ${at}`,
  missing: (toGo, card) =>
    `Wenn einem Kunden${onCard(card)} noch ${countText(toGo, "Stempel", "Stempel")} bis zur Prämie ${toGo === 1 ? "fehlt" : "fehlen"}`,
  later: (start, days) => `${start}, ${countText(days, "Tag", "Tage")} später`,
};

export const does: Translated<typeof en.does> = {
  write: (channels, isEach) =>
    `eine Nachricht senden, ${channels.map((channel) => (channel === "email" ? "per E-Mail" : "auf der Karte")).join(isEach ? " und " : ", sonst ")}`,
  assignTag: (tag) => `das Etikett ${quoted(tag)} hinzufügen`,
  unassignTag: (tag) => `das Etikett ${quoted(tag)} entfernen`,
  addStamps: (count, card) => `${countText(count, "Stempel", "Stempel")} auf ${quoted(card)} geben`,
  giveReward: (card) => `eine Prämie auf ${quoted(card)} geben`,
  givePoints: (points, card) => `${countText(points, "Punkt", "Punkte")} auf ${quoted(card)} geben`,
};

export const per: Translated<typeof en.per> = {
  once: "Einmal pro Kunde",
  occasion: "Jedes Mal",
  everyDays: (days) =>
    days === 1
      ? "Höchstens einmal am Tag pro Kunde"
      : `Höchstens alle ${countText(days, "Tag", "Tage")} pro Kunde`,
};

export const together: Translated<typeof en.together> = {
  onlyFor: (whom) => `Nur für Kunden, ${whom}`,
  and: (before, last) => `${before} und ${last}`,
  whole: (start, actions, condition, often) =>
    `${start}: ${actions}. ${condition === "" ? "" : `${condition}. `}${often}.`,
};
