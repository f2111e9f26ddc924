import { PendingMailCount } from "./pending-mail-count.js";
import { WorkSignal } from "./work-signal.js";

/** A link that signs a person in to one organization. */
export interface SignInLink {
  readonly organizationId: string;
  /** The shop's name, or `null` if the organization has no name that may appear in an email. */
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

/** The component that sends a service's emails. */
export interface MailSender {
  /** The host name to use in message IDs. */
  readonly host: string;
  /** Sending rate of this process, in emails per second. Default: 10. */
  readonly perSecond?: number;
  /**
   * Sends a sign-in email immediately, without storing it. Returns `false` if the queue is full. A sender without this method sends
   * no sign-in emails.
   */
  readonly sendSignIn?: (mail: SignInMail) => boolean;
  /**
   * Returns whether another sign-in email for an organization could be queued now. A sender without this method can always queue
   * one.
   */
  readonly canQueueSignIn?: (organizationId: string) => boolean;
}

const PER_SECOND = 10;

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

  /** Whether sign-in emails can be sent. */
  get hasSignIns(): boolean {
    return this.sender?.sendSignIn !== undefined;
  }

  /** Returns whether another sign-in email for an organization could be queued now. */
  canQueueSignIn(organizationId: string): boolean {
    return this.sender?.canQueueSignIn?.(organizationId) ?? true;
  }

  /** The sending rate of this process in emails per second, or the default rate if there is no sender. */
  get perSecond(): number {
    return this.sender?.perSecond ?? PER_SECOND;
  }

  /**
   * Sends a sign-in email.
   * @returns `false` if the queue is full, or if no sender of sign-in emails is set up.
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
