import { type EditedDesign, noTexts } from "../edited-design.js";
import { patternOf } from "./pattern.js";
import type { Trade } from "./trades.js";

const LANGUAGE = "en";

/** Returns a design in the look and the words of a trade. Its logo, title, places and other languages stay. */
export function tradeDesign(design: EditedDesign, trade: Trade, hasStamps: boolean): EditedDesign {
  const { backgroundColor, foregroundColor, labelColor, shape, reward, ...words } = trade;
  const { stampsLabel, rewardsLabel, toGo, rewardReady } = words;
  const said = { stampsLabel, rewardsLabel, toGo, rewardReady };
  const known = design.texts.some(({ language }) => language === LANGUAGE);
  const texts = known ? design.texts : [...design.texts, noTexts(LANGUAGE)];
  return {
    ...design,
    ...{ backgroundColor, foregroundColor, labelColor },
    strip: patternOf(trade),
    stamps: { shape, filled: null, empty: null },
    texts: texts.map((each) => (each.language === LANGUAGE && hasStamps ? { ...each, ...said } : each)),
    reward: hasStamps ? reward : design.reward,
  };
}
