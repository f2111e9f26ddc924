/** How long a count stays valid, in milliseconds, because counting very many pending mails costs more than queuing one. */
const COUNT_MS = 1_000;

/** The counts of this many organizations are remembered. */
const MOST_ORGANIZATIONS = 1_000;

interface Counted {
  readonly at: number;
  /** The number as it was counted, without mails that have ended in this process since. */
  pending: number;
  /** Mails for which there was room since. */
  added: number;
}

/** Remembers for a second how many mails of each organization are pending, so that not each new one has them counted. */
export class PendingMailCount {
  private readonly known = new Map<string, Counted>();

  /** Takes room for mails, below a limit. @returns false if there is none, and `null` if they are to be counted. */
  reserve(organizationId: string, mails: number, limit: number, now: number): boolean | null {
    const counted = this.known.get(organizationId);
    if (counted === undefined || now < counted.at || now - counted.at >= COUNT_MS) return null;
    const { pending, added } = counted;
    if (pending + mails > limit) return false;
    // Some of those may have failed to be queued.
    if (pending + added + mails > limit) return null;
    counted.added += mails;
    return true;
  }

  /** Notes how many are pending. */
  count(organizationId: string, pending: number, now: number): void {
    this.known.delete(organizationId);
    this.known.set(organizationId, { at: now, pending, added: 0 });
    const [oldest] = this.known.keys();
    if (this.known.size > MOST_ORGANIZATIONS && oldest !== undefined) this.known.delete(oldest);
  }

  /** Notes that mails have ended. */
  release(organizationId: string, mails: number): void {
    const counted = this.known.get(organizationId);
    if (counted !== undefined) counted.pending = Math.max(0, counted.pending - mails);
  }
}
