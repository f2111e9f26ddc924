import type { PresetLanguage } from "../../components/first-language.js";
import { type DesignDraft, noTexts } from "../design-draft.js";
import { drawPattern } from "./pattern.js";
import { tradeTexts } from "./trade-texts.js";
import { type Trade, trades } from "./trades.js";

interface TradeDesignOptions {
  readonly hasStamps: boolean;
  /** The language in which the trade's texts are applied. */
  readonly language: PresetLanguage;
}

/** Applies a trade's look and texts to a design. Keeps the design's logo, title, locations, and texts in other languages. */
export function applyTrade(
  design: DesignDraft,
  trade: Trade,
  { hasStamps, language }: TradeDesignOptions,
): DesignDraft {
  const { backgroundColor, foregroundColor, labelColor, shape } = trades[trade];
  const { reward, ...said } = tradeTexts[language][trade];
  const isOf = (each: { readonly language: string }) => each.language.split("-", 1)[0] === language;
  const texts = design.texts.some(isOf) ? design.texts : [...design.texts, noTexts(language)];
  return {
    ...design,
    ...{ backgroundColor, foregroundColor, labelColor },
    strip: drawPattern(trades[trade]),
    stamps: { shape, filled: null, empty: null },
    texts: texts.map((each) => (isOf(each) && hasStamps ? { ...each, ...said } : each)),
    reward: hasStamps ? reward : design.reward,
  };
}
