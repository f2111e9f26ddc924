import { isAscii } from "../../../../src/base/values/text.js";
import { asciiUrl } from "../../../../src/base/values/url.js";
import type { Template } from "../../../../src/index.js";
import type { IssuedCard } from "../../../../src/wallets/issued-card.js";
import { pickCardLook } from "../card-look.js";
import { type CardField, type CardTexts, describeCard } from "../card-texts.js";
import type { GoogleIdentity } from "./identity.js";

/** Maximum number of text modules that Google shows per class, and also per object. */
const MAX_TEXT_MODULES = 10;

/** The highest whole number that Google takes as a balance. */
const MAX_INT = 2_147_483_647;

/**
 * The ID of the card message that says how many more stamps the customer needs for the next reward, or how many points they have.
 */
export const NEXT_REWARD_ID = "next";

/** Builds the URLs in a card, which Google uses to send callbacks and download pictures. */
export interface CardUrls {
  readonly callback: string;
  /**
   * Returns the URL from which Google downloads one of the design's pictures.
   * @param hash the SHA-256 hash that identifies the picture.
   */
  picture(hash: string): string;
  /**
   * Returns the URL of a single-color square that serves as the logo for designs without one.
   * @param color the color as `#RRGGBB`.
   */
  plainLogo(color: string): string;
  /** Returns the URL of the picture that shows the card's stamps, or `null` if no renderer is set up. */
  hero(template: Template, filled: number, total: number): string | null;
}

export type Issuer = Pick<GoogleIdentity, "issuerId" | "issuerName">;

export function formatClassId({ issuerId }: Issuer, templateId: string): string {
  return `${issuerId}.${templateId}`;
}

export function formatObjectId({ issuerId }: Issuer, passId: string): string {
  return `${issuerId}.${passId}`;
}

/** Extracts the pass ID from a Google object ID. Returns `null` if the object belongs to a different issuer. */
export function parsePassId({ issuerId }: Pick<Issuer, "issuerId">, objectId: string): string | null {
  return objectId.startsWith(`${issuerId}.`) ? objectId.slice(issuerId.length + 1) : null;
}

type Texts = readonly [CardTexts, ...CardTexts[]];

/**
 * Builds the Google class that all cards from a template share. Always requests a review, because Google requires this for every
 * write.
 * @param shopName the shop's name from its settings, or `null` if it isn't set.
 */
export function buildLoyaltyClass(
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
    localizedProgramName: localizeTitle(texts),
    programLogo: buildImage(
      logo === null ? urls.plainLogo(backgroundColor) : urls.picture(logo),
      words.description,
    ),
    hexBackgroundColor: backgroundColor,
    reviewStatus: "UNDER_REVIEW",
    multipleDevicesAndHoldersAllowedStatus: "ONE_USER_ALL_DEVICES",
    callbackOptions: { url: urls.callback },
    textModulesData: buildTextModules(texts).slice(0, MAX_TEXT_MODULES),
    linksModuleData: {
      uris: fields
        .filter(({ isLink }) => isLink)
        .map(({ key, label, value }) => ({ id: key, uri: asciiUrl(String(value)), description: label })),
    },
    merchantLocations: (design?.locations ?? []).map(({ latitude, longitude }) => ({ latitude, longitude })),
  };
}

/**
 * Builds the Google object for a pass. Because Google never deletes objects, a revoked pass's object is marked as inactive and has
 * no code.
 * @param hasMessage whether to include the shop's message.
 */
export function buildLoyaltyObject(
  issuedCard: IssuedCard,
  issuer: Issuer,
  urls: CardUrls,
  hasMessage = true,
): object {
  const { card, template, stamps, points, qrCodeValue } = issuedCard;
  const id = formatObjectId(issuer, card.passId);
  if (template === null || qrCodeValue === null) {
    return { id, state: "INACTIVE", barcode: null, heroImage: null, messages: [] };
  }
  const texts = describeCard(template, stamps, { points });
  const [{ words }] = texts;
  const { design } = template;
  const strip = design?.strip ?? null;
  const heroUrl = stamps && urls.hero(template, stamps.currentStamps, stamps.maxStamps);
  const hero = heroUrl ?? (strip === null ? null : urls.picture(strip));
  return {
    id,
    classId: formatClassId(issuer, template.id),
    state: "ACTIVE",
    barcode: {
      type: "QR_CODE",
      value: qrCodeValue,
      ...(!isAscii(qrCodeValue) && { renderEncoding: "UTF_8" }),
    },
    heroImage: hero === null ? null : buildImage(hero, words.description),
    validTimeInterval: design?.expiresAt ? { end: { date: design.expiresAt } } : null,
    textModulesData: [
      ...(stamps === null ? [] : [buildTextModule(texts, "next")]),
      ...buildTextModules(texts, ["detail"]),
      ...buildTextModules(texts).slice(MAX_TEXT_MODULES),
    ].slice(0, MAX_TEXT_MODULES),
    ...(stamps !== null && {
      loyaltyPoints: buildPoints(texts, "stamps"),
      secondaryLoyaltyPoints: buildPoints(texts, "rewards"),
    }),
    ...(points !== null && { loyaltyPoints: buildBalance(texts, points.available) }),
    // A write replaces all messages. A message that notified people when it was added is plain text from then on.
    messages: [
      ...buildStateMessage(texts, issuedCard),
      ...(hasMessage ? buildShopMessage(issuedCard, template, "TEXT") : []),
    ],
  };
}

/**
 * Builds the message that says how many stamps are missing until the next reward, or how many points there are. Google notifies
 * people when the stamps or points change.
 */
function buildStateMessage(
  texts: Texts,
  { stamps, points }: Pick<IssuedCard, "stamps" | "points">,
): readonly object[] {
  if (stamps === null && points === null) return [];
  const key = stamps === null ? "points" : "next";
  const content = buildHeaderAndBody(localizeTitle(texts), localizeField(texts, key, "value"));
  return [{ id: NEXT_REWARD_ID, messageType: "TEXT", ...content }];
}

/** Builds the body of the request that adds the shop's message to a card and notifies the customer. */
export function buildMessageRequest(issuedCard: IssuedCard): object {
  const { template } = issuedCard;
  const [message] = template === null ? [] : buildShopMessage(issuedCard, template, "TEXT_AND_NOTIFY");
  return { message };
}

/** Builds the shop's message in all its languages, with the card's title as its header. Google shows it until it ends. */
function buildShopMessage(
  { message }: IssuedCard,
  template: Template,
  messageType: "TEXT" | "TEXT_AND_NOTIFY",
): readonly object[] {
  if (message === null) return [];
  const { id, until, texts } = message;
  const title = localizeTitle(describeCard(template, null));
  // A text that consists of placeholders may be empty, which Google refuses.
  const toMessageText = ({ language, text }: (typeof texts)[number]) => ({
    language,
    value: text.trim() === "" ? title.defaultValue.value : text,
  });
  const [first, ...otherTexts] = texts;
  const body = { defaultValue: toMessageText(first), translatedValues: otherTexts.map(toMessageText) };
  const displayInterval = { end: { date: new Date(until).toISOString() } };
  return [{ id, messageType, displayInterval, ...buildHeaderAndBody(title, body) }];
}

/** Builds text modules from the fields in these places. By default, from a design's text, front fields first. */
function buildTextModules(texts: Texts, places: readonly CardField["place"][] = ["front", "back"]) {
  return texts[0].fields
    .filter(({ place, value, isLink }) => places.includes(place) && value !== null && !isLink)
    .map(({ key }) => buildTextModule(texts, key));
}

function buildTextModule(texts: Texts, key: string) {
  return {
    id: key,
    ...buildHeaderAndBody(localizeField(texts, key, "label"), localizeField(texts, key, "value")),
  };
}

function buildHeaderAndBody(localizedHeader: LocalizedString, localizedBody: LocalizedString) {
  return {
    header: localizedHeader.defaultValue.value,
    body: localizedBody.defaultValue.value,
    ...{ localizedHeader, localizedBody },
  };
}

function buildPoints(texts: Texts, key: "stamps" | "rewards") {
  const localizedLabel = localizeField(texts, key, "label");
  const value = texts[0].fields.find((field) => field.key === key)?.value;
  return {
    label: localizedLabel.defaultValue.value,
    localizedLabel,
    balance: typeof value === "number" ? { int: value } : { string: value },
  };
}

/** Builds the loyalty points of a card with points. Google's whole numbers have 32 bits. */
function buildBalance(texts: Texts, available: number) {
  const localizedLabel = localize(texts, ({ words }) => words.points?.unit ?? null);
  return {
    label: localizedLabel.defaultValue.value,
    localizedLabel,
    balance: available > MAX_INT ? { string: String(available) } : { int: available },
  };
}

function localizeTitle(texts: Texts): LocalizedString {
  return localize(texts, ({ words }) => words.title);
}

function localizeField(texts: Texts, key: string, part: "label" | "value"): LocalizedString {
  return localize(texts, ({ fields }) => fields.find((field) => field.key === key)?.[part] ?? null);
}

/** A text and its translations, in Google's format. */
type LocalizedString = ReturnType<typeof localize>;

/**
 * Builds a localized string.
 * @param getText returns `null` if a language doesn't have the text; then Google falls back to the first language.
 */
function localize([first, ...otherTexts]: Texts, getText: (texts: CardTexts) => string | number | null) {
  return {
    defaultValue: { language: first.language, value: String(getText(first) ?? "") },
    translatedValues: otherTexts.flatMap((texts) => {
      const value = getText(texts);
      return value === null ? [] : [{ language: texts.language, value: String(value) }];
    }),
  };
}

function buildImage(uri: string, description: string) {
  return {
    sourceUri: { uri },
    contentDescription: { defaultValue: { language: "en", value: description } },
  };
}
