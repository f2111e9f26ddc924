/** The plural forms of a sentence. `{count}` stands for the number. */
export interface PluralText {
  readonly one: string;
  readonly other: string;
}

/** UI text for the pages, in one language. */
export interface Texts {
  /** The writing direction. */
  readonly direction: "ltr" | "rtl";
  /** The card's progress. `{stamps}` and `{most}` stand for numbers. */
  readonly progress: string;
  readonly toGo: PluralText;
  readonly rewards: PluralText;
  /** `{reward}` stands for a full card's reward, in the shop's own words. */
  readonly earns: string;
  readonly showAtTill: string;
  readonly isMember: string;
  /** Text alternative for the QR code. */
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
  /** The consent text that customers agree to. */
  readonly consent: string;
  /** The label of the checkbox for news, which is stored exactly as shown. */
  readonly news: string;
  /** The label of the checkbox that makes the phone remember the card. */
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
  /** `{sender}` stands for the shop's name. */
  readonly whichMessagesOf: string;
  /** Labels of the buttons that unsubscribe. */
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
