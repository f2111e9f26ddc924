interface StampCardProps {
  readonly name: string;
  /** `null` for a card without stamps. */
  readonly maxStamps: number | null;
  readonly stamps: number;
  readonly rewards?: number;
  /** What a full card earns, in words; `null` where that is not said. */
  readonly reward?: string | null;
}

/** How many stamps stand in a row. */
export function columnsOf(maxStamps: number): number {
  if (maxStamps <= 6) return maxStamps;
  return maxStamps <= 12 ? Math.ceil(maxStamps / 2) : 10;
}

/** A card as its owner sees it. */
export function StampCard({ name, maxStamps, stamps, rewards = 0, reward = null }: StampCardProps) {
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
          aria-label={`${stamps} of ${maxStamps} stamps`}
          style={{ "--columns": columnsOf(maxStamps) }}
        >
          {Array.from({ length: maxStamps }, (_, at) => (
            <span key={at} class={`stamp ${at < stamps ? "filled" : ""}`} />
          ))}
        </div>
      )}
      {rewards > 0 && (
        <span class="reward">
          {rewards === 1 ? "1 reward" : `${rewards} rewards`} to redeem
          {reward !== null && <bdi>: {reward}</bdi>}
        </span>
      )}
    </div>
  );
}
