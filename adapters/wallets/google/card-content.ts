import type { Template } from "../../../src/index.js";
import { isAscii } from "../../../src/values/text.js";
import { asciiUrl } from "../../../src/values/url.js";
import type { IssuedCard } from "../../../src/wallets/issued-card.js";
import { pickCardLook } from "../card-look.js";
import { type CardTexts, describeCard } from "../card-texts.js";
import type { GoogleIdentity } from "./identity.js";

/** Google shows as many texts of a class, and as many of an object. */
const MAX_TEXTS = 10;

/** The id of the message about the next reward. */
export const NEXT_REWARD_ID = "next";

/** Makes the URLs in a card. */
export interface CardUrls {
  readonly callback: string;
  /** Returns the URL of a design's picture. */
  picture(hash: string): string;
  /** Returns the URL of a plain logo of a color, `#RRGGBB`. */
  plainLogo(color: string): string;
  /** Returns the URL of the drawn stamps, or `null` without a renderer. */
  hero(template: Template, filled: number, total: number): string | null;
}

export type Issuer = Pick<GoogleIdentity, "issuerId" | "issuerName">;

export function formatClassId({ issuerId }: Issuer, templateId: string): string {
  return `${issuerId}.${templateId}`;
}

export function formatObjectId({ issuerId }: Issuer, passId: string): string {
  return `${issuerId}.${passId}`;
}

/** The pass of an object; `null` if it is none of the issuer's. */
export function parsePassId({ issuerId }: Pick<Issuer, "issuerId">, objectId: string): string | null {
  return objectId.startsWith(`${issuerId}.`) ? objectId.slice(issuerId.length + 1) : null;
}

type Texts = readonly [CardTexts, ...CardTexts[]];

/**
 * Builds the common part of all cards of a template. Each write of it must ask for a review.
 * @param shopName of the settings; `null` if it is not set.
 */
export function loyaltyClass(
  template: Template,
  shopName: string | null,
  issuer: Issuer,
  urls: CardUrls,
): object {
  const texts = describeCard(template, null);
  const [{ words, fields }] = texts;
  const { design } = template;
  const { backgroundColor } = pickCardLook(design);
  const logo = design?.logo ?? design?.icon ?? null;
  return {
    id: formatClassId(issuer, template.id),
    issuerName: shopName ?? issuer.issuerName ?? words.title,
    programName: words.title,
    localizedProgramName: localizedTitle(texts),
    programLogo: image(
      logo === null ? urls.plainLogo(backgroundColor) : urls.picture(logo),
      words.description,
    ),
    hexBackgroundColor: backgroundColor,
    reviewStatus: "UNDER_REVIEW",
    multipleDevicesAndHoldersAllowedStatus: "ONE_USER_ALL_DEVICES",
    callbackOptions: { url: urls.callback },
    textModulesData: textModules(texts).slice(0, MAX_TEXTS),
    linksModuleData: {
      uris: fields
        .filter(({ isLink }) => isLink)
        .map(({ key, label, value }) => ({ id: key, uri: asciiUrl(String(value)), description: label })),
    },
    merchantLocations: (design?.locations ?? []).map(({ latitude, longitude }) => ({ latitude, longitude })),
  };
}

/**
 * The card of one pass. Google does not delete: a revoked one becomes inactive, and has no code.
 * @param hasMessage false leaves the message of the shop out.
 */
export function loyaltyObject(issued: IssuedCard, issuer: Issuer, urls: CardUrls, hasMessage = true): object {
  const { card, template, stamps, qrCodeValue } = issued;
  const id = formatObjectId(issuer, card.passId);
  if (template === null || qrCodeValue === null) {
    return { id, state: "INACTIVE", barcode: null, heroImage: null, messages: [] };
  }
  const texts = describeCard(template, stamps);
  const [{ words }] = texts;
  const { design } = template;
  const strip = design?.strip ?? null;
  const drawn = stamps && urls.hero(template, stamps.currentStamps, stamps.maxStamps);
  const hero = drawn ?? (strip === null ? null : urls.picture(strip));
  return {
    id,
    classId: formatClassId(issuer, template.id),
    state: "ACTIVE",
    barcode: {
      type: "QR_CODE",
      value: qrCodeValue,
      ...(!isAscii(qrCodeValue) && { renderEncoding: "UTF_8" }),
    },
    heroImage: hero === null ? null : image(hero, words.description),
    validTimeInterval: design?.expiresAt ? { end: { date: design.expiresAt } } : null,
    textModulesData: [
      ...(stamps === null ? [] : [textModule(texts, "next")]),
      ...textModules(texts).slice(MAX_TEXTS),
    ].slice(0, MAX_TEXTS),
    ...(stamps !== null && {
      loyaltyPoints: points(texts, "stamps"),
      secondaryLoyaltyPoints: points(texts, "rewards"),
    }),
    // A write replaces all messages. One that notified people when it was added is a text from then on.
    messages: [...nextMessage(texts, stamps), ...(hasMessage ? shopMessage(issued, template, "TEXT") : [])],
  };
}

/** Says how many stamps are missing for the next reward. Google notifies people when the stamps change. */
function nextMessage(texts: Texts, stamps: IssuedCard["stamps"]): readonly object[] {
  if (stamps === null) return [];
  const content = headerAndBody(localizedTitle(texts), localizedField(texts, "next", "value"));
  return [{ id: NEXT_REWARD_ID, messageType: "TEXT", ...content }];
}

/** The request that adds the message of the shop to a card, and notifies people of it. */
export function buildMessageRequest(issued: IssuedCard): object {
  const { template } = issued;
  const [message] = template === null ? [] : shopMessage(issued, template, "TEXT_AND_NOTIFY");
  return { message };
}

/** The message of the shop in all its languages, under the title of the card; Google shows it until its end. */
function shopMessage(
  { message }: IssuedCard,
  template: Template,
  messageType: "TEXT" | "TEXT_AND_NOTIFY",
): readonly object[] {
  if (message === null) return [];
  const { id, until, texts } = message;
  const title = localizedTitle(describeCard(template, null));
  // A text of nothing but a placeholder may be empty, and Google takes no such text.
  const said = ({ language, text }: (typeof texts)[number]) => ({
    language,
    value: text.trim() === "" ? title.defaultValue.value : text,
  });
  const [first, ...others] = texts;
  const body = { defaultValue: said(first), translatedValues: others.map(said) };
  const displayInterval = { end: { date: new Date(until).toISOString() } };
  return [{ id, messageType, displayInterval, ...headerAndBody(title, body) }];
}

/** The texts of a design, the front first. */
function textModules(texts: Texts) {
  return texts[0].fields
    .filter(
      ({ place, value, isLink }) => (place === "front" || place === "back") && value !== null && !isLink,
    )
    .map(({ key }) => textModule(texts, key));
}

function textModule(texts: Texts, key: string) {
  return {
    id: key,
    ...headerAndBody(localizedField(texts, key, "label"), localizedField(texts, key, "value")),
  };
}

function headerAndBody(localizedHeader: LocalizedString, localizedBody: LocalizedString) {
  return {
    header: localizedHeader.defaultValue.value,
    body: localizedBody.defaultValue.value,
    ...{ localizedHeader, localizedBody },
  };
}

function points(texts: Texts, key: "stamps" | "rewards") {
  const localizedLabel = localizedField(texts, key, "label");
  const value = texts[0].fields.find((field) => field.key === key)?.value;
  return {
    label: localizedLabel.defaultValue.value,
    localizedLabel,
    balance: typeof value === "number" ? { int: value } : { string: value },
  };
}

function localizedTitle(texts: Texts): LocalizedString {
  return localized(texts, ({ words }) => words.title);
}

function localizedField(texts: Texts, key: string, part: "label" | "value"): LocalizedString {
  return localized(texts, ({ fields }) => fields.find((field) => field.key === key)?.[part] ?? null);
}

/** A text with its translations, as Google takes it. */
type LocalizedString = ReturnType<typeof localized>;

/** @param textOf `null` if a language has no such text: then the text of the first language is used. */
function localized([first, ...others]: Texts, textOf: (texts: CardTexts) => string | number | null) {
  return {
    defaultValue: { language: first.language, value: String(textOf(first) ?? "") },
    translatedValues: others.flatMap((texts) => {
      const value = textOf(texts);
      return value === null ? [] : [{ language: texts.language, value: String(value) }];
    }),
  };
}

function image(uri: string, description: string) {
  return {
    sourceUri: { uri },
    contentDescription: { defaultValue: { language: "en", value: description } },
  };
}
