import type { OutgoingMail, SendReply } from "../../mail/outgoing-mail.js";

/** The mailbox keeps this many mails, of this many characters together, and lets the oldest go. */
const MOST_MAILS = 200;
const MOST_CHARACTERS = 4_000_000;

/** The mails of a demo, which sends none: they stay in the memory of this process until it ends. */
export class DemoMailbox {
  /** Oldest first. */
  private mails: readonly OutgoingMail[] = [];

  /** Takes a mail in place of a mail server. One that comes again takes the place of the first. */
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

  /** The mails to one address, or to all, newest first. */
  list(address: string | null): readonly OutgoingMail[] {
    return this.mails.filter(({ to }) => address === null || to === address).reverse();
  }

  /** The mail with this id; `null` if there is none, or it was dropped. */
  find(id: string): OutgoingMail | null {
    return this.mails.find((mail) => mail.id === id) ?? null;
  }
}

function countCharacters({ subject, text, html, to }: OutgoingMail): number {
  return subject.length + text.length + html.length + to.length;
}
