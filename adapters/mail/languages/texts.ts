/** The texts of mails about a card in one language, beside those of its page. */
export interface MailTexts {
  /** `{card}` stands for the card's name. */
  readonly subject: string;
  /** `{name}` stands for whom the mail is to. */
  readonly greeting: string;
  readonly namelessGreeting: string;
  /** The beginning of a mail to somebody who gets a card. */
  readonly yourCard: string;
  /** The beginning of a mail to somebody who has a card, and for whose address one was asked for again. */
  readonly askedAgain: string;
  readonly open: string;
  /** It says why the mail came, and what to do when it is not wanted. */
  readonly why: string;
}
