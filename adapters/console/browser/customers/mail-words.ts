import type { MessageDelivery } from "../../../../src/resources/message-delivery.js";
import { momentText } from "../words/en/forms.js";

/** A mail in the words of a shop. */
interface MailWords {
  /** The state in a word or two. */
  readonly state: string;
  /** `good` for a mail that was taken, `warn` for one that may still be, `bad` for one that will not. */
  readonly tone: "good" | "warn" | "bad" | "";
  /** Says why, or when it is tried next; empty when there is no more to say. */
  readonly about: string;
}

/** Says why a customer does not get a message. */
export const mailReasons: Readonly<Record<NonNullable<MessageDelivery["reason"]>, string>> = {
  no_consent: "the customer has not agreed to news",
  unsubscribed: "the customer wants no more news",
  no_address: "the customer has no address",
  suppressed: "nothing is sent to this address any more",
  no_wallet: "the card is in no wallet",
  capped: "the customer has had enough messages for now",
  cancelled: "it was cancelled",
  expired: "it could not be sent in time",
  left: "the customer or the card is gone",
  replaced: "a newer one took its place",
  address_refused: "there is no such address",
  message_refused: "the customer’s mail server did not want it",
  gave_up: "it was tried in vain until its time was over",
  bounced: "it came back",
  complained: "the customer marked it as spam",
};

export const mailKinds: Readonly<Record<MessageDelivery["kind"], string>> = {
  pass: "The card",
  link: "The card, as somebody joined again with this address",
  confirm: "Confirming the address",
  sign_in: "Signing in",
  message: "News",
  automation: "News",
  test: "A test",
};

export function mailWords(mail: MessageDelivery): MailWords {
  const words = stateOf(mail);
  const about = [words.about, mail.isUncertain ? "it may arrive twice" : ""].filter((each) => each !== "");
  return { ...words, about: about.join(" · ") };
}

function stateOf(delivery: MessageDelivery): MailWords {
  const { status, reason, nextAttemptAt, attempts } = delivery;
  const why = reason === null ? "" : mailReasons[reason];
  switch (status) {
    case "PENDING": {
      const isAgain = attempts.length > 0 && nextAttemptAt !== null;
      return {
        state: "waiting",
        tone: "warn",
        about: isAgain ? `next attempt ${momentText(nextAttemptAt)}` : "",
      };
    }
    case "SENDING":
      return { state: "being sent", tone: "warn", about: "" };
    case "ACCEPTED":
      return { state: "sent", tone: "good", about: takerOf(delivery) };
    case "SKIPPED":
      return { state: "not sent", tone: "", about: why };
    case "FAILED":
      return { state: "failed", tone: "bad", about: why };
  }
}

/** Says who has taken it: nobody knows whether it was read. */
function takerOf({ channel, platform, isSilent }: MessageDelivery): string {
  if (channel === "email") return "the customer’s mail server has it";
  const taker = platform === "google" ? "Google has it" : "the customer’s phone has it";
  return isSilent ? `${taker}, without a sound` : taker;
}
