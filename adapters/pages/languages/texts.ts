/** A sentence with a number: `{count}` stands for it. */
export interface Counted {
  readonly one: string;
  readonly other: string;
}

/** The texts of the pages in one language. */
export interface Texts {
  /** The direction of writing. */
  readonly direction: "ltr" | "rtl";
  /** `{stamps}` and `{most}` stand for numbers. */
  readonly progress: string;
  readonly toGo: Counted;
  readonly rewards: Counted;
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
  readonly submit: string;
  readonly nameMissing: string;
  readonly contactMissing: string;
  readonly emailWrong: string;
  readonly phoneWrong: string;
  readonly tooLong: string;
  readonly consentMissing: string;
  readonly tooMany: string;
  readonly failed: string;
}
