import { MailRoom } from "./mail-room.js";

/** Identifies what sends the mails of a service. */
export interface MailSender {
  /** The host in the ids of mails. */
  readonly host: string;
}

/** Knows whether mails can be sent, and tells senders in this process that some are to be. */
export class MailLinking {
  readonly room = new MailRoom();
  private sender: MailSender | null = null;
  private readonly listeners = new Set<(organizationId: string) => void>();

  get isOn(): boolean {
    return this.sender !== null;
  }

  /** @throws {TypeError} when there is a sender already: a service has one. */
  linkBy(sender: MailSender): void {
    if (this.sender !== null) throw new TypeError("the service has mail already");
    this.sender = sender;
  }

  unlink(): void {
    this.sender = null;
  }

  /** Listens for commits that queued mails. It must not throw. @returns a function that ends it. */
  onGrowth(listener: (organizationId: string) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Tells listeners of a commit that queued mails. */
  tellGrowth(organizationId: string): void {
    for (const listener of this.listeners) listener(organizationId);
  }
}
