import type { CardPoints } from "../../../src/points/card-points.js";

/** The forms of a sentence for different counts. */
type PluralForms = { readonly [Form in Intl.LDMLPluralRule]?: string } & { readonly other: string };

/** What a language says about points. `{count}` stands for a number, `{points}` for a number of points. */
interface PointWords {
  /** The locale in which numbers and dates are written if the language is given without a region. */
  readonly locale: string;
  readonly unit: string;
  readonly balanceLabel: string;
  readonly count: PluralForms;
  readonly expiryLabel: string;
  readonly expires: PluralForms;
  readonly upcomingLabel: string;
  /** Says how many points become usable, and on which day. The wording fits any unit. */
  readonly upcoming: string;
  readonly debtLabel: string;
}

const english: PointWords = {
  locale: "en-GB",
  unit: "Points",
  balanceLabel: "Balance",
  count: { one: "{count} point", other: "{count} points" },
  expiryLabel: "Expiry",
  expires: { one: "{points} expires on {date}", other: "{points} expire on {date}" },
  upcomingLabel: "Coming soon",
  upcoming: "{count} more from {date}",
  debtLabel: "Negative balance",
};

const wordsByLanguage: ReadonlyMap<string, PointWords> = new Map([
  ["en", english],
  [
    "de",
    {
      locale: "de",
      unit: "Punkte",
      balanceLabel: "Guthaben",
      count: { one: "{count} Punkt", other: "{count} Punkte" },
      expiryLabel: "Gültigkeit",
      expires: { one: "{points} verfällt am {date}", other: "{points} verfallen am {date}" },
      upcomingLabel: "Bald verfügbar",
      upcoming: "{count} mehr ab dem {date}",
      debtLabel: "Minus",
    },
  ],
  [
    "fr",
    {
      locale: "fr",
      unit: "Points",
      balanceLabel: "Solde",
      count: { one: "{count} point", other: "{count} points" },
      expiryLabel: "Validité",
      expires: { one: "{points} expire le {date}", other: "{points} expirent le {date}" },
      upcomingLabel: "Bientôt disponibles",
      upcoming: "{count} de plus à partir du {date}",
      debtLabel: "Solde négatif",
    },
  ],
  [
    "es",
    {
      locale: "es",
      unit: "Puntos",
      balanceLabel: "Saldo",
      count: { one: "{count} punto", other: "{count} puntos" },
      expiryLabel: "Caducidad",
      expires: { one: "{points} caduca el {date}", other: "{points} caducan el {date}" },
      upcomingLabel: "Próximamente",
      upcoming: "{count} más a partir del {date}",
      debtLabel: "Saldo negativo",
    },
  ],
  [
    "it",
    {
      locale: "it",
      unit: "Punti",
      balanceLabel: "Saldo",
      count: { one: "{count} punto", other: "{count} punti" },
      expiryLabel: "Scadenza",
      // «il giorno» fits every date, while «il» and «l’» depend on the number.
      expires: { one: "{points} scade il giorno {date}", other: "{points} scadono il giorno {date}" },
      upcomingLabel: "In arrivo",
      upcoming: "{count} in più dal giorno {date}",
      debtLabel: "Saldo negativo",
    },
  ],
  [
    "nl",
    {
      locale: "nl",
      unit: "Punten",
      balanceLabel: "Saldo",
      count: { one: "{count} punt", other: "{count} punten" },
      expiryLabel: "Geldigheid",
      expires: { one: "{points} verloopt op {date}", other: "{points} verlopen op {date}" },
      upcomingLabel: "Binnenkort",
      upcoming: "nog {count} vanaf {date}",
      debtLabel: "Negatief saldo",
    },
  ],
  [
    "pt",
    {
      locale: "pt-PT",
      unit: "Pontos",
      balanceLabel: "Saldo",
      count: { one: "{count} ponto", other: "{count} pontos" },
      expiryLabel: "Validade",
      expires: { one: "{points} expira a {date}", other: "{points} expiram a {date}" },
      upcomingLabel: "Em breve",
      upcoming: "mais {count} a partir de {date}",
      debtLabel: "Saldo negativo",
    },
  ],
  [
    "pl",
    {
      locale: "pl",
      unit: "Punkty",
      balanceLabel: "Saldo",
      count: { one: "{count} punkt", few: "{count} punkty", other: "{count} punktów" },
      expiryLabel: "Ważność",
      expires: {
        one: "{points} wygasa {date}",
        few: "{points} wygasają {date}",
        other: "{points} wygasa {date}",
      },
      upcomingLabel: "Wkrótce",
      upcoming: "jeszcze {count} od {date}",
      debtLabel: "Saldo ujemne",
    },
  ],
]);

/** What a card says about its points in one language. A text is `null` if there is nothing to say. */
export interface PointTexts {
  /** The word for points, on its own. */
  readonly unit: string;
  /** The number of points that can be spent. */
  readonly amount: string;
  readonly balanceLabel: string;
  /** The number of points that can be spent, with their word. */
  readonly balance: string;
  readonly expiryLabel: string;
  /** How many points expire next, and on which day they can last be used. */
  readonly expiry: string | null;
  readonly upcomingLabel: string;
  /** How many pending points become usable next, and when. */
  readonly upcoming: string | null;
  readonly debtLabel: string;
  readonly debt: string | null;
  /** The debt with its label. */
  readonly debtLine: string | null;
}

/** Describes a card's points in a language, or in English if there are no words in that language. */
export function describePoints(points: CardPoints, language: string): PointTexts {
  const { unit, available, debt, expiring, upcoming } = points;
  const [primary = ""] = language.split("-", 1);
  const words = wordsByLanguage.get(primary) ?? english;
  const locale = wordsByLanguage.has(primary) && language !== primary ? language : words.locale;
  const numbers = new Intl.NumberFormat(locale);
  const plurals = new Intl.PluralRules(locale);
  const selectForm = (forms: PluralForms, count: number) => forms[plurals.select(count)] ?? forms.other;
  const formatAmount = (count: number) =>
    unit === null
      ? selectForm(words.count, count).replace("{count}", () => numbers.format(count))
      : `${numbers.format(count)} ${unit}`;
  const formattedDebt = debt === 0 ? null : formatAmount(debt);
  // French has a space before a colon.
  const colon = locale.startsWith("fr") ? "\u00a0: " : ": ";
  return {
    unit: unit ?? words.unit,
    amount: numbers.format(available),
    balanceLabel: words.balanceLabel,
    balance: formatAmount(available),
    expiryLabel: words.expiryLabel,
    expiry:
      expiring &&
      selectForm(words.expires, expiring.points)
        .replace("{date}", formatDay(expiring.day, locale, "numeric"))
        .replace("{points}", () => formatAmount(expiring.points)),
    upcomingLabel: words.upcomingLabel,
    // Points are pending for a year at most, so the day needs no year.
    upcoming:
      upcoming &&
      words.upcoming
        .replace("{count}", numbers.format(upcoming.points))
        .replace("{date}", formatDay(upcoming.day, locale)),
    debtLabel: words.debtLabel,
    debt: formattedDebt,
    debtLine: formattedDebt && words.debtLabel + colon + formattedDebt,
  };
}

/** @param day the calendar day, in days since the Unix epoch. */
function formatDay(day: number, locale: string, year?: "numeric"): string {
  const format = new Intl.DateTimeFormat(locale, { day: "numeric", month: "long", year, timeZone: "UTC" });
  const date = format.format(Date.UTC(1970, 0, 1 + day));
  // The first day of a month is an ordinal number in French.
  return locale.startsWith("fr") ? date.replace(/^1 /, "1er ") : date;
}

/** Returns what a card shows that has never had points, or `null` if its template has none. */
export function createEmptyPoints(terms: { readonly unit: string | null } | null): CardPoints | null {
  return terms && { unit: terms.unit, available: 0, debt: 0, expiring: null, upcoming: null };
}
