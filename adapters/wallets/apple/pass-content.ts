import type { IssuedCard } from "../../../src/wallets/issued-card.js";
import type { CardWords } from "../words.js";
import { nextText, wordsOf } from "../words.js";
import type { AppleIdentity } from "./identity.js";

/** One line of a pass. */
interface Field {
  readonly key: string;
  readonly label?: string;
  readonly value: string | number;
  /** What the phone shows when the value changes; `%@` stands for the new one. */
  readonly changeMessage?: string;
  readonly attributedValue?: string;
}

/** A `pass.json`, and its words in the other languages: by language, each text by that of the default language. */
export interface PassContent {
  readonly pass: object;
  readonly strings: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

const defaults = { backgroundColor: "#FFFFFF", foregroundColor: "#111827", labelColor: "#4B5563" };

/** @param webServiceUrl below which devices find `/v1`. */
export function passContent(
  { card, template, stamps, qrCodeValue }: IssuedCard,
  identity: AppleIdentity,
  webServiceUrl: string,
): PassContent {
  const known = template ?? { name: identity.organizationName, design: null };
  const [words, ...others] = wordsOf(known);
  const design = known.design;
  const { backgroundColor, foregroundColor, labelColor } = design ?? defaults;
  const isRevoked = qrCodeValue === null;
  const body = isRevoked ? revokedFields(words) : fieldsOf({ stamps, design }, words);
  const style = template?.type === "STAMP_CARD" ? "storeCard" : "generic";
  const pass = {
    formatVersion: 1,
    passTypeIdentifier: identity.passTypeId,
    teamIdentifier: identity.teamId,
    serialNumber: card.passId,
    authenticationToken: card.authenticationToken,
    webServiceURL: webServiceUrl,
    organizationName: identity.organizationName,
    description: words.description,
    logoText: words.title,
    backgroundColor: rgb(backgroundColor),
    foregroundColor: rgb(foregroundColor),
    labelColor: rgb(labelColor),
    ...(isRevoked ? { voided: true } : { barcodes: [barcode(qrCodeValue)] }),
    ...(design?.expiresAt && { expirationDate: design.expiresAt.replace(/\.\d+Z$/, "Z") }),
    ...(design !== null &&
      design.locations.length > 0 && {
        locations: design.locations.map(({ latitude, longitude, text }) => ({
          latitude,
          longitude,
          ...(text !== null && { relevantText: text }),
        })),
      }),
    [style]: body,
  };
  return { pass, strings: translations({ stamps }, words, others, isRevoked) };
}

function fieldsOf({ stamps, design }: Pick<IssuedCard, "stamps"> & { design: LinksOf }, words: CardWords) {
  const front = words.front.map(({ label, value }, at) => ({ key: `front${at}`, label, value }));
  const links = (design?.links ?? []).map(({ label, url }, at) => ({
    key: `link${at}`,
    label,
    value: url,
    attributedValue: `<a href="${escaped(url)}">${escaped(label)}</a>`,
  }));
  const back: Field[] = [
    ...words.back.map(({ label, value }, at) => ({ key: `back${at}`, label, value })),
    ...links,
    ...(words.terms === null ? [] : [{ key: "terms", label: words.termsLabel, value: words.terms }]),
  ];
  const primary = stamps === null ? [{ key: "title", value: words.title }] : [];
  return {
    headerFields: stamps === null ? [] : [stampsField(stamps, words)],
    primaryFields: primary,
    secondaryFields: stamps === null ? [] : progressFields(stamps, words),
    auxiliaryFields: front,
    backFields: back,
  };
}

type LinksOf = { readonly links: readonly { readonly label: string; readonly url: string }[] } | null;
type Stamps = NonNullable<IssuedCard["stamps"]>;

function stampsField({ currentStamps, maxStamps }: Stamps, words: CardWords): Field {
  return { key: "stamps", label: words.stampsLabel, value: `${currentStamps}/${maxStamps}` };
}

/** What changes with a stamp is told by the phone in the words of the field. */
function progressFields(stamps: Stamps, words: CardWords): Field[] {
  return [
    { key: "next", label: words.nextLabel, value: nextText(stamps, words), changeMessage: "%@" },
    { key: "rewards", label: words.rewardsLabel, value: stamps.rewardsAvailable },
  ];
}

function revokedFields(words: CardWords) {
  return {
    primaryFields: [{ key: "title", value: words.title }],
    secondaryFields: [{ key: "revoked", value: words.revoked }],
  };
}

/** The phone looks each text up in the strings of its language. */
function translations(
  { stamps }: Pick<IssuedCard, "stamps">,
  words: CardWords,
  others: readonly CardWords[],
  isRevoked: boolean,
): PassContent["strings"] {
  // Without strings of its own, a phone of the default language would take those of another one.
  if (others.length === 0) return new Map();
  const own = textsOf(words, stamps, isRevoked);
  return new Map(
    [words, ...others].map((other) => {
      const theirs = textsOf(other, stamps, isRevoked);
      const pairs = own.flatMap((text, at): [string, string][] => {
        const translated = theirs[at];
        return text === null || translated == null ? [] : [[text, translated]];
      });
      return [other.language, new Map(pairs)];
    }),
  );
}

/** The texts of a card, each at a place of its own. */
function textsOf(words: CardWords, stamps: Stamps | null, isRevoked: boolean): (string | null)[] {
  const pairs = (fields: CardWords["front"], count: number) =>
    Array.from({ length: count }, (_, at) => [fields[at]?.label ?? null, fields[at]?.value ?? null]).flat();
  return [
    ...[words.title, words.description, words.stampsLabel, words.rewardsLabel, words.nextLabel],
    ...[words.termsLabel, words.terms, isRevoked ? words.revoked : null],
    stamps === null ? null : nextText(stamps, words),
    ...pairs(words.front, 4),
    ...pairs(words.back, 20),
  ];
}

function barcode(message: string) {
  return { format: "PKBarcodeFormatQR", message, messageEncoding: "iso-8859-1" };
}

function rgb(color: string): string {
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  return `rgb(${red}, ${green}, ${blue})`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
