import type { OutgoingMail, SendReply } from "../../../adapters/delivery/mail/outgoing-mail.js";
import { MailSendError } from "../../../adapters/delivery/mail/send-error.js";
import type { VirtualTime } from "../../webhooks/simulation/virtual-time.js";
import type { Claim } from "./ledger.js";

/** What becomes of a mail: `lost` is taken and never answered, and the process dies before or after it is taken. */
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

/** An attempt to send a mail, as the mail server has seen it. */
export interface SentMail {
  readonly id: string;
  readonly messageId: string;
  readonly to: string;
  /** In the link of the mail. */
  readonly token: string;
  /** The process that sent it. */
  readonly by: object;
  readonly at: number;
  readonly luck: Luck;
  /** The claim that it was sent by; `null` for none. */
  readonly claim: Claim | null;
  /** When the server had it and would deliver it; `null` when it never did. */
  takenAt: number | null;
  /** When the process heard of it; `null` when it never did. */
  heardAt: number | null;
  /** When the process had kept the answer; `null` when it never did. */
  settledAt: number | null;
}

const SECOND = 1_000;

/** An error that is made on purpose. */
export class ScriptedReply extends Error {}

/** A mail server in some trouble. */
export class Post {
  readonly sent: SentMail[] = [];
  isInTrouble = true;
  /** Until then it takes no connection. */
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
    // What was given to the server is there, whether the process lives or not.
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

/** The server of some addresses never takes a mail, and never says so. */
function isStubborn(address: string): boolean {
  return address.includes("7@");
}
