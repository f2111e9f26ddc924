/** A target of the project, and whether this run met it. A missed goal fails no run. */
export interface Goal {
  readonly text: string;
  readonly isMet: boolean;
}

/** A line of a bench's table: two sides of the same work, their ratio as the title explains it, and the goals. */
export interface Row {
  readonly label: string;
  readonly ours: string;
  readonly peer: string;
  readonly peerName: string;
  readonly ratio: number;
  /** Whether a smaller ratio is the better one. */
  readonly isLessBetter?: true;
  readonly goals: readonly Goal[];
}

export function atLeast(value: number, min: number): Goal {
  return { text: `≥ ${min < 1 ? min.toFixed(2) : min}`, isMet: value >= min };
}

export function atMost(value: number, max: number, unit = ""): Goal {
  return { text: `≤ ${max}${unit}`, isMet: value <= max };
}

/** The cells of a table by line and column. */
export interface Table {
  readonly title: string;
  readonly lines: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** What benchmarks have printed. */
export interface Output {
  readonly tables: Table[];
  /** The ratios of all rows, each under its title and row, inverted if less is better. */
  readonly ratios: Record<string, number>;
}

/** Everything that was printed in this process. */
export const output: Output = { tables: [], ratios: {} };

export function print(title: string, rows: readonly Row[]): void {
  const [table = title] = title.split(" (");
  for (const { label, ratio, isLessBetter } of rows) {
    const worth = isLessBetter === true ? 1 / ratio : ratio;
    if (Number.isFinite(worth)) output.ratios[`${table}: ${label}`] = worth;
  }
  printTable(
    title,
    Object.fromEntries(
      rows.map(({ label, ours, peer, peerName, ratio, goals }) => [
        label,
        {
          "loyalty-kit": ours,
          peer,
          "which peer": peerName,
          ratio: ratio.toFixed(2),
          goal: goals.map(formatGoal).join(", ") || "none",
        },
      ]),
    ),
  );
}

export function printTable(title: string, lines: Table["lines"]): void {
  output.tables.push({ title, lines });
  console.log(`\n${title}`);
  console.table(lines);
}

export function formatGoal({ text, isMet }: Goal): string {
  return `${text} ${isMet ? "met" : "MISSED"}`;
}

export function formatMs(ms: number): string {
  return ms < 1 ? `${(ms * 1_000).toFixed(1)} µs` : `${ms.toFixed(2)} ms`;
}

/** Formats a rate per second. */
export function formatRate(count: number, ms: number): string {
  return `${formatWhole((count * 1_000) / ms)}/s`;
}

export function formatWhole(value: number): string {
  return Math.round(value).toLocaleString("en");
}
