import { Fragment } from "preact";
import { type FittedLines, LEADING } from "./fitted-lines.js";

interface SheetTextProps {
  readonly text: FittedLines;
  /** The x coordinate on which the lines are centered. `top` is the upper edge of the first line. */
  readonly x: number;
  readonly top: number;
  readonly fill: string;
  readonly isStrong?: boolean;
}

/** Draws lines of text on a sheet, each centered on `x`. */
export function SheetText({ text: { lines, size }, x, top, fill, isStrong = false }: SheetTextProps) {
  return (
    <text
      class="sheet-text"
      text-anchor="middle"
      font-size={size}
      fill={fill}
      font-weight={isStrong ? 800 : 400}
    >
      {lines.map((line, index) => (
        <Fragment key={index}>
          {/* A space of size 0 between lines, for copied text and screen readers. */}
          {index > 0 && <tspan font-size="0"> </tspan>}
          <tspan x={x} y={top + size * (0.95 + index * LEADING)}>
            {line}
          </tspan>
        </Fragment>
      ))}
    </text>
  );
}

/** A rendered picture's URL, size, and alt text. */
export interface CardImage {
  readonly url: string;
  readonly width: number;
  readonly height: number;
  readonly altText: string;
}

interface CardOnSheetProps {
  readonly card: CardImage;
  /** The rectangle that the card must fit into. The card is centered in it and drawn as large as possible. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Width of the white border around the card. */
  readonly edge: number;
}

/** The card's corner radius, in the card's own units. */
const CORNER = 16;

/** Draws the card with a white border so that it stands out even against a background of the same color. */
export function CardOnSheet({ card, edge, ...area }: CardOnSheetProps) {
  const scale = Math.min((area.width - 2 * edge) / card.width, (area.height - 2 * edge) / card.height);
  const [width, height] = [card.width * scale, card.height * scale];
  const outerSize = { width: width + 2 * edge, height: height + 2 * edge };
  const x = area.x + (area.width - outerSize.width) / 2;
  const y = area.y + (area.height - outerSize.height) / 2;
  return (
    <svg {...outerSize} x={x} y={y} role="img" aria-label={card.altText}>
      <rect {...outerSize} rx={CORNER * scale + edge} fill="#fff" />
      <image x={edge} y={edge} width={width} height={height} href={card.url} />
    </svg>
  );
}
