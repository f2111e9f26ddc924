/** How long a line that came is not written again, in milliseconds. */
const QUIET_MS = 5_000;

/** How many different lines are counted at a time; further ones are written each. */
const MOST = 100;

/** Writes a line once, and then how often it came: an outage is thousands of times the same. */
export class CountedLines {
  private readonly counts = new Map<string, number>();

  constructor(private readonly write: (line: string) => void) {}

  add(line: string): void {
    const count = this.counts.get(line);
    if (count !== undefined) {
      this.counts.set(line, count + 1);
      return;
    }
    this.write(line);
    if (this.counts.size >= MOST) return;
    this.counts.set(line, 0);
    setTimeout(() => this.tell(line), QUIET_MS).unref();
  }

  private tell(line: string): void {
    const count = this.counts.get(line) ?? 0;
    this.counts.delete(line);
    if (count > 0) this.write(`${line} (${count} more in ${QUIET_MS / 1_000} s)`);
  }
}
