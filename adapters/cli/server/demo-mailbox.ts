import type { OutgoingMail, SendReply } from "../../mail/outgoing-mail.js";

/** Maximum number of emails in the mailbox, and of characters in all of them together. The oldest emails are dropped first. */
const MOST_MAILS = 200;
const MOST_CHARACTERS = 4_000_000;

/** Stores a demo's emails instead of sending them. They stay in memory until the process ends. */
export class DemoMailbox {
  /** Emails, oldest first. */
  private mails: readonly OutgoingMail[] = [];

  /** Accepts an email in place of a mail server. If the same email is sent again, it replaces the first copy. */
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

  /** Returns the emails to one address, or all emails if it is `null`, newest first. */
  list(address: string | null): readonly OutgoingMail[] {
    return this.mails.filter(({ to }) => address === null || to === address).reverse();
  }

  /** Returns the email with this id; `null` if there is none or it has been dropped. */
  find(id: string): OutgoingMail | null {
    return this.mails.find((mail) => mail.id === id) ?? null;
  }
}

function countCharacters({ subject, text, html, to }: OutgoingMail): number {
  return subject.length + text.length + html.length + to.length;
}
