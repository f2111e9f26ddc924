import { WorkSignal } from "./events/event-emitter.js";

/** A link that signs a person in to one organization. */
export interface SignInLink {
  readonly organizationId: string;
  /** The shop's name, or `null` if the organization has no name that is safe to show in an email. */
  readonly shop: string | null;
  readonly path: string;
}

/** A sign-in email to a person, with a link for each shop where they are a staff member. */
export interface SignInMail {
  readonly kind: "invitation" | "sign_in" | "passkey_added";
  readonly to: string;
  /** The person's language, as a BCP 47 tag, or `null` if unknown. */
  readonly language: string | null;
  readonly links: readonly SignInLink[];
}

/** Sends emails for a service. `createMail` attaches a sender to the service. */
export interface MailSender {
  /** The host name used in the emails' `Message-ID` headers. */
  readonly host: string;
  /** Maximum number of emails that this process sends per second. Default: 10. */
  readonly perSecond?: number;
  /**
   * Queues a sign-in email to be sent right away, without storing it. Returns `false` if the queue is full. A sender without this
   * method sends no sign-in emails.
   */
  readonly sendSignIn?: (mail: SignInMail) => boolean;
  /**
   * Returns whether another sign-in email for an organization could be queued now. A sender without this method can always queue
   * one.
   */
  readonly canQueueSignIn?: (organizationId: string) => boolean;
}

const DEFAULT_PER_SECOND = 10;

/**
 * Connects a service to its email sender. Reports whether emails can be sent, and notifies the sender in this process when emails
 * are due.
 */
export class MailGateway extends WorkSignal {
  readonly room = new PendingMailCount();
  private sender: MailSender | null = null;

  get isOn(): boolean {
    return this.sender !== null;
  }

  /** Whether the service has an email sender that can send sign-in emails. */
  get hasSignIns(): boolean {
    return this.sender?.sendSignIn !== undefined;
  }

  /**
   * Returns whether another sign-in email for an organization could be queued now. Returns `true` if there is no sender, or if the
   * sender has no limit.
   */
  canQueueSignIn(organizationId: string): boolean {
    return this.sender?.canQueueSignIn?.(organizationId) ?? true;
  }

  /**
   * Maximum number of emails that this process sends per second, or the default if the sender doesn't specify one or there is no
   * sender.
   */
  get perSecond(): number {
    return this.sender?.perSecond ?? DEFAULT_PER_SECOND;
  }

  /**
   * Queues a sign-in email to be sent right away.
   * @returns `false` if the queue is full, or if there is no sender that can send sign-in emails.
   */
  sendSignIn(mail: SignInMail): boolean {
    return this.sender?.sendSignIn?.(mail) ?? false;
  }

  /**
   * Sets the service's email sender.
   * @throws {TypeError} if the service already has a sender.
   */
  attach(sender: MailSender): void {
    if (this.sender !== null) throw new TypeError("mail is already set up for this service");
    this.sender = sender;
  }

  detach(): void {
    this.sender = null;
  }
}

/** How long a count stays valid, in milliseconds. Counting a large number of pending emails costs more than queuing one. */
const CACHE_TTL_MS = 1_000;

/** Maximum number of organizations whose counts are cached. */
const MAX_CACHED_ORGANIZATIONS = 1_000;

interface PendingCount {
  readonly at: number;
  /** The counted number, minus emails that have finished in this process since. */
  pending: number;
  /** Emails for which capacity has been reserved since the count. */
  reserved: number;
}

/** Caches each organization's number of pending emails for a second, to avoid counting them for each new email. */
class PendingMailCount {
  private readonly counts = new Map<string, PendingCount>();

  /**
   * Reserves capacity for new emails.
   * @returns `true` if the capacity was reserved, `false` if it would exceed the limit, or `null` if the pending emails must be
   *   counted first.
   */
  reserve(organizationId: string, mails: number, limit: number, now: number): boolean | null {
    const count = this.counts.get(organizationId);
    if (count === undefined || now < count.at || now - count.at >= CACHE_TTL_MS) return null;
    const { pending, reserved } = count;
    if (pending + mails > limit) return false;
    // Some of the reserved emails may never have been queued.
    if (pending + reserved + mails > limit) return null;
    count.reserved += mails;
    return true;
  }

  /** Caches an organization's number of pending emails, which the caller has just counted. */
  count(organizationId: string, pending: number, now: number): void {
    this.counts.delete(organizationId);
    this.counts.set(organizationId, { at: now, pending, reserved: 0 });
    const [oldest] = this.counts.keys();
    if (this.counts.size > MAX_CACHED_ORGANIZATIONS && oldest !== undefined) this.counts.delete(oldest);
  }

  /** Subtracts finished emails from the cached count. */
  release(organizationId: string, mails: number): void {
    const count = this.counts.get(organizationId);
    if (count !== undefined) count.pending = Math.max(0, count.pending - mails);
  }
}
