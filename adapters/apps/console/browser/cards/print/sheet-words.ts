/** UI text for printed sheets in one language, excluding the shop's own text. */
export interface SheetWords {
  readonly language: string;
  /** The text above the reward, which it introduces. `{count}` is replaced with the number of stamps. */
  readonly collect: Readonly<Record<"one" | "other", string>>;
  /** The reward text for cards whose template doesn't define a reward. */
  readonly reward: string;
  /** The text that replaces the reward on cards without stamps. */
  readonly member: string;
  readonly scan: string;
  readonly noApp: string;
}

const english: SheetWords = {
  language: "en",
  collect: { one: "Collect {count} stamp and get:", other: "Collect {count} stamps and get:" },
  reward: "a reward",
  member: "Become a member",
  scan: "Scan to get your card",
  noApp: "No app needed",
};

/** Sheet texts in the same languages as the customer pages. */
const allWords: readonly SheetWords[] = [
  english,
  {
    language: "de",
    collect: { one: "Für {count} Stempel gibt es:", other: "Für {count} Stempel gibt es:" },
    reward: "eine Prämie",
    member: "Mitglied werden",
    scan: "Scannen und Karte holen",
    noApp: "Ganz ohne App",
  },
  {
    language: "fr",
    collect: { one: "Avec {count} tampon, recevez :", other: "Avec {count} tampons, recevez :" },
    reward: "une récompense",
    member: "Devenez membre",
    scan: "Scannez pour obtenir votre carte",
    noApp: "Sans application",
  },
  {
    language: "es",
    collect: { one: "Con {count} sello consigues:", other: "Con {count} sellos consigues:" },
    reward: "un premio",
    member: "Hazte miembro",
    scan: "Escanea y llévate tu tarjeta",
    noApp: "Sin instalar nada",
  },
  {
    language: "pt",
    collect: { one: "Com {count} carimbo recebe:", other: "Com {count} carimbos recebe:" },
    reward: "um prémio",
    member: "Seja membro",
    scan: "Leia o código e obtenha o seu cartão",
    noApp: "Sem instalar nada",
  },
];

/** Returns the UI text in the first supported language in the list, or in English if none is supported. */
export function pickSheetWords(languages: readonly (string | undefined)[]): SheetWords {
  const matches = languages.flatMap((preferred) => {
    const [language] = (preferred ?? "").toLowerCase().split("-");
    return allWords.filter((words) => words.language === language);
  });
  return matches[0] ?? english;
}

/** Returns the text above the reward, which states how many stamps a full card needs. */
export function formatCollectText({ language, collect }: SheetWords, count: number): string {
  const isOne = new Intl.PluralRules(language).select(count) === "one";
  return (isOne ? collect.one : collect.other).replace("{count}", String(count));
}
