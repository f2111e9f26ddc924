/** A sentence with a number: `{count}` stands for it. */
export interface PluralText {
  readonly one: string;
  readonly other: string;
}

/** The texts of the pages in one language. */
export interface Texts {
  /** The direction of writing. */
  readonly direction: "ltr" | "rtl";
  /** `{stamps}` and `{most}` stand for numbers. */
  readonly progress: string;
  readonly toGo: PluralText;
  readonly rewards: PluralText;
  /** `{reward}` stands for what a full card earns, in the words of the shop. */
  readonly earns: string;
  readonly showAtTill: string;
  readonly isMember: string;
  /** The text for people who can't see the QR code. */
  readonly qrCode: string;
  readonly addTo: Readonly<Record<"apple" | "google", string>>;
  readonly notFound: string;
  readonly notFoundText: string;
  /** `{card}` stands for the card's name. */
  readonly join: string;
  readonly name: string;
  readonly email: string;
  readonly phone: string;
  readonly emailOrPhone: string;
  /** The text that people agree to. */
  readonly consent: string;
  /** The text of the second box, which is kept as it is shown. */
  readonly news: string;
  /** The text of the box that has the phone remember the card. */
  readonly remember: string;
  readonly known: string;
  readonly openCard: string;
  readonly forgetCard: string;
  readonly orAnother: string;
  readonly submit: string;
  readonly nameMissing: string;
  readonly contactMissing: string;
  readonly emailWrong: string;
  readonly phoneWrong: string;
  readonly tooLong: string;
  readonly consentMissing: string;
  readonly tooMany: string;
  readonly failed: string;
  readonly unsubscribe: string;
  readonly whichMessages: string;
  /** `{sender}` stands for the name of the shop. */
  readonly whichMessagesOf: string;
  /** The buttons that end messages. */
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
  readonly answered: Readonly<
    Record<"confirm" | "refuse", { readonly title: string; readonly text: string }>
  >;
  readonly toCard: string;
}
