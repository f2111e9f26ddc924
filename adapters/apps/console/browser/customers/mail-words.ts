import type { MessageDelivery } from "../../../../../src/messages/delivery-schema.js";
import { momentText } from "../words/en/forms.js";
import { mailReasons, mails as words } from "../words/en/mails.js";

/** Describes a delivery in plain words. */
interface MailWords {
  /** The delivery's status in a word or two. */
  readonly state: string;
  /** `good` for a delivery that was accepted, `warn` for one that is still pending, `bad` for one that failed. */
  readonly tone: "good" | "warn" | "bad" | "";
  /** The reason for the status, or the time of the next attempt. Empty if there is neither. */
  readonly about: string;
}

export function describeMail(mail: MessageDelivery): MailWords {
  const description = describeMailState(mail);
  const about = [description.about, mail.isUncertain ? words.mayComeTwice : ""].filter((each) => each !== "");
  return { ...description, about: about.join(" · ") };
}

function describeMailState(delivery: MessageDelivery): MailWords {
  const { status, reason, nextAttemptAt, attempts } = delivery;
  const why = reason === null ? "" : mailReasons[reason];
  switch (status) {
    case "PENDING": {
      const isAgain = attempts.length > 0 && nextAttemptAt !== null;
      return {
        state: words.waiting,
        tone: "warn",
        about: isAgain ? words.nextAttempt(momentText(nextAttemptAt)) : "",
      };
    }
    case "SENDING":
      return { state: words.underWay, tone: "warn", about: "" };
    case "ACCEPTED":
      return { state: words.sent, tone: "good", about: describeRecipient(delivery) };
    case "SKIPPED":
      return { state: words.notSent, tone: "", about: why };
    case "FAILED":
      return { state: words.failed, tone: "bad", about: why };
  }
}

/** Describes where the message is on the customer's phone. Empty for an email, because only its sending is known. */
function describeRecipient({ channel, platform, isSilent }: MessageDelivery): string {
  if (channel === "email") return "";
  const receiver = platform === "google" ? words.googleHasIt : words.phoneHasIt;
  return isSilent ? words.silently(receiver) : receiver;
}
