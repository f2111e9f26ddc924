import type { OutgoingMail, SendReply } from "../../../delivery/mail/outgoing-mail.js";

/** Maximum number of emails in the mailbox, and of characters in all of them together. The oldest emails are dropped first. */
const MOST_MAILS = 200;
const MOST_CHARACTERS = 4_000_000;

/** An in-memory mailbox that stores a demo's emails instead of sending them. The emails are lost when the process ends. */
export class DemoMailbox {
  /** Emails, oldest first. */
  private mails: readonly OutgoingMail[] = [];

  /**
   * Stores an email and replies like a mail server. Replaces an earlier email with the same ID, and drops the oldest emails if the
   * mailbox is full.
   */
  readonly send = async (mail: OutgoingMail): Promise<SendReply> => {
    const mails = [...this.mails.filter(({ id }) => id !== mail.id), mail].slice(-MOST_MAILS);
    let characters = 0;
    const first = mails.findLastIndex((each) => {
      characters += countCharacters(each);
      return characters > MOST_CHARACTERS;
    });
    this.mails = mails.slice(first + 1);
    return { code: 250, answer: "stored in the demo mailbox" };
  };

  /** Returns the emails sent to the given address, or all emails if the address is `null`, newest first. */
  list(address: string | null): readonly OutgoingMail[] {
    return this.mails.filter(({ to }) => address === null || to === address).reverse();
  }

  /**
   * Returns the email with the given ID. Returns `null` if there is no such email or if it was dropped to make room for newer ones.
   */
  find(id: string): OutgoingMail | null {
    return this.mails.find((mail) => mail.id === id) ?? null;
  }
}

function countCharacters({ subject, text, html, to }: OutgoingMail): number {
  return subject.length + text.length + html.length + to.length;
}
