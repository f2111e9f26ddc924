import { isAscii } from "../../../../src/base/values/text.js";
import { asciiUrl } from "../../../../src/base/values/url.js";
import type { IssuedCard } from "../../../../src/wallets/issued-card.js";
import { pickCardLook } from "../card-look.js";
import { type CardField, type CardTexts, describeCard } from "../card-texts.js";
import type { AppleIdentity } from "./identity.js";

/** The content of a `pass.json` file, and the translations of its strings. */
export interface PassContent {
  readonly pass: object;
  readonly strings: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

type FieldPlaces = Readonly<Record<string, readonly CardField["place"][]>>;

/** Apple's names for the field positions on a card. */
const places: FieldPlaces = {
  headerFields: ["header"],
  primaryFields: ["primary"],
  secondaryFields: ["progress"],
  auxiliaryFields: ["front"],
  backFields: ["detail", "back", "message"],
};

const revokedPlaces: FieldPlaces = { primaryFields: ["primary"], secondaryFields: ["progress"] };

/**
 * Builds the content of a pass.
 * @param webServiceUrl the base URL of the web service. Devices append `/v1` and a path to it.
 */
export function buildPassContent(
  { card, shopName, template, stamps, points, qrCodeValue, message, isMessageNewest }: IssuedCard,
  identity: Pick<AppleIdentity, "passTypeId" | "teamId" | "organizationName">,
  webServiceUrl: string,
): PassContent {
  const organizationName = shopName ?? identity.organizationName;
  const visibleTemplate = template ?? { name: organizationName, reward: null, design: null };
  const isRevoked = qrCodeValue === null;
  const texts = describeCard(visibleTemplate, stamps, { isRevoked, points, message, isMessageNewest });
  const [{ words, fields }, ...otherTexts] = texts;
  const strings = new PassStrings(texts.map(({ language }) => language));
  const buildField = (field: CardField) =>
    buildPassField(field, findTranslatedFields(field, otherTexts), strings);
  // Phones also translate the text of change notifications, so these strings must keep their own keys.
  for (const text of [NEW_VALUE, organizationName]) strings.registerText(text);
  // Register announced fields first, so that their keys change only when their text changes.
  for (const field of fields) if (field.isAnnounced !== undefined) buildField(field);
  const { design } = visibleTemplate;
  const { backgroundColor, foregroundColor, labelColor } = pickCardLook(design);
  const collectsPoints = points !== null || (template !== null && template.points !== null);
  const style = template?.type === "STAMP_CARD" || collectsPoints ? "storeCard" : "generic";
  const pass = {
    formatVersion: 1,
    passTypeIdentifier: identity.passTypeId,
    teamIdentifier: identity.teamId,
    serialNumber: card.passId,
    authenticationToken: card.authenticationToken,
    webServiceURL: webServiceUrl,
    organizationName,
    description: strings.registerText(
      words.description,
      otherTexts.map((other) => other.words.description),
    ),
    logoText: strings.registerText(
      words.title,
      otherTexts.map((other) => other.words.title),
    ),
    backgroundColor: formatRgb(backgroundColor),
    foregroundColor: formatRgb(foregroundColor),
    labelColor: formatRgb(labelColor),
    ...(isRevoked ? { voided: true } : { barcodes: [buildBarcode(qrCodeValue)] }),
    ...(design?.expiresAt && { expirationDate: design.expiresAt.replace(/\.\d+Z$/, "Z") }),
    ...(design !== null &&
      design.locations.length > 0 && {
        locations: design.locations.map(({ latitude, longitude, text }) => ({
          latitude,
          longitude,
          ...(text !== null && { relevantText: strings.registerText(text) }),
        })),
      }),
    [style]: Object.fromEntries(
      Object.entries(isRevoked ? revokedPlaces : places).map(([name, fieldPlaces]) => [
        name,
        fields.filter(({ place, value }) => fieldPlaces.includes(place) && value !== null).map(buildField),
      ]),
    ),
  };
  return { pass, strings: strings.groupByLanguage() };
}

/** Placeholder for the new value in `changeMessage`, the text with which a phone announces a change. */
const NEW_VALUE = "%@";

/** Finds the same field in other languages; `undefined` where a language doesn't have it. */
function findTranslatedFields(
  { key }: CardField,
  otherTexts: readonly CardTexts[],
): readonly (CardField | undefined)[] {
  return otherTexts.map(({ fields }) => fields.find((field) => field.key === key));
}

function buildPassField(
  { key, label = "", value, isAnnounced, isLink }: CardField,
  translations: readonly (CardField | undefined)[],
  strings: PassStrings,
) {
  const labels = translations.map((other) => other?.label ?? label);
  const values = translations.map((other) => String(other?.value ?? value));
  const buildLink = () => `<a href="${escapeHtml(asciiUrl(String(value)))}">${escapeHtml(label)}</a>`;
  return {
    key,
    ...(label !== "" && { label: strings.registerText(label, labels) }),
    value: typeof value === "string" ? strings.registerText(value, values) : value,
    ...(isAnnounced && { changeMessage: NEW_VALUE }),
    ...(isLink && { attributedValue: strings.registerText(buildLink()) }),
  };
}

/** Builds the barcode. Scanners read ASCII the same in any encoding, and most assume UTF-8 for everything else. */
function buildBarcode(message: string) {
  const messageEncoding = isAscii(message) ? "iso-8859-1" : "utf-8";
  return { format: "PKBarcodeFormatQR", message, messageEncoding };
}

function formatRgb(color: string): string {
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  return `rgb(${red}, ${green}, ${blue})`;
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

/** An invisible character that makes a key unique if the same text has another translation elsewhere. */
const KEY_SUFFIX = "\u2060";

/**
 * The translated strings of a pass. Phones use each text in `pass.json` as a key to look up its translation. The key is the text in
 * the default language, which phones show if the pass isn't translated into their language. If the same text appears twice with
 * different translations, the second occurrence gets a different key.
 */
class PassStrings {
  /** Translations keyed by string key, in the order of the languages. */
  private readonly translations = new Map<string, readonly string[]>();

  constructor(private readonly languages: readonly string[]) {}

  /**
   * Returns the key for a text, and stores the text's translations.
   * @param text the text in the default language.
   * @param otherTranslations the text in each of the other languages. Default: the same text in every language.
   */
  registerText(
    text: string,
    otherTranslations: readonly string[] = this.languages.slice(1).map(() => text),
  ): string {
    const translations = [text, ...otherTranslations];
    let key = text;
    for (
      let existing = this.translations.get(key);
      existing !== undefined;
      existing = this.translations.get(key)
    ) {
      if (existing.every((translation, at) => translation === translations[at])) return key;
      key += KEY_SUFFIX;
    }
    this.translations.set(key, translations);
    return key;
  }

  /** Returns the translations for each language, keyed by string key. Returns an empty map if there is only one language. */
  groupByLanguage(): ReadonlyMap<string, ReadonlyMap<string, string>> {
    // Without strings for the default language, phones in that language would choose another one.
    if (this.languages.length === 1) return new Map();
    const entries = [...this.translations];
    return new Map(
      this.languages.map((language, at) => [
        language,
        new Map(entries.map(([key, translations]) => [key, translations[at] ?? key])),
      ]),
    );
  }
}
