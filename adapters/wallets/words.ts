import type { Design, DesignTexts, StampCard, Template } from "../../src/index.js";

/** What a card says in one language. */
export interface CardWords {
  readonly language: string;
  readonly title: string;
  readonly description: string;
  readonly stampsLabel: string;
  readonly rewardsLabel: string;
  readonly nextLabel: string;
  readonly termsLabel: string;
  readonly revoked: string;
  /** With `{count}` for a number. */
  readonly toGo: string;
  readonly rewardReady: string;
  readonly front: DesignTexts["front"];
  readonly back: DesignTexts["back"];
  readonly terms: string | null;
}

type BuiltIn = Pick<
  CardWords,
  "stampsLabel" | "rewardsLabel" | "nextLabel" | "termsLabel" | "revoked" | "toGo" | "rewardReady"
>;

/** [stamps, rewards, next reward, terms, revoked, to go, reward ready] */
const builtIn: Readonly<Record<string, BuiltIn>> = {
  en: words(
    "Stamps",
    "Rewards",
    "Next reward",
    "Terms",
    "This card is no longer valid",
    "{count} more to go",
    "A reward is waiting for you",
  ),
  de: words(
    "Stempel",
    "Prämien",
    "Nächste Prämie",
    "Bedingungen",
    "Diese Karte gilt nicht mehr",
    "noch {count}",
    "Eine Prämie wartet auf dich",
  ),
  fr: words(
    "Tampons",
    "Récompenses",
    "Prochaine récompense",
    "Conditions",
    "Cette carte n’est plus valable",
    "encore {count}",
    "Une récompense vous attend",
  ),
  es: words(
    "Sellos",
    "Premios",
    "Próximo premio",
    "Condiciones",
    "Esta tarjeta ya no es válida",
    "faltan {count}",
    "Te espera un premio",
  ),
  it: words(
    "Timbri",
    "Premi",
    "Prossimo premio",
    "Condizioni",
    "Questa carta non è più valida",
    "ancora {count}",
    "Ti aspetta un premio",
  ),
  nl: words(
    "Stempels",
    "Beloningen",
    "Volgende beloning",
    "Voorwaarden",
    "Deze kaart is niet meer geldig",
    "nog {count}",
    "Er wacht een beloning op je",
  ),
  pt: words(
    "Carimbos",
    "Prémios",
    "Próximo prémio",
    "Condições",
    "Este cartão já não é válido",
    "faltam {count}",
    "Um prémio espera por si",
  ),
  pl: words(
    "Pieczątki",
    "Nagrody",
    "Następna nagroda",
    "Warunki",
    "Ta karta jest już nieważna",
    "jeszcze {count}",
    "Nagroda czeka",
  ),
};

/** The words of a card in each language of its design, the default first; in English without any. */
export function wordsOf({ name, design }: Pick<Template, "name" | "design">): [CardWords, ...CardWords[]] {
  const [first, ...others] = design?.texts ?? [];
  return [spoken(name, first), ...others.map((texts) => spoken(name, texts))];
}

/** What a change of stamps says: how many lead to the next reward, or that one is waiting. */
export function nextText(
  {
    maxStamps,
    currentStamps,
    rewardsAvailable,
  }: Pick<StampCard, "maxStamps" | "currentStamps" | "rewardsAvailable">,
  { toGo, rewardReady }: CardWords,
): string {
  if (currentStamps === 0 && rewardsAvailable > 0) return rewardReady;
  return toGo.replaceAll("{count}", String(maxStamps - currentStamps));
}

function spoken(name: string, texts: Design["texts"][number] | undefined): CardWords {
  const language = texts?.language ?? "en";
  const known =
    builtIn[language.slice(0, 2)] ??
    words(
      "Stamps",
      "Rewards",
      "Next reward",
      "Terms",
      "This card is no longer valid",
      "{count} more to go",
      "A reward is waiting for you",
    );
  return {
    ...known,
    language,
    title: texts?.title ?? name,
    description: texts?.description ?? texts?.title ?? name,
    stampsLabel: texts?.stampsLabel ?? known.stampsLabel,
    rewardsLabel: texts?.rewardsLabel ?? known.rewardsLabel,
    toGo: texts?.toGo ?? known.toGo,
    rewardReady: texts?.rewardReady ?? known.rewardReady,
    front: texts?.front ?? [],
    back: texts?.back ?? [],
    terms: texts?.terms ?? null,
  };
}

function words(
  stampsLabel: string,
  rewardsLabel: string,
  nextLabel: string,
  termsLabel: string,
  revoked: string,
  toGo: string,
  rewardReady: string,
): BuiltIn {
  return { stampsLabel, rewardsLabel, nextLabel, termsLabel, revoked, toGo, rewardReady };
}
