import { mixColors } from "../../../../../delivery/wallets/stamp-drawing/colors.js";
import type { PresetLanguage } from "../../components/first-language.js";
import { createEmptyTexts, type DesignDraft } from "../design-draft.js";
import { motifs } from "./motifs.js";
import { tradeTexts } from "./trade-texts.js";
import { type Trade, type TradeLook, trades } from "./trades.js";

/** Size in pixels of the picture behind the stamps, on phones with a pixel ratio of 3. */
const WIDTH = 1_125;

const HEIGHT = 432;

const STEP = 136;

interface TradeDesignOptions {
  readonly hasStamps: boolean;
  /** The language in which the trade's texts are applied. */
  readonly language: PresetLanguage;
}

/**
 * Applies the colors, background picture, stamp shape, and texts of a trade's preset design. Keeps the design's logo, title,
 * locations, and texts in other languages.
 */
export function applyTrade(
  design: DesignDraft,
  trade: Trade,
  { hasStamps, language }: TradeDesignOptions,
): DesignDraft {
  const { backgroundColor, foregroundColor, labelColor, shape } = trades[trade];
  const { reward, ...stampTexts } = tradeTexts[language][trade];
  const isInLanguage = (each: { readonly language: string }) => each.language.split("-", 1)[0] === language;
  const texts = design.texts.some(isInLanguage)
    ? design.texts
    : [...design.texts, createEmptyTexts(language)];
  return {
    ...design,
    ...{ backgroundColor, foregroundColor, labelColor },
    strip: drawPattern(trades[trade]),
    stamps: { shape, filled: null, empty: null },
    texts: texts.map((each) => (isInLanguage(each) && hasStamps ? { ...each, ...stampTexts } : each)),
    reward: hasStamps ? reward : design.reward,
  };
}

/**
 * Draws a picture filled with a motif in shades of a card's colors.
 * @returns the picture as a `data:` URL, or `null` if the browser can't draw on a canvas.
 */
export function drawPattern({
  motif,
  backgroundColor,
  foregroundColor,
}: Pick<TradeLook, "motif" | "backgroundColor" | "foregroundColor">): string | null {
  const canvas = document.createElement("canvas");
  canvas.width = WIDTH;
  canvas.height = HEIGHT;
  const context = canvas.getContext("2d");
  if (context === null) return null;
  context.fillStyle = mixColors(backgroundColor, foregroundColor, 0.1);
  context.fillRect(0, 0, WIDTH, HEIGHT);
  context.fillStyle = mixColors(backgroundColor, foregroundColor, 0.34);
  const path = new Path2D(motifs[motif]);
  for (let row = 0; row * STEP < HEIGHT + STEP; row += 1) {
    for (let column = 0; column * STEP < WIDTH + STEP; column += 1) {
      const tilt = (row + column) % 2 === 0 ? -0.2 : 0.2;
      context.setTransform(1, 0, 0, 1, (column + (row % 2) / 2) * STEP, row * STEP + 12);
      context.rotate(tilt);
      context.fill(path, "evenodd");
    }
  }
  return canvas.toDataURL("image/png");
}
