import { contrast } from "../../../../delivery/wallets/stamp-drawing/colors.js";
import { Button } from "../components/button.js";
import { contrastOf, makeReadable } from "../words/en/card-design.js";
import { locale, numberText } from "../words/en/forms.js";
import type { DesignDraft } from "./design-draft.js";

/** Minimum contrast ratio between text and background for WCAG 2.2, level AA. */
const LEAST = 4.5;

const inks = ["foregroundColor", "labelColor"] as const;

interface ContrastWarningsProps {
  readonly design: DesignDraft;
  readonly onChange: (field: (typeof inks)[number], color: string) => void;
}

/** Warns about text colors that are hard to read on the card's background, and offers readable alternatives. */
export function ContrastWarnings({ design, onChange }: ContrastWarningsProps) {
  const ground = design.backgroundColor;
  const isDark = contrast(ground, "#FFFFFF") >= contrast(ground, "#000000");
  const [color, name] = isDark ? (["#FFFFFF", "white"] as const) : (["#000000", "black"] as const);
  const weak = inks.filter((field) => contrast(ground, design[field]) < LEAST);
  return (
    <div class="stack tight" role="status">
      {weak.map((field) => (
        <p key={field} class="note warn">
          <span class="grow">
            {contrastOf[field](ratioText(contrast(ground, design[field])), `${numberText(LEAST)} : 1`)}
          </span>
          <Button text={makeReadable[field][name]} onClick={() => onChange(field, color)} />
        </p>
      ))}
    </div>
  );
}

const tenths = new Intl.NumberFormat(locale, { minimumFractionDigits: 1 });

/** Formats a contrast ratio, rounded down so that it never appears to be sufficient when it isn't. */
function ratioText(ratio: number): string {
  return `${tenths.format(Math.floor(ratio * 10) / 10)} : 1`;
}
