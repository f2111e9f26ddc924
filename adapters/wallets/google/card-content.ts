import type { Template } from "../../../src/index.js";
import type { IssuedCard } from "../../../src/wallets/issued-card.js";
import { type CardWords, nextText, wordsOf } from "../words.js";
import type { GoogleIdentity } from "./identity.js";

/** Google shows as many texts of a class, and as many of an object. */
const MAX_TEXTS = 10;

const DEFAULT_COLOR = "#FFFFFF";

/** What makes the URLs in a card. */
export interface CardUrls {
  readonly callback: string;
  /** Of a picture of a design, by its hash. */
  picture(hash: string): string;
  /** Of a plain logo of a color, `#RRGGBB`. */
  plainLogo(color: string): string;
  /** Of the stamps, drawn; `null` when nobody draws. */
  hero(template: Template, filled: number, total: number): string | null;
}

export type Issuer = Pick<GoogleIdentity, "issuerId" | "issuerName">;

/** A text with its translations, as Google takes it. */
interface LocalizedString {
  readonly defaultValue: { readonly language: string; readonly value: string };
  readonly translatedValues: readonly { readonly language: string; readonly value: string }[];
}

interface TextModule {
  readonly id: string;
  readonly header: string;
  readonly body: string;
  readonly localizedHeader: LocalizedString;
  readonly localizedBody: LocalizedString;
}

export function classIdOf({ issuerId }: Issuer, templateId: string): string {
  return `${issuerId}.${templateId}`;
}

export function objectIdOf({ issuerId }: Issuer, passId: string): string {
  return `${issuerId}.${passId}`;
}

/** The pass of an object; `null` when it is none of the issuer's. */
export function passIdOf({ issuerId }: Pick<Issuer, "issuerId">, objectId: string): string | null {
  return objectId.startsWith(`${issuerId}.`) ? objectId.slice(issuerId.length + 1) : null;
}

/** What all cards of a template have in common. Each write of it must ask for a review. */
export function loyaltyClass(template: Template, issuer: Issuer, urls: CardUrls): object {
  const words = wordsOf(template);
  const [first] = words;
  const { design } = template;
  const color = design?.backgroundColor ?? DEFAULT_COLOR;
  const logo = design?.logo ?? design?.icon ?? null;
  return {
    id: classIdOf(issuer, template.id),
    issuerName: issuer.issuerName ?? first.title,
    programName: first.title,
    localizedProgramName: localized(words, ({ title }) => title),
    programLogo: image(logo === null ? urls.plainLogo(color) : urls.picture(logo), first.description),
    hexBackgroundColor: color,
    reviewStatus: "UNDER_REVIEW",
    multipleDevicesAndHoldersAllowedStatus: "ONE_USER_ALL_DEVICES",
    callbackOptions: { url: urls.callback },
    textModulesData: textsOf(words).slice(0, MAX_TEXTS),
    linksModuleData: {
      uris: (design?.links ?? []).map(({ label, url }, at) => ({
        id: `link${at}`,
        uri: url,
        description: label,
      })),
    },
    merchantLocations: (design?.locations ?? []).map(({ latitude, longitude }) => ({ latitude, longitude })),
  };
}

/** What the card of one pass shows. Google does not delete: a revoked one becomes inactive, and has no code. */
export function loyaltyObject(issued: IssuedCard, issuer: Issuer, urls: CardUrls): object {
  const { card, template, stamps, qrCodeValue } = issued;
  const id = objectIdOf(issuer, card.passId);
  if (template === null || qrCodeValue === null) {
    return { id, state: "INACTIVE", barcode: null, heroImage: null, messages: [] };
  }
  const words = wordsOf(template);
  const [first] = words;
  const { design } = template;
  const strip = design?.strip ?? null;
  const drawn = stamps && urls.hero(template, stamps.currentStamps, stamps.maxStamps);
  const hero = drawn ?? (strip === null ? null : urls.picture(strip));
  return {
    id,
    classId: classIdOf(issuer, template.id),
    state: "ACTIVE",
    barcode: { type: "QR_CODE", value: qrCodeValue },
    heroImage: hero === null ? null : image(hero, first.description),
    validTimeInterval: design?.expiresAt ? { end: { date: design.expiresAt } } : null,
    textModulesData: [
      ...(stamps === null ? [] : [nextModule(stamps, words)]),
      ...textsOf(words).slice(MAX_TEXTS),
    ].slice(0, MAX_TEXTS),
    ...(stamps !== null && pointsOf(stamps, words)),
  };
}

type Words = readonly [CardWords, ...CardWords[]];
type Stamps = NonNullable<IssuedCard["stamps"]>;

function pointsOf(stamps: Stamps, words: Words) {
  const [first] = words;
  const message = localized(words, (each) => nextText(stamps, each));
  return {
    loyaltyPoints: {
      label: first.stampsLabel,
      localizedLabel: localized(words, ({ stampsLabel }) => stampsLabel),
      balance: { string: `${stamps.currentStamps}/${stamps.maxStamps}` },
    },
    secondaryLoyaltyPoints: {
      label: first.rewardsLabel,
      localizedLabel: localized(words, ({ rewardsLabel }) => rewardsLabel),
      balance: { int: stamps.rewardsAvailable },
    },
    // One message alone, which each change replaces.
    messages: [
      {
        id: "next",
        messageType: "TEXT",
        header: first.title,
        localizedHeader: localized(words, ({ title }) => title),
        body: message.defaultValue.value,
        localizedBody: message,
      },
    ],
  };
}

function nextModule(stamps: Stamps, words: Words): TextModule {
  return textModule(
    "next",
    localized(words, ({ nextLabel }) => nextLabel),
    localized(words, (each) => nextText(stamps, each)),
  );
}

/** The texts of a design, the front first. */
function textsOf(words: Words): TextModule[] {
  const [{ front, back, terms }] = words;
  const places = [
    ...front.map((_, at) => ["front", at] as const),
    ...back.map((_, at) => ["back", at] as const),
  ];
  const texts = places.map(([place, at]) =>
    textModule(
      `${place}${at}`,
      localized(words, (each) => each[place][at]?.label ?? null),
      localized(words, (each) => each[place][at]?.value ?? null),
    ),
  );
  if (terms === null) return texts;
  const label = localized(words, ({ termsLabel }) => termsLabel);
  return [
    ...texts,
    textModule(
      "terms",
      label,
      localized(words, (each) => each.terms),
    ),
  ];
}

function textModule(
  id: string,
  localizedHeader: LocalizedString,
  localizedBody: LocalizedString,
): TextModule {
  return {
    id,
    header: localizedHeader.defaultValue.value,
    body: localizedBody.defaultValue.value,
    localizedHeader,
    localizedBody,
  };
}

/** @param textOf `null` where a language has no such text: then that of the first stands for it. */
function localized([first, ...others]: Words, textOf: (words: CardWords) => string | null): LocalizedString {
  return {
    defaultValue: { language: first.language, value: textOf(first) ?? "" },
    translatedValues: others.flatMap((words) => {
      const value = textOf(words);
      return value === null ? [] : [{ language: words.language, value }];
    }),
  };
}

function image(uri: string, description: string) {
  return {
    sourceUri: { uri },
    contentDescription: { defaultValue: { language: "en", value: description } },
  };
}
