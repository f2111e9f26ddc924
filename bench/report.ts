/** A line of a bench's table: two sides of the same work, their ratio, and the least ratio that the project promises. */
export interface Row {
  readonly what: string;
  readonly ours: string;
  readonly peer: string;
  readonly peerName: string;
  readonly ratio: number;
  readonly goal: string;
}

export function print(title: string, rows: readonly Row[]): void {
  console.log(`\n${title}`);
  console.table(
    Object.fromEntries(
      rows.map(({ what, ours, peer, peerName, ratio, goal }) => [
        what,
        { "loyalty-kit": ours, peer, "which peer": peerName, ratio: ratio.toFixed(2), goal },
      ]),
    ),
  );
}

export function inMs(ms: number): string {
  return ms < 1 ? `${(ms * 1_000).toFixed(1)} µs` : `${ms.toFixed(2)} ms`;
}
