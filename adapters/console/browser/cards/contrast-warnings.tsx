import { contrast } from "../../../wallets/stamp-drawing/shades.js";
import { Button } from "../parts/button.js";
import type { EditedDesign } from "./edited-design.js";

/** What WCAG 2.2 asks for between text and what is behind it, level AA. */
const LEAST = 4.5;

const inks = [
  ["foregroundColor", "Text and stamps"],
  ["labelColor", "Labels"],
] as const;

interface ContrastWarningsProps {
  readonly design: EditedDesign;
  readonly onChange: (field: (typeof inks)[number][0], color: string) => void;
}

/** Warns of text that is hard to read on its background, and offers a color that is not. */
export function ContrastWarnings({ design, onChange }: ContrastWarningsProps) {
  const ground = design.backgroundColor;
  const [color, name] =
    contrast(ground, "#FFFFFF") >= contrast(ground, "#000000") ? ["#FFFFFF", "white"] : ["#000000", "black"];
  const weak = inks.filter(([field]) => contrast(ground, design[field]) < LEAST);
  return (
    <div class="stack tight" role="status">
      {weak.map(([field, label]) => (
        <p key={field} class="note warn">
          <span class="grow">
            {label} {field === "labelColor" ? "are" : "are both"} hard to read on this background: their
            contrast is {ratioText(contrast(ground, design[field]))}, and it should be {LEAST} : 1 or more.
          </span>
          <Button text={`Make ${label.toLowerCase()} ${name}`} onClick={() => onChange(field, color)} />
        </p>
      ))}
    </div>
  );
}

/** Never rounded up to what would be enough. */
function ratioText(ratio: number): string {
  return `${(Math.floor(ratio * 10) / 10).toFixed(1)} : 1`;
}
