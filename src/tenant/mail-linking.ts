import { Growth } from "./growth.js";
import { MailRoom } from "./mail-room.js";

/** Identifies what sends the mails of a service. */
export interface MailSender {
  /** The host in the ids of mails. */
  readonly host: string;
  /** It sends so many mails in a second at most; 10 unless given. */
  readonly perSecond?: number;
}

const PER_SECOND = 10;

/** Knows whether mails can be sent, and tells senders in this process that some are to be. */
export class MailLinking extends Growth {
  readonly room = new MailRoom();
  private sender: MailSender | null = null;

  get isOn(): boolean {
    return this.sender !== null;
  }

  /** So many mails are sent in a second at most, as far as this process knows. */
  get perSecond(): number {
    return this.sender?.perSecond ?? PER_SECOND;
  }

  /** @throws {TypeError} when there is a sender already: a service has one. */
  linkBy(sender: MailSender): void {
    if (this.sender !== null) throw new TypeError("the service has mail already");
    this.sender = sender;
  }

  unlink(): void {
    this.sender = null;
  }
}
