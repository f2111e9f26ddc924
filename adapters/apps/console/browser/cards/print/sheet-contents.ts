import type { Template } from "../../../../../../src/cards/schema.js";
import { pickCardLook } from "../../../../../delivery/wallets/card-look.js";
import { contrast, mixColors, readableInk } from "../../../../../delivery/wallets/stamp-drawing/colors.js";
import type { RenderedCard } from "./sheet-parts.js";
import { collectText, type SheetWords } from "./sheet-words.js";

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
  /** The URL without its scheme, for customers who type it in. */
  readonly address: string;
  readonly card: RenderedCard;
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
const LEAST_CONTRAST = 3;

interface Told {
  readonly template: Template;
  readonly shop: string | null;
  readonly logo: string | null;
  readonly words: SheetWords;
  readonly link: string;
  readonly card: RenderedCard;
}

export function sheetContents({ template, shop, words, ...rest }: Told): SheetContents {
  const { maxStamps, reward, design, name } = template;
  return {
    ...rest,
    address: rest.link.replace(/^https?:\/\//, ""),
    name: shop ?? name,
    lead: maxStamps === null ? "" : collectText(words, maxStamps),
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
  const ink = readable(backgroundColor, foregroundColor);
  // Paper is white, so a white background would have no visible edge.
  const ground =
    contrast(backgroundColor, "#FFFFFF") < 1.1 ? mixColors(backgroundColor, ink, 0.06) : backgroundColor;
  return { ground, ink, label: readable(backgroundColor, labelColor) };
}

function readable(ground: string, ink: string): string {
  return contrast(ground, ink) >= LEAST_CONTRAST ? ink : readableInk(ground, ground);
}
