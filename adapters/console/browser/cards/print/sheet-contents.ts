import type { Template } from "../../../../../src/resources/template.js";
import { pickCardLook } from "../../../../wallets/card-look.js";
import { contrast, mixColors, readableInk } from "../../../../wallets/stamp-drawing/colors.js";
import type { DrawnImage } from "./sheet-parts.js";
import { collectText, type SheetWords } from "./sheet-words.js";

/** The content of a sheet, independent of its size. */
export interface SheetContents {
  /** The shop's name, or the card's name if the shop has none. */
  readonly name: string;
  /** The logo as a `data:` URL; `null` if there is none. */
  readonly logo: string | null;
  /** Text above the reward; empty for a card without stamps. */
  readonly lead: string;
  readonly reward: string;
  readonly scan: string;
  readonly noApp: string;
  /** The URL in the QR code. */
  readonly link: string;
  /** The link without its scheme, for people who type it. */
  readonly address: string;
  readonly card: DrawnImage;
  readonly colors: SheetColors;
}

/** The accessible title for a sheet's drawing. */
export interface SheetTitle {
  readonly title: string;
}

/** The shop's colors from its design, adjusted so that text is readable. */
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
  readonly card: DrawnImage;
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
