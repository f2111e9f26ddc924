import { PendingMailCount } from "./pending-mail-count.js";
import { WorkSignal } from "./work-signal.js";

/** A sign-in link for one organization. */
export interface SignInLink {
  readonly organizationId: string;
  /** The shop's name; `null` if the organization has no name that is allowed in an email. */
  readonly shop: string | null;
  readonly path: string;
}

/** A sign-in email to a person, with a link for each of their shops. */
export interface SignInMail {
  readonly kind: "invitation" | "sign_in" | "passkey_added";
  readonly to: string;
  /** A BCP 47 tag; `null` if unknown. */
  readonly language: string | null;
  readonly links: readonly SignInLink[];
}

/** The component that sends a service's emails. */
export interface MailSender {
  /** The host name used in message ids. */
  readonly host: string;
  /** Sending rate of this process, in emails per second. Default: 10. */
  readonly perSecond?: number;
  /**
   * Sends a sign-in email immediately, without storing it. Returns false if the queue is full. If missing, no sign-in emails are
   * sent.
   */
  readonly sendSignIn?: (mail: SignInMail) => boolean;
  /** Returns whether another sign-in email for an organization could be queued now. Default: always. */
  readonly canQueueSignIn?: (organizationId: string) => boolean;
}

const PER_SECOND = 10;

/** Reports whether emails can be sent, and signals to senders in this process that emails are due. */
export class MailGateway extends WorkSignal {
  readonly room = new PendingMailCount();
  private sender: MailSender | null = null;

  get isOn(): boolean {
    return this.sender !== null;
  }

  /** True if sign-in emails can be sent. */
  get hasSignIns(): boolean {
    return this.sender?.sendSignIn !== undefined;
  }

  /** Returns whether another sign-in email could be queued now for an organization. */
  canQueueSignIn(organizationId: string): boolean {
    return this.sender?.canQueueSignIn?.(organizationId) ?? true;
  }

  /** The known sending rate of this process, in emails per second. */
  get perSecond(): number {
    return this.sender?.perSecond ?? PER_SECOND;
  }

  /**
   * Sends a sign-in email.
   * @returns false if the queue is full, or no transport is set up.
   */
  sendSignIn(mail: SignInMail): boolean {
    return this.sender?.sendSignIn?.(mail) ?? false;
  }

  /** @throws {TypeError} if the service already has a sender. */
  attach(sender: MailSender): void {
    if (this.sender !== null) throw new TypeError("mail is already set up for this service");
    this.sender = sender;
  }

  detach(): void {
    this.sender = null;
  }
}
