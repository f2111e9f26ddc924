/** Text for emails in one language. Pages have their own text. */
export interface MailTexts {
  /** `{card}` stands for the card's name. */
  readonly subject: string;
  /** `{name}` stands for the recipient's name. */
  readonly greeting: string;
  readonly namelessGreeting: string;
  /** Introduces a new card to a customer. */
  readonly yourCard: string;
  /** Introduces a card that the customer already has, after their address was used in another sign-up. */
  readonly askedAgain: string;
  readonly open: string;
  /** Explains why the recipient gets the email, and what to do if it is unwanted. */
  readonly why: string;
  /** Label of a message's button that leads somewhere other than the card. */
  readonly followLink: string;
  /** Explains why the recipient gets a message. */
  readonly whyNews: string;
  readonly whyTest: string;
  /** `{shop}` stands for the shop that invites a staff member. */
  readonly invitationSubject: string;
  readonly invitation: string;
  readonly signInSubject: string;
  /** Introduces a sign-in link that was requested. */
  readonly signInAsked: string;
  /** Label of the sign-in button. If there are several shops, it precedes each shop's name. */
  readonly signIn: string;
  /** Explains how long the link is valid (`{time}`), and what to do if the email is unwanted. */
  readonly linkOnce: string;
  readonly threeDays: string;
  readonly fifteenMinutes: string;
  /** `{shop}` stands for the shop where the staff member has a new passkey. */
  readonly passkeySubject: string;
  readonly passkeyAdded: string;
  /** Explains what to do if someone else added the passkey. */
  readonly passkeyUnknown: string;
}
