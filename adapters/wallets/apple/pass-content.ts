import type { IssuedCard } from "../../../src/wallets/issued-card.js";
import { lookOf } from "../card-look.js";
import { type CardField, type CardTexts, cardTexts } from "../card-texts.js";
import type { AppleIdentity } from "./identity.js";

/** A `pass.json`, and its words in the other languages: by language, each text by that of the default language. */
export interface PassContent {
  readonly pass: object;
  readonly strings: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

type Places = Readonly<Record<string, readonly CardField["place"][]>>;

/** Apple's names of the places of a card. */
const places: Places = {
  headerFields: ["header"],
  primaryFields: ["primary"],
  secondaryFields: ["progress"],
  auxiliaryFields: ["front"],
  backFields: ["back", "message"],
};

const revokedPlaces: Places = { primaryFields: ["primary"], secondaryFields: ["progress"] };

/** @param webServiceUrl below which devices find `/v1`. */
export function passContent(
  { card, shopName, template, stamps, qrCodeValue, message, isMessageNewest }: IssuedCard,
  identity: Pick<AppleIdentity, "passTypeId" | "teamId" | "organizationName">,
  webServiceUrl: string,
): PassContent {
  const organizationName = shopName ?? identity.organizationName;
  const known = template ?? { name: organizationName, reward: null, design: null };
  const isRevoked = qrCodeValue === null;
  const texts = cardTexts(known, stamps, { isRevoked, message, isMessageNewest });
  const [{ words, fields }] = texts;
  const { design } = known;
  const { backgroundColor, foregroundColor, labelColor } = lookOf(design);
  const style = template?.type === "STAMP_CARD" ? "storeCard" : "generic";
  const pass = {
    formatVersion: 1,
    passTypeIdentifier: identity.passTypeId,
    teamIdentifier: identity.teamId,
    serialNumber: card.passId,
    authenticationToken: card.authenticationToken,
    webServiceURL: webServiceUrl,
    organizationName,
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
    [style]: Object.fromEntries(
      Object.entries(isRevoked ? revokedPlaces : places).map(([name, shown]) => [
        name,
        fields.filter(({ place, value }) => shown.includes(place) && value !== null).map(passField),
      ]),
    ),
  };
  return { pass, strings: translations(texts) };
}

/** A phone tells people of a new value in the words of its `changeMessage`, in which this stands for it. */
const NEW_VALUE = "%@";

function passField({ key, label = "", value, isAnnounced, isLink }: CardField) {
  return {
    key,
    ...(label !== "" && { label }),
    value,
    ...(isAnnounced && { changeMessage: NEW_VALUE }),
    ...(isLink && { attributedValue: `<a href="${escaped(String(value))}">${escaped(label)}</a>` }),
  };
}

/** The phone looks each text up in the strings of its language. */
function translations(texts: readonly [CardTexts, ...CardTexts[]]): PassContent["strings"] {
  // Without strings of its own, a phone of the default language would take those of another one.
  if (texts.length === 1) return new Map();
  return new Map(texts.map(({ language, words }) => [language, new Map(pairsOf(texts[0].words, words))]));
}

/** Pairs each text with the one at the same place of the other. */
function pairsOf(own: unknown, other: unknown): [string, string][] {
  // A phone translates the words by which it tells of changes, too: those stay as they are.
  if (typeof own === "string") return typeof other === "string" && own !== NEW_VALUE ? [[own, other]] : [];
  if (typeof own !== "object" || own === null) return [];
  const others = new Map(Object.entries(other ?? {}));
  return Object.entries(own).flatMap(([place, text]) => pairsOf(text, others.get(place)));
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
