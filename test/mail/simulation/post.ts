import type { OutgoingMail, SendReply } from "../../../adapters/delivery/mail/outgoing-mail.js";
import { MailSendError } from "../../../adapters/delivery/mail/send-error.js";
import type { VirtualTime } from "../../webhooks/simulation/virtual-time.js";
import type { Claim } from "./ledger.js";

/**
 * Troubles of a mail: `lost` is accepted without a reply, and in the last two the process dies before or after it is
 * accepted.
 */
const troubles = [
  "later",
  "address",
  "message",
  "transport",
  "lost",
  "broken",
  "dies before",
  "dies after",
] as const;

export type Luck = "taken" | (typeof troubles)[number];

/** An attempt to send a mail, as the mail server saw it. */
export interface SentMail {
  readonly id: string;
  readonly messageId: string;
  readonly to: string;
  /** Token in the link of the mail. */
  readonly token: string;
  /** The process that sent it. */
  readonly by: object;
  readonly at: number;
  readonly luck: Luck;
  /** The claim that it was sent with, or `null`. */
  readonly claim: Claim | null;
  /** Time when the server accepted it for delivery; `null` if never. */
  takenAt: number | null;
  /** Time when the process received the reply; `null` if never. */
  heardAt: number | null;
  /** Time when the process had stored the reply; `null` if never. */
  settledAt: number | null;
}

const SECOND = 1_000;

/** An error raised on purpose. */
export class ScriptedReply extends Error {}

/** A mail server that has failures. */
export class Post {
  readonly sent: SentMail[] = [];
  isInTrouble = true;
  /** Time until which it accepts no connection. */
  isDownUntil = 0;

  constructor(
    private readonly time: VirtualTime,
    private readonly random: (bound: number) => number,
    private readonly findClaim: (id: string) => Claim | null,
  ) {}

  async send(mail: OutgoingMail, by: object, die: () => void): Promise<SendReply> {
    const { time, random } = this;
    const luck = this.drawLuck(mail.to);
    const [, token = ""] = /\/c\/[^?\s]+\?m=(\S+)/.exec(mail.text) ?? [];
    const { id, messageId, to } = mail;
    const sentMail: SentMail = {
      ...{ id, messageId, to, token, by, at: time.now, luck, claim: this.findClaim(id) },
      ...{ takenAt: null, heardAt: null, settledAt: null },
    };
    this.sent.push(sentMail);
    await time.pass(random(20) === 0 ? random(20 * SECOND) : 5 + random(300));
    if (luck === "dies before") die();
    // A mail that was handed to the server is there, whether the process lives or not.
    else if (luck === "taken" || luck === "lost" || luck === "dies after") sentMail.takenAt = time.now;
    else if (luck === "broken" && random(2) === 0) sentMail.takenAt = time.now;
    if (luck === "dies after") die();
    await time.pass(random(20) === 0 ? random(20 * SECOND) : random(100));
    sentMail.heardAt = time.now;
    switch (luck) {
      case "later":
        throw new MailSendError({ fault: "message", code: 451, answer: `4.7.1 <${to}> greylisted` });
      case "address":
        throw new MailSendError({
          ...{ fault: "address", isPermanent: true, code: 550, answer: `5.1.1 <${to}>: no such user` },
        });
      case "message":
        throw new MailSendError({ fault: "message", isPermanent: true, code: 554, answer: "5.6.0 No" });
      case "transport":
        throw new MailSendError({ fault: "transport", code: 421, answer: "4.3.2 Busy" });
      case "lost":
        throw new MailSendError({ fault: "message", isUncertain: true });
      case "broken":
        throw new ScriptedReply("the connection broke");
      default:
        return { code: 250, answer: `2.0.0 Ok <${to}>: queued` };
    }
  }

  private drawLuck(to: string): Luck {
    const { time, random, isInTrouble, isDownUntil } = this;
    if (time.now < isDownUntil) return "transport";
    if (isStubborn(to)) return "later";
    if (!isInTrouble || random(5) > 1) return "taken";
    return troubles[random(troubles.length)] ?? "taken";
  }
}

/** Returns whether the server of an address never accepts a mail, and never refuses one permanently. */
function isStubborn(address: string): boolean {
  return address.includes("7@");
}
