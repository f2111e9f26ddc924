import { useMemo } from "preact/hooks";
import type { Template } from "../../../../../../src/cards/schema.js";
import { Button } from "../../components/button.js";
import { CardPicture } from "../../components/card-picture.js";
import { Dialog } from "../../components/dialog.js";
import type { PresetLanguage } from "../../components/first-language.js";
import { readyDesigns as words } from "../../words/en/ready-designs.js";
import type { DesignDraft } from "../design-draft.js";
import { applyTrade } from "./apply-trade.js";
import { type Trade, tradeKeys } from "./trades.js";

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
