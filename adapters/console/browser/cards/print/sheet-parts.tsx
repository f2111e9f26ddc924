import { Fragment } from "preact";
import { type FittedLines, LEADING } from "./fitted-lines.js";

interface SheetTextProps {
  readonly text: FittedLines;
  /** The middle of the lines, and the top of the first. */
  readonly x: number;
  readonly top: number;
  readonly fill: string;
  readonly isStrong?: boolean;
}

/** A text on a sheet, its lines centered. */
export function SheetText({ text: { lines, size }, x, top, fill, isStrong = false }: SheetTextProps) {
  return (
    <text
      class="sheet-text"
      text-anchor="middle"
      font-size={size}
      fill={fill}
      font-weight={isStrong ? 800 : 400}
    >
      {lines.map((line, at) => (
        <Fragment key={at}>
          {/* A space for who copies the text or has it read out; it takes no room. */}
          {at > 0 && <tspan font-size="0"> </tspan>}
          <tspan x={x} y={top + size * (0.95 + at * LEADING)}>
            {line}
          </tspan>
        </Fragment>
      ))}
    </text>
  );
}

/** A drawn picture, and its size. */
export interface DrawnImage {
  readonly url: string;
  readonly width: number;
  readonly height: number;
  readonly said: string;
}

interface DrawnCardProps {
  readonly card: DrawnImage;
  /** The rectangle that it fills, centered. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** How wide the white edge around it is. */
  readonly edge: number;
}

/** The corners of the drawn card, in its own points. */
const CORNER = 16;

/** The drawn card with a white edge, by which it stands out from a ground of its own color. */
export function DrawnCard({ card, edge, ...room }: DrawnCardProps) {
  const scale = Math.min((room.width - 2 * edge) / card.width, (room.height - 2 * edge) / card.height);
  const [width, height] = [card.width * scale, card.height * scale];
  const around = { width: width + 2 * edge, height: height + 2 * edge };
  const x = room.x + (room.width - around.width) / 2;
  const y = room.y + (room.height - around.height) / 2;
  return (
    <svg {...around} x={x} y={y} role="img" aria-label={card.said}>
      <rect {...around} rx={CORNER * scale + edge} fill="#fff" />
      <image x={edge} y={edge} width={width} height={height} href={card.url} />
    </svg>
  );
}
