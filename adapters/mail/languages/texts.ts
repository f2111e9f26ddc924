/** The texts of mails in one language, beside those of the pages. */
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
  /** The button of a message that leads elsewhere than to the card. */
  readonly followLink: string;
  /** It says why a message came. */
  readonly whyNews: string;
  readonly whyTest: string;
}
