/** The text of emails in one language. */
export interface MailTexts {
  /** `{card}` is replaced with the card's name. */
  readonly subject: string;
  /** `{name}` is replaced with the recipient's name. */
  readonly greeting: string;
  readonly namelessGreeting: string;
  /** Introduces a customer's new card. */
  readonly yourCard: string;
  /** Introduces a card that the customer already has, after someone used their address to sign up again. */
  readonly askedAgain: string;
  readonly open: string;
  /** Explains why the recipient is receiving the email, and what to do if they don't want it. */
  readonly why: string;
  /** The label of a message's button, if the button leads somewhere other than the card. */
  readonly followLink: string;
  /** Explains why the recipient is receiving a message. */
  readonly whyNews: string;
  readonly whyTest: string;
  /** `{shop}` is replaced with the name of the shop that is inviting a staff member. */
  readonly invitationSubject: string;
  readonly invitation: string;
  readonly signInSubject: string;
  /** Introduces the sign-in link that the staff member requested. */
  readonly signInAsked: string;
  /** The label of the sign-in button, which is followed by the shop's name. */
  readonly signIn: string;
  /**
   * Explains how long the link is valid, and what to do if the recipient didn't request the email. `{time}` is replaced with the
   * duration.
   */
  readonly linkOnce: string;
  readonly threeDays: string;
  readonly fifteenMinutes: string;
  /** `{shop}` is replaced with the name of the shop where the passkey was added to the staff member's account. */
  readonly passkeySubject: string;
  readonly passkeyAdded: string;
  /** Explains what to do if the staff member didn't add the passkey. */
  readonly passkeyUnknown: string;
}
