import { useMemo } from "preact/hooks";
import type { Template } from "../../../../../src/resources/template.js";
import { Button } from "../../parts/button.js";
import { CardPicture } from "../../parts/card-picture.js";
import { Dialog } from "../../parts/dialog.js";
import type { EditedDesign } from "../edited-design.js";
import { tradeDesign } from "./trade-design.js";
import { trades } from "./trades.js";

interface ReadyDesignsProps {
  readonly template: Template;
  readonly design: EditedDesign;
  readonly onChoose: (design: EditedDesign, trade: string) => void;
  readonly onClose: () => void;
}

/** Designs of ten trades to begin with, each as this card would be in it. */
export function ReadyDesigns({ template, design, onChoose, onClose }: ReadyDesignsProps) {
  const { name, maxStamps } = template;
  const all = useMemo(
    () => trades.map((trade) => ({ trade, made: tradeDesign(design, trade, maxStamps !== null) })),
    [design, maxStamps],
  );
  return (
    <Dialog title="Begin with a ready-made design" isWide onClose={onClose}>
      <p class="hint">
        It sets colours, stamps, words and the picture behind them. Change what you like; nothing is saved
        yet.
      </p>
      <ul class="ready-designs">
        {all.map(({ trade, made }) => (
          <li key={trade.name}>
            <button type="button" onClick={() => onChoose(made, trade.name)}>
              <CardPicture
                card={{ name, reward: made.reward, design: made }}
                maxStamps={maxStamps}
                stamps={Math.ceil((maxStamps ?? 0) / 2)}
              />
              <strong>{trade.name}</strong>
            </button>
          </li>
        ))}
      </ul>
      <div class="actions">
        <Button text="Cancel" onClick={onClose} />
      </div>
    </Dialog>
  );
}
