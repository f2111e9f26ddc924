import type { Output } from "./output.js";

/** How many of one kind get a line each, and of how many kinds. */
const TOLD = 20;
const KINDS = 100;

/** Tells of things of which there may be very many: of the first of each kind, and then how many more there were. */
export class Repeated {
  private readonly times = new Map<string, number>();
  private others = 0;

  constructor(private readonly output: Output) {}

  /** @param kind what is counted together. @param line what is written of this one. */
  tell(kind: string, line: string): void {
    const before = this.times.get(kind) ?? 0;
    if (before === 0 && this.times.size === KINDS) {
      this.others += 1;
      return;
    }
    this.times.set(kind, before + 1);
    if (before < TOLD) this.output.note(line);
  }

  /** Writes how many more there were. @param things what they are called. */
  end(things: string): void {
    for (const [kind, count] of this.times) {
      if (count > TOLD) this.output.note(`${count - TOLD} more ${things}: ${kind}`);
    }
    if (this.others > 0) this.output.note(`${this.others} ${things} of other kinds`);
  }
}
