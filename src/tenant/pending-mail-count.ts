/** How long a count stays valid, in milliseconds. Counting a large number of pending emails costs more than queuing one. */
const COUNT_MS = 1_000;

/** Maximum number of organizations whose counts are cached. */
const MOST_ORGANIZATIONS = 1_000;

interface Counted {
  readonly at: number;
  /** The counted number, minus emails that have finished in this process since. */
  pending: number;
  /** Emails for which capacity has been reserved since the count. */
  added: number;
}

/** Caches each organization's number of pending emails for a second, to avoid counting them for each new email. */
export class PendingMailCount {
  private readonly known = new Map<string, Counted>();

  /**
   * Reserves capacity for new emails.
   * @returns `true` if the capacity was reserved, `false` if it would exceed the limit, or `null` if the pending emails must be
   *   counted first.
   */
  reserve(organizationId: string, mails: number, limit: number, now: number): boolean | null {
    const counted = this.known.get(organizationId);
    if (counted === undefined || now < counted.at || now - counted.at >= COUNT_MS) return null;
    const { pending, added } = counted;
    if (pending + mails > limit) return false;
    // Some of the reserved emails may never have been queued.
    if (pending + added + mails > limit) return null;
    counted.added += mails;
    return true;
  }

  /** Caches an organization's number of pending emails, which the caller has just counted. */
  count(organizationId: string, pending: number, now: number): void {
    this.known.delete(organizationId);
    this.known.set(organizationId, { at: now, pending, added: 0 });
    const [oldest] = this.known.keys();
    if (this.known.size > MOST_ORGANIZATIONS && oldest !== undefined) this.known.delete(oldest);
  }

  /** Subtracts finished emails from the cached count. */
  release(organizationId: string, mails: number): void {
    const counted = this.known.get(organizationId);
    if (counted !== undefined) counted.pending = Math.max(0, counted.pending - mails);
  }
}
