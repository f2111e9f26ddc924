/** How many are kept. */
const MAX_NONCES = 10_000;

/** The nonces of messages, each until its message has expired. */
export class SeenNonces {
  private readonly seen = new Map<string, number>();

  /** Notes a nonce. False when it was noted before. */
  add(nonce: string, expiresAt: number, now: number): boolean {
    if ((this.seen.get(nonce) ?? 0) > now) return false;
    this.seen.delete(nonce);
    this.seen.set(nonce, expiresAt);
    for (const [oldest, end] of this.seen) {
      if (end > now && this.seen.size <= MAX_NONCES) break;
      this.seen.delete(oldest);
    }
    return true;
  }

  /** Its message could not be heeded: it may come again. */
  forget(nonce: string): void {
    this.seen.delete(nonce);
  }
}
