import type { Template } from "../../../../../../src/cards/schema.js";
import { pickCardLook } from "../../../../../delivery/wallets/card-look.js";
import {
  computeContrast,
  mixColors,
  pickReadableInk,
} from "../../../../../delivery/wallets/stamp-drawing/colors.js";
import type { CardImage } from "./sheet-parts.js";
import { formatCollectText, type SheetWords } from "./sheet-words.js";

/** A printed sheet's content, which is the same for all sheet sizes. */
export interface SheetContents {
  /** The shop's name, or the card's name if the shop's name isn't set. */
  readonly name: string;
  /** The logo as a `data:` URL, or `null` if there is no logo. */
  readonly logo: string | null;
  /** The text above the reward. Empty for a card without stamps. */
  readonly lead: string;
  readonly reward: string;
  readonly scan: string;
  readonly noApp: string;
  /** The URL that the QR code encodes. */
  readonly link: string;
  /** The URL without its scheme, for customers to type in. */
  readonly address: string;
  readonly card: CardImage;
  readonly colors: SheetColors;
}

/** The accessible title of a sheet's SVG drawing. */
export interface SheetTitle {
  readonly title: string;
}

/** A sheet's colors, taken from the card's design and adjusted so that text is readable on paper. */
export interface SheetColors {
  readonly ground: string;
  readonly ink: string;
  readonly label: string;
}

/** Minimum contrast ratio. Text on paper needs more contrast than text on a card, which is surrounded by a dark screen. */
const MIN_CONTRAST = 3;

interface SheetOptions {
  readonly template: Template;
  readonly shop: string | null;
  readonly logo: string | null;
  readonly words: SheetWords;
  readonly link: string;
  readonly card: CardImage;
}

export function buildSheetContents({ template, shop, words, ...rest }: SheetOptions): SheetContents {
  const { maxStamps, reward, design, name } = template;
  return {
    ...rest,
    address: rest.link.replace(/^https?:\/\//, ""),
    name: shop ?? name,
    lead: maxStamps === null ? "" : formatCollectText(words, maxStamps),
    reward: maxStamps === null ? words.member : (reward ?? words.reward),
    scan: words.scan,
    noApp: words.noApp,
    colors: pickColors(pickCardLook(design)),
  };
}

function pickColors({
  backgroundColor,
  foregroundColor,
  labelColor,
}: ReturnType<typeof pickCardLook>): SheetColors {
  const ink = ensureReadable(backgroundColor, foregroundColor);
  // Paper is white, so a white background would have no visible edge.
  const ground =
    computeContrast(backgroundColor, "#FFFFFF") < 1.1
      ? mixColors(backgroundColor, ink, 0.06)
      : backgroundColor;
  return { ground, ink, label: ensureReadable(backgroundColor, labelColor) };
}

function ensureReadable(ground: string, ink: string): string {
  return computeContrast(ground, ink) >= MIN_CONTRAST ? ink : pickReadableInk(ground, ground);
}
