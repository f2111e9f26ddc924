import type { DesignTexts, StampCard, Template } from "../../src/index.js";
import { closest } from "../../src/values/language-lookup.js";
import type { IssuedMessage, IssuedText } from "../../src/wallets/shown-message.js";

/** Words for what a design does not say; `{count}` stands for a number. */
const english = {
  stampsLabel: "Stamps",
  rewardsLabel: "Rewards",
  nextLabel: "Next reward",
  rewardLabel: "A full card earns",
  termsLabel: "Terms",
  revoked: "This card is no longer valid",
  toGo: "{count} more to go",
  rewardReady: "A reward is waiting for you",
  newsLabel: "News",
  noNews: "No news right now",
};

const builtIn: Readonly<Record<string, typeof english>> = {
  en: english,
  de: {
    stampsLabel: "Stempel",
    rewardsLabel: "Prämien",
    nextLabel: "Nächste Prämie",
    rewardLabel: "Eine volle Karte bringt",
    termsLabel: "Bedingungen",
    revoked: "Diese Karte gilt nicht mehr",
    toGo: "noch {count}",
    rewardReady: "Eine Prämie wartet auf dich",
    newsLabel: "Aktuelles",
    noNews: "Zurzeit nichts Neues",
  },
  fr: {
    stampsLabel: "Tampons",
    rewardsLabel: "Récompenses",
    nextLabel: "Prochaine récompense",
    rewardLabel: "Une carte pleine donne",
    termsLabel: "Conditions",
    revoked: "Cette carte n’est plus valable",
    toGo: "encore {count}",
    rewardReady: "Une récompense vous attend",
    newsLabel: "Actualités",
    noNews: "Rien de nouveau pour le moment",
  },
  es: {
    stampsLabel: "Sellos",
    rewardsLabel: "Premios",
    nextLabel: "Próximo premio",
    rewardLabel: "Una tarjeta completa da",
    termsLabel: "Condiciones",
    revoked: "Esta tarjeta ya no es válida",
    toGo: "faltan {count}",
    rewardReady: "Te espera un premio",
    newsLabel: "Novedades",
    noNews: "Sin novedades por ahora",
  },
  it: {
    stampsLabel: "Timbri",
    rewardsLabel: "Premi",
    nextLabel: "Prossimo premio",
    rewardLabel: "Una tessera piena vale",
    termsLabel: "Condizioni",
    revoked: "Questa carta non è più valida",
    toGo: "ancora {count}",
    rewardReady: "Ti aspetta un premio",
    newsLabel: "Novità",
    noNews: "Nessuna novità al momento",
  },
  nl: {
    stampsLabel: "Stempels",
    rewardsLabel: "Beloningen",
    nextLabel: "Volgende beloning",
    rewardLabel: "Een volle kaart levert op",
    termsLabel: "Voorwaarden",
    revoked: "Deze kaart is niet meer geldig",
    toGo: "nog {count}",
    rewardReady: "Er wacht een beloning op je",
    newsLabel: "Nieuws",
    noNews: "Op dit moment geen nieuws",
  },
  pt: {
    stampsLabel: "Carimbos",
    rewardsLabel: "Prémios",
    nextLabel: "Próximo prémio",
    rewardLabel: "Um cartão completo dá",
    termsLabel: "Condições",
    revoked: "Este cartão já não é válido",
    toGo: "faltam {count}",
    rewardReady: "Um prémio espera por si",
    newsLabel: "Novidades",
    noNews: "Sem novidades de momento",
  },
  pl: {
    stampsLabel: "Pieczątki",
    rewardsLabel: "Nagrody",
    nextLabel: "Następna nagroda",
    rewardLabel: "Pełna karta daje",
    termsLabel: "Warunki",
    revoked: "Ta karta jest już nieważna",
    toGo: "jeszcze {count}",
    rewardReady: "Nagroda czeka",
    newsLabel: "Aktualności",
    noNews: "Na razie nic nowego",
  },
};

/** One line of a card. */
export interface CardField {
  readonly key: string;
  /**
   * Apple's places, where a message stands on the back; Google has points for stamps and rewards, texts for what is in front and on
   * the back, and messages of its own.
   */
  readonly place: "primary" | "header" | "progress" | "front" | "back" | "message";
  readonly label?: string;
  /** A field without a value is not shown. */
  readonly value: string | number | null;
  /** The wallet tells people when the value changes: at most one field of a card has this. */
  readonly isAnnounced?: boolean;
  /** The value is a URL to follow. */
  readonly isLink?: true;
}

/** Everything that a card says, in one language. */
export interface CardTexts {
  readonly language: string;
  /** Every text at a place of its own, so that the same place holds its translation. */
  readonly words: ReturnType<typeof newsIn> & ReturnType<typeof wordsIn>;
  readonly fields: readonly CardField[];
}

type Stamps = Pick<StampCard, "maxStamps" | "currentStamps" | "rewardsAvailable">;

/** How a card is, beside its stamps. */
export interface CardState {
  /** False unless given. */
  readonly isRevoked?: boolean;
  /** The message that it shows, filled in; none unless given. */
  readonly message?: Pick<IssuedMessage, "texts"> | null;
  /** True when the message is what people are to be told of; false unless given. */
  readonly isMessageNewest?: boolean;
}

/**
 * Describes a card in each language of its design, the default first; in English without any; and in the further languages of
 * its message. Passes, Google's cards and the preview are made from this, so what is added here is on all of them.
 * @param stamps `null` for a card without stamps.
 */
export function cardTexts(
  { name, reward, design }: Pick<Template, "name" | "reward" | "design">,
  stamps: Stamps | null,
  { isRevoked = false, message = null, isMessageNewest = false }: CardState = {},
): [CardTexts, ...CardTexts[]] {
  const links = (design?.links ?? []).map(
    ({ label, url }, at) => ({ key: `link${at}`, place: "back", label, value: url, isLink: true }) as const,
  );
  const inLanguage = (texts: DesignTexts | undefined, language = texts?.language ?? "en"): CardTexts => {
    const words = { ...newsIn(language, message), ...wordsIn(name, texts, stamps, isRevoked) };
    const fields = isRevoked
      ? revokedFields(words)
      : fieldsIn(words, { stamps, reward, links, hasNews: message !== null, isMessageNewest });
    return { language, words, fields };
  };
  const [first, ...others] = design?.texts ?? [];
  const own: [CardTexts, ...CardTexts[]] = [inLanguage(first), ...others.map((texts) => inLanguage(texts))];
  const further = (message?.texts ?? []).filter(
    ({ language }) => !own.some((texts) => texts.language === language),
  );
  const inFurther = ({ language }: IssuedText) =>
    inLanguage(first && closest([first, ...others], language), language);
  return [...own, ...further.map(inFurther)];
}

/** Returns what a card says of its message, in the message's own words, or else that there is none: a phone tells of no field that it had not. */
function newsIn(language: string, message: CardState["message"] = null) {
  const said = message && closest(message.texts, language);
  const known = builtInFor(said?.language ?? language);
  return { newsLabel: known.newsLabel, news: said?.text ?? known.noNews };
}

function builtInFor(language: string) {
  return builtIn[language.slice(0, 2)] ?? english;
}

function wordsIn(name: string, texts: DesignTexts | undefined, stamps: Stamps | null, isRevoked: boolean) {
  const known = builtInFor(texts?.language ?? "en");
  const toGo = texts?.toGo ?? known.toGo;
  const rewardReady = texts?.rewardReady ?? known.rewardReady;
  return {
    title: texts?.title ?? name,
    description: texts?.description ?? texts?.title ?? name,
    stampsLabel: texts?.stampsLabel ?? known.stampsLabel,
    rewardsLabel: texts?.rewardsLabel ?? known.rewardsLabel,
    nextLabel: known.nextLabel,
    rewardLabel: known.rewardLabel,
    termsLabel: known.termsLabel,
    terms: texts?.terms ?? null,
    revoked: isRevoked ? known.revoked : null,
    next: stamps && nextText(stamps, toGo, rewardReady),
    front: texts?.front ?? [],
    back: texts?.back ?? [],
  };
}

/** Says how many stamps lead to the next reward, or that one is waiting. */
function nextText({ maxStamps, currentStamps, rewardsAvailable }: Stamps, toGo: string, rewardReady: string) {
  if (currentStamps === 0 && rewardsAvailable > 0) return rewardReady;
  return toGo.replaceAll("{count}", String(maxStamps - currentStamps));
}

interface Shown {
  readonly stamps: Stamps | null;
  readonly reward: string | null;
  readonly links: readonly CardField[];
  readonly hasNews: boolean;
  readonly isMessageNewest: boolean;
}

function fieldsIn(
  words: CardTexts["words"],
  { stamps, reward, links, hasNews, isMessageNewest }: Shown,
): CardField[] {
  const { title, stampsLabel, nextLabel, next, rewardsLabel, front, back, rewardLabel, termsLabel, terms } =
    words;
  const count = stamps && `${stamps.currentStamps}/${stamps.maxStamps}`;
  const listed = (place: "front" | "back", texts: DesignTexts["front"]) =>
    texts.map((text, at) => ({ key: `${place}${at}`, place, ...text }));
  const { newsLabel, news } = words;
  const message: CardField = {
    ...{ key: "message", place: "message", label: newsLabel, value: news },
    isAnnounced: isMessageNewest,
  };
  return [
    { key: "title", place: "primary", value: stamps === null ? title : null },
    { key: "stamps", place: "header", label: stampsLabel, value: count },
    { key: "next", place: "progress", label: nextLabel, value: next, isAnnounced: !isMessageNewest },
    { key: "rewards", place: "progress", label: rewardsLabel, value: stamps?.rewardsAvailable ?? null },
    ...(hasNews ? [message] : []),
    ...listed("front", front),
    { key: "reward", place: "back", label: rewardLabel, value: reward },
    ...listed("back", back),
    ...links,
    { key: "terms", place: "back", label: termsLabel, value: terms },
    ...(hasNews ? [] : [message]),
  ];
}

function revokedFields({ title, revoked }: CardTexts["words"]): CardField[] {
  return [
    { key: "title", place: "primary", value: title },
    { key: "revoked", place: "progress", value: revoked },
  ];
}
