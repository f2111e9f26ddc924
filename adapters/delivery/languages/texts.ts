/** The plural forms of a sentence. `{count}` is replaced with the count. */
export interface PluralText {
  readonly one: string;
  readonly other: string;
}

/** UI text for the pages in one language. */
export interface Texts {
  readonly direction: "ltr" | "rtl";
  /**
   * The text that shows the card's progress. `{stamps}` is replaced with the current stamp count, and `{most}` with the stamp count
   * of a full card.
   */
  readonly progress: string;
  readonly toGo: PluralText;
  readonly rewards: PluralText;
  /** The sentence that describes a full card's reward. `{reward}` is replaced with the reward in the shop's own words. */
  readonly earns: string;
  readonly showAtTill: string;
  readonly isMember: string;
  /** The QR code's description for screen readers. */
  readonly qrCode: string;
  readonly addTo: Readonly<Record<"apple" | "google", string>>;
  readonly notFound: string;
  readonly notFoundText: string;
  /** The sign-up page's heading. `{card}` is replaced with the card's name. */
  readonly join: string;
  /** The label of the field that takes an email address or a phone number. */
  readonly contact: string;
  /** The name of the part of the sign-up form that customers may skip. */
  readonly moreOptions: string;
  readonly name: string;
  /** The default consent text, shown above the button that signs the customer up. */
  readonly consent: string;
  /** The default consent text if the form has the checkbox for news and offers. */
  readonly consentWithNews: string;
  /** The default label for the news and offers checkbox. It is stored exactly as shown, as proof of consent. */
  readonly news: string;
  /** The label for the checkbox that lets the customer's phone remember the card. */
  readonly remember: string;
  readonly known: string;
  readonly openCard: string;
  readonly forgetCard: string;
  readonly orAnother: string;
  readonly submit: string;
  readonly contactMissing: string;
  readonly emailWrong: string;
  readonly phoneWrong: string;
  readonly nameWrong: string;
  readonly tooLong: string;
  readonly tooMany: string;
  readonly failed: string;
  readonly unsubscribe: string;
  readonly whichMessages: string;
  /** The question on the unsubscribe page that asks which messages to stop. `{sender}` is replaced with the shop's name. */
  readonly whichMessagesOf: string;
  /** Labels for the unsubscribe buttons. */
  readonly stop: Readonly<Record<"email" | "wallet" | "both" | "all", string>>;
  readonly unsubscribed: string;
  readonly stopped: Readonly<Record<"email" | "wallet" | "all", string>>;
  readonly cardStays: string;
  readonly badLink: string;
  readonly badLinkText: string;
  readonly yourAddress: string;
  readonly cameByMail: string;
  readonly myAddress: string;
  readonly writeNoMore: string;
  /**
   * The text above the button that confirms the news by email that a customer asked for when signing up. The email has the same
   * button, so the text says why it must be pressed again.
   */
  readonly newsAsked: string;
  /** The label of the button that confirms the news. */
  readonly sendNews: string;
  /** The sentence that tells a customer who just signed up to confirm the news. `{button}` is replaced with the button's label. */
  readonly newsMailed: string;
  readonly answered: Readonly<
    Record<"confirm" | "refuse", { readonly title: string; readonly text: string }>
  >;
  /** Said once the customer has confirmed news by email. */
  readonly newsComes: string;
  /** The same where the shop's name is known. `{shop}` is replaced with it. */
  readonly newsComesFrom: string;
  readonly toCard: string;
}
