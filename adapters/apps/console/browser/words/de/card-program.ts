import type * as en from "../en/card-program.js";
import type { Translated } from "../translated.js";

export const program: Translated<typeof en.program> = {
  noPoints: "Diese Karte sammelt keine Punkte.",
  givesNoPoints: "Einkäufe geben keine Punkte. Sie können Punkte von Hand geben und abziehen.",
  givesNoStamps: "Einkäufe geben keine Stempel. Sie stempeln an der Kasse.",
  startPoints: (amount) => `1 Punkt je ${amount} geben`,
  startStamps: "1 Stempel je Einkauf geben",
  versionHint:
    "Änderungen gelten für neue Einkäufe. Für frühere Einkäufe und ihre Rückgaben bleiben die Regeln ihres Tages.",
  stop: "Ausschalten",
  stopPoints: "Keine Punkte für Einkäufe mehr geben",
  stopPointsTitle: "Keine Punkte für Einkäufe mehr geben?",
  stopStamps: "Keine Stempel für Einkäufe mehr geben",
  stopStampsTitle: "Keine Stempel für Einkäufe mehr geben?",
  stopHint:
    "Neue Einkäufe geben nichts mehr. Karten behalten, was sie haben. Das gilt, sobald Sie speichern.",
  removePoints: "Punkte entfernen",
  removePointsTitle: "Punkte von dieser Karte entfernen?",
  removePointsHint:
    "Die Karte zeigt keine Punkte mehr. Gelöscht werden sie nicht. Das gilt, sobald Sie speichern.",
  more: "Mehr",
};

export const rules: Translated<typeof en.rules> = {
  rule: (number) => `Regel ${number}`,
  give: "Es gibt",
  givePoints: "Anzahl der Punkte",
  giveStamps: "Anzahl der Stempel",
  pointsWord: { one: "Punkt", many: "Punkte" },
  stampsWord: { one: "Stempel", many: "Stempel" },
  basis: "Wofür",
  amount: "Betrag",
  purchasesIn: "in",
  currency: "Währung",
  minAmount: "Nur wenn mindestens so viel zusammenkommt",
  inSteps: "Nur volle Beträge zählen",
  inStepsHint: "Bei 3 Punkten je 10,00 gibt ein Einkauf von 19,00 dann 3 Punkte und nicht 5.",
  more: "Nur für manche Produkte, Mindestbetrag",
  add: "Regel hinzufügen",
  remove: (number) => `Regel ${number} entfernen`,
  combine: "Wenn mehrere Regeln passen",
};

export const bases: Translated<typeof en.bases> = [
  ["amount", "je Betrag von"],
  ["purchase", "je Einkauf"],
  ["item", "je Artikel"],
];

export const combinations: Translated<typeof en.combinations> = [
  ["sum", "Alle zusammenzählen"],
  ["best", "Die Regel, die am meisten gibt"],
];

export const bonuses: Translated<typeof en.bonuses> = {
  title: "Aktionen",
  none: "Zum Beispiel dienstags doppelt.",
  bonus: (number) => `Aktion ${number}`,
  size: "Wie viel mehr",
  percent: "Prozent",
  percentOf: "% des Üblichen",
  on: "am",
  everyDay: "Kein Tag gewählt: Die Aktion gilt an jedem Tag.",
  noDay: "Diese Aktion gilt an keinem Tag.",
  weekdays: "Wochentage",
  fromTime: "Ab dieser Uhrzeit",
  toTime: "Bis zu dieser Uhrzeit",
  timeHint: "Sobald diese Uhrzeit beginnt, endet die Aktion.",
  from: "Erster Tag",
  to: "Letzter Tag",
  more: "Nur für manche Produkte, Uhrzeiten, Tage",
  add: "Aktion hinzufügen",
  remove: (number) => `Aktion ${number} entfernen`,
  largest: "Wenn mehrere Aktionen passen, zählt die größte.",
};

export const bonusSizes: Translated<typeof en.bonusSizes> = [
  ["200", "Doppelt (×2)"],
  ["300", "Dreifach (×3)"],
  ["150", "Die Hälfte mehr (+50 %)"],
  ["typed", "Etwas anderes"],
];

export const lineFilter: Translated<typeof en.lineFilter> = {
  limit: "Auf manche Produkte beschränken",
  add: "Einschränkung wählen …",
  everything: "Alle Produkte",
  matchesNothing: "Zu einer leeren Liste passt nichts.",
  chipHint: "Nach jedem Eintrag die Eingabetaste drücken.",
  removeText: (text) => `${text} entfernen`,
  removeList: (list) => `Einschränkung „${list}“ entfernen`,
};

export const filterLists: Translated<typeof en.filterLists> = [
  ["categories", "Nur diese Kategorien"],
  ["skus", "Nur diese Artikelnummern"],
  ["notCategories", "Nicht diese Kategorien"],
  ["notSkus", "Nicht diese Artikelnummern"],
];

export const counts: Translated<typeof en.counts> = {
  title: "Was zählt",
  tax: "Die Steuer zählt mit",
  taxHint: "Sonst zählt ein Einkauf ohne die Steuer, die in den Preisen steckt.",
  paidWithPoints: "Auch was mit Punkten bezahlt wird, zählt",
  limits: "Grenzen",
  perPurchase: "Höchstens je Einkauf",
  perDay: "Höchstens je Karte und Tag",
  noLimit: "Leer lassen für keine Grenze",
  onReturn: "Wenn Ware zurückkommt und die Punkte schon eingelöst sind",
};

export const lineKinds: Translated<typeof en.lineKinds> = [
  ["goods", "Waren"],
  ["shipping", "Versand"],
  ["tip", "Trinkgeld"],
  ["fee", "Gebühren"],
  ["gift_card", "Gutscheine"],
];

export const returnPolicies: Translated<typeof en.returnPolicies> = [
  ["debt", "Die Karte geht ins Minus"],
  ["forgive", "Der Kunde behält sie"],
];

export const terms: Translated<typeof en.terms> = {
  title: "Die Punkte",
  unit: "Wie Punkte heißen",
  unitHint: "Etwa Bohnen. Leer lassen für „Punkte“ in der Sprache des Kunden.",
  expiry: "Punkte verfallen",
  days: "Nach so vielen Tagen",
  months: "Nach so vielen Monaten",
  pendingDays: "Tage, bis neue Punkte verwendbar sind",
  pendingDaysHint: "0 heißt sofort. Nützlich, wenn Kunden Ware zurückgeben können.",
  graceDays: "Zusätzliche Tage für Punkte, die zurückkommen",
  graceDaysHint:
    "Bekommt ein Kunde eingelöste Punkte zurück, die schon verfallen sind, kann er sie noch so viele Tage verwenden.",
};

export const expiries: Translated<typeof en.expiries> = [
  ["never", "Nie"],
  ["days", "Nach einigen Tagen"],
  ["day", "Nach einigen Monaten, auf den Tag genau"],
  ["month", "Nach einigen Monaten, am Monatsende"],
  ["year", "Nach einigen Monaten, am Jahresende"],
];

export const example: Translated<typeof en.example> = {
  title: "Beispiel",
  amount: "Betrag des Beispiels",
  what: "Was gekauft wird",
  pieces: "Zahl der Artikel",
  piecesWord: { one: "Artikel", many: "Artikel" },
  weekday: "Wochentag",
  date: "Datum",
  time: "Uhrzeit",
  category: (name) => `Waren: ${name}`,
  sku: (number) => `Artikel ${number}`,
  otherGoods: "Andere Waren",
  onWeekday: (weekday) => `an einem ${weekday}`,
  onDate: (date) => `am ${date}`,
  atTime: (when, time) => `${when} um ${time} Uhr`,
  result: (amount, when, units) => `Ein Einkauf von ${amount} ${when} gibt ${units}.`,
  limited: "Mehr lässt die Grenze nicht zu.",
  withoutTax: "Der Betrag des Beispiels ist ohne Steuer.",
  incomplete: "Füllen Sie alle Felder aus, dann steht hier, was ein Einkauf gibt.",
};

export const errors: Translated<typeof en.errors> = {
  number: "muss eine ganze Zahl sein",
  amount: (sample) => `muss ein Betrag sein, etwa ${sample}`,
};
