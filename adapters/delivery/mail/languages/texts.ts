/** UI text for emails in one language. */
export interface MailTexts {
  /** The subject of an email about a card. `{card}` is replaced with the card's name. */
  readonly subject: string;
  /** The greeting. `{name}` is replaced with the recipient's name. */
  readonly greeting: string;
  readonly namelessGreeting: string;
  /** The sentence that introduces a customer's new card. */
  readonly yourCard: string;
  /**
   * The sentence that introduces a card that the customer already has. Used when someone signs up again with the customer's
   * address.
   */
  readonly askedAgain: string;
  readonly open: string;
  /**
   * The sentence that tells a customer how to confirm the news they asked for when signing up. `{button}` is replaced with the label
   * of the button on the card page.
   */
  readonly confirmNews: string;
  /** The sentence that says why the recipient is receiving the email and what to do if they don't want it. */
  readonly why: string;
  /** The label for a message's button when the button doesn't open the card. */
  readonly followLink: string;
  /** The sentence that says why the recipient is receiving a message from the shop. */
  readonly whyNews: string;
  readonly whyTest: string;
  /** The subject of a staff invitation. `{shop}` is replaced with the inviting shop's name. */
  readonly invitationSubject: string;
  readonly invitation: string;
  readonly signInSubject: string;
  /** The sentence that introduces the sign-in link that a staff member requested. */
  readonly signInAsked: string;
  /** The label of the sign-in button, which is followed by the shop's name. */
  readonly signIn: string;
  /**
   * The text that says how long the sign-in link is valid, and what to do if the recipient didn't request the email. `{time}` is
   * replaced with the duration.
   */
  readonly linkOnce: string;
  readonly threeDays: string;
  readonly fifteenMinutes: string;
  /**
   * The subject of the email that tells a staff member that a passkey was added to their account. `{shop}` is replaced with the
   * shop's name.
   */
  readonly passkeySubject: string;
  readonly passkeyAdded: string;
  /** The sentence that says what to do if the staff member didn't add the passkey. */
  readonly passkeyUnknown: string;
}
