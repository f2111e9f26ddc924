import { cardPicture as words } from "../words/en/card-picture.js";

interface StampCardProps {
  readonly name: string;
  /** The number of stamps that fill the card, or `null` if the card has no stamps. */
  readonly maxStamps: number | null;
  readonly stamps: number;
}

/** Returns how many stamps to show per row on a card with the given maximum number of stamps. */
export function countColumns(maxStamps: number): number {
  if (maxStamps <= 6) return maxStamps;
  return maxStamps <= 12 ? Math.ceil(maxStamps / 2) : 10;
}

/** Shows a card's stamps in a large format, for the till. */
export function StampCard({ name, maxStamps, stamps }: StampCardProps) {
  return (
    <div class="stamp-card">
      <div class="card-head">
        <span>{name}</span>
        {maxStamps !== null && (
          <span class="number">
            {stamps} / {maxStamps}
          </span>
        )}
      </div>
      {maxStamps !== null && (
        <div
          class="stamps"
          role="img"
          aria-label={words.progress(stamps, maxStamps)}
          style={{ "--columns": countColumns(maxStamps) }}
        >
          {Array.from({ length: maxStamps }, (_, at) => (
            <span key={at} class={`stamp ${at < stamps ? "filled" : ""}`} />
          ))}
        </div>
      )}
    </div>
  );
}
