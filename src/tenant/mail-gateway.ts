import { PendingMailCount } from "./pending-mail-count.js";
import { WorkSignal } from "./work-signal.js";

/** A link to sign in, with whose it is and what they are called. */
export interface SignInLink {
  readonly organizationId: string;
  /** `null` if the organization has no name that may stand in a mail. */
  readonly shop: string | null;
  readonly path: string;
}

/** A mail to a person about signing in, with a link for each of their shops. */
export interface SignInMail {
  readonly kind: "invitation" | "sign_in" | "passkey_added";
  readonly to: string;
  /** A BCP 47 tag; `null` if nothing is known. */
  readonly language: string | null;
  readonly links: readonly SignInLink[];
}

/** Identifies what sends the mails of a service. */
export interface MailSender {
  /** The host in the ids of mails. */
  readonly host: string;
  /** Sending rate of this process. Default: 10 mails a second. */
  readonly perSecond?: number;
  /**
   * Sends a sign-in mail immediately; nothing of it is stored. Returns false if too many wait. Without it no sign-in mails are
   * sent.
   */
  readonly sendSignIn?: (mail: SignInMail) => boolean;
  /** Returns whether one more of an organization could be sent now. Default: always. */
  readonly canQueueSignIn?: (organizationId: string) => boolean;
}

const PER_SECOND = 10;

/** Knows whether mails can be sent, and tells senders in this process that some are to be. */
export class MailGateway extends WorkSignal {
  readonly room = new PendingMailCount();
  private sender: MailSender | null = null;

  get isOn(): boolean {
    return this.sender !== null;
  }

  /** True when mails can be sent by which people sign in. */
  get hasSignIns(): boolean {
    return this.sender?.sendSignIn !== undefined;
  }

  /** Returns whether one more of them could be sent now for an organization. */
  canQueueSignIn(organizationId: string): boolean {
    return this.sender?.canQueueSignIn?.(organizationId) ?? true;
  }

  /** The sending rate that this process knows of, in mails a second. */
  get perSecond(): number {
    return this.sender?.perSecond ?? PER_SECOND;
  }

  /** Sends a sign-in mail. @returns false if too many wait, or no transport is set up. */
  sendSignIn(mail: SignInMail): boolean {
    return this.sender?.sendSignIn?.(mail) ?? false;
  }

  /** @throws {TypeError} if there is a sender already: a service has one. */
  attach(sender: MailSender): void {
    if (this.sender !== null) throw new TypeError("mail is already set up for this service");
    this.sender = sender;
  }

  detach(): void {
    this.sender = null;
  }
}
