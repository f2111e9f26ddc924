/** The texts of mails in one language; the pages have their own. */
export interface MailTexts {
  /** `{card}` stands for the card's name. */
  readonly subject: string;
  /** `{name}` stands for whom the mail is to. */
  readonly greeting: string;
  readonly namelessGreeting: string;
  /** The beginning of a mail to a customer who gets a card. */
  readonly yourCard: string;
  /** The beginning of a mail to a customer who has a card, when one was requested for their address again. */
  readonly askedAgain: string;
  readonly open: string;
  /** It says why the mail came, and what to do when it is not wanted. */
  readonly why: string;
  /** The button of a message that leads elsewhere than to the card. */
  readonly followLink: string;
  /** It says why a message came. */
  readonly whyNews: string;
  readonly whyTest: string;
  /** `{shop}` stands for the shop that invites a person to its staff. */
  readonly invitationSubject: string;
  readonly invitation: string;
  readonly signInSubject: string;
  /** The beginning of a mail with a requested sign-in link. */
  readonly signInAsked: string;
  /** The button, and the text before a shop's name where there are several. */
  readonly signIn: string;
  /** It says how long the link is good, `{time}`, and what to do when the mail is not wanted. */
  readonly linkOnce: string;
  readonly threeDays: string;
  readonly fifteenMinutes: string;
  /** `{shop}` is the shop at which the person has a new passkey. */
  readonly passkeySubject: string;
  readonly passkeyAdded: string;
  /** Says what to do if someone else added the passkey. */
  readonly passkeyUnknown: string;
}
