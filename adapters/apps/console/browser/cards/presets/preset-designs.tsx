import { useMemo } from "preact/hooks";
import type { Template } from "../../../../../../src/cards/schema.js";
import { mixColors } from "../../../../../delivery/wallets/stamp-drawing/colors.js";
import { Button } from "../../components/button.js";
import { CardPicture } from "../../components/card-picture.js";
import { Dialog } from "../../components/dialog.js";
import type { PresetLanguage } from "../../components/first-language.js";
import { readyDesigns as words } from "../../words/en/ready-designs.js";
import { createEmptyTexts, type DesignDraft } from "../design-draft.js";
import { motifs } from "./motifs.js";
import { tradeTexts } from "./trade-texts.js";
import { type Trade, type TradeLook, tradeKeys, trades } from "./trades.js";

/** Size in pixels of the picture behind the stamps, on phones with a pixel ratio of 3. */
const WIDTH = 1_125;

const HEIGHT = 432;

const STEP = 136;

interface PresetDesignsProps {
  readonly template: Template;
  readonly design: DesignDraft;
  /** The language in which a preset's texts are applied. */
  readonly language: PresetLanguage;
  readonly onChoose: (design: DesignDraft, trade: Trade) => void;
  readonly onClose: () => void;
}

/** A dialog with a preset design for each kind of shop, such as a bakery. Each preset shows a preview of the card. */
export function PresetDesigns({ template, design, language, onChoose, onClose }: PresetDesignsProps) {
  const { name, maxStamps } = template;
  const presets = useMemo(
    () =>
      tradeKeys.map((trade) => ({
        trade,
        presetDesign: applyTrade(design, trade, { hasStamps: maxStamps !== null, language }),
      })),
    [design, maxStamps, language],
  );
  return (
    <Dialog title={words.title} isWide onClose={onClose}>
      <p class="hint">{words.hint}</p>
      <ul class="ready-designs">
        {presets.map(({ trade, presetDesign }) => (
          <li key={trade}>
            <button type="button" onClick={() => onChoose(presetDesign, trade)}>
              <CardPicture
                card={{ name, reward: presetDesign.reward, design: presetDesign }}
                maxStamps={maxStamps}
                stamps={Math.ceil((maxStamps ?? 0) / 2)}
              />
              <strong>{words.trades[trade]}</strong>
            </button>
          </li>
        ))}
      </ul>
      <div class="actions">
        <Button text={words.cancel} onClick={onClose} />
      </div>
    </Dialog>
  );
}

interface TradeDesignOptions {
  readonly hasStamps: boolean;
  /** The language in which the trade's texts are applied. */
  readonly language: PresetLanguage;
}

/**
 * Applies the colors, background picture, stamp shape, and texts of a trade's preset design. Keeps the design's logo, title,
 * locations, and texts in other languages.
 */
function applyTrade(
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
 * Draws a picture filled with a trade's motif in shades of the trade's colors.
 * @returns the picture as a `data:` URL, or `null` if the browser can't draw on a canvas.
 */
function drawPattern({ motif, backgroundColor, foregroundColor }: TradeLook): string | null {
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
