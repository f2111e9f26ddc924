/** The words of a printed sheet in one language. */
export interface SheetWords {
  readonly language: string;
  /** Stands above the reward; `{count}` stands for a number. */
  readonly collect: Readonly<Record<"one" | "other", string>>;
  /** A reward that has no words of its own. */
  readonly reward: string;
  /** Stands in place of the reward on a card without stamps. */
  readonly member: string;
  readonly scan: string;
  readonly noApp: string;
}

const english: SheetWords = {
  language: "en",
  collect: { one: "Collect {count} stamp and get", other: "Collect {count} stamps and get" },
  reward: "a reward",
  member: "Become a member",
  scan: "Scan me to get your card",
  noApp: "No app needed",
};

/** The languages that the pages for customers have, too. */
const all: readonly SheetWords[] = [
  english,
  {
    language: "de",
    collect: { one: "Für {count} Stempel gibt es", other: "Für {count} Stempel gibt es" },
    reward: "eine Prämie",
    member: "Mitglied werden",
    scan: "Scannen und Karte holen",
    noApp: "Ganz ohne App",
  },
  {
    language: "fr",
    collect: { one: "Pour {count} tampon, recevez", other: "Pour {count} tampons, recevez" },
    reward: "une récompense",
    member: "Devenez membre",
    scan: "Scannez pour obtenir votre carte",
    noApp: "Sans application",
  },
  {
    language: "es",
    collect: { one: "Por {count} sello consigues", other: "Por {count} sellos consigues" },
    reward: "un premio",
    member: "Hazte miembro",
    scan: "Escanea y llévate tu tarjeta",
    noApp: "Sin instalar nada",
  },
  {
    language: "pt",
    collect: { one: "Por {count} carimbo recebe", other: "Por {count} carimbos recebe" },
    reward: "um prémio",
    member: "Seja membro",
    scan: "Leia o código e receba o cartão",
    noApp: "Sem instalar nada",
  },
];

/** Returns the words of the first of the languages that has any; the English ones where none has. */
export function sheetWords(languages: readonly (string | undefined)[]): SheetWords {
  const known = languages.flatMap((wanted) => {
    const [language] = (wanted ?? "").toLowerCase().split("-");
    return all.filter((words) => words.language === language);
  });
  return known[0] ?? english;
}

/** Says above the reward how many stamps it takes. */
export function collectText({ language, collect }: SheetWords, count: number): string {
  const isOne = new Intl.PluralRules(language).select(count) === "one";
  return (isOne ? collect.one : collect.other).replace("{count}", String(count));
}
