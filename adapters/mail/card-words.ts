import type { StampCard, WalletPassDetail } from "../../src/index.js";
import {
  greetingName,
  isolateBidi,
  toDisplayLines,
  toDisplayText,
  unlinkedText,
} from "../../src/values/display-text.js";
import { filled, formatPlural } from "../pages/languages/languages.js";
import type { MailLanguage } from "./languages/mail-language.js";

/** A mail with the link to a card. */
export interface PassMailJob {
  readonly delivery: { readonly id: string; readonly kind: "pass" | "link" };
  readonly to: string;
  readonly user: { readonly name: string | null };
  /**
   * True if the address is known to be the customer's. Until then it may belong to a stranger, and the shop's texts contain no
   * links.
   */
  readonly isConfirmed: boolean;
  /** The wished language, a BCP 47 tag; `null` leaves it to the design. */
  readonly language: string | null;
  readonly pass: Pick<WalletPassDetail, "template">;
  /** `null` for a card without stamps. */
  readonly stampCard: Pick<StampCard, "currentStamps" | "maxStamps" | "rewardsAvailable"> | null;
  readonly settings: {
    readonly senderName: string | null;
    readonly replyTo: string | null;
    readonly footer: string | null;
    /** The hash of a picture; `null` for none. */
    readonly logo: string | null;
    /** The language where the recipient's is not known, and the design has none. */
    readonly language: string | null;
  };
  /** The path and query of the card's page, below the public URL. */
  readonly link: string;
}

/** The words of a mail about a card, in the language of the mail. Its text and its HTML are both made from them. */
export interface CardWords {
  readonly greeting: string;
  readonly intro: string;
  readonly title: string;
  /** Empty for a card without stamps. */
  readonly progress: string;
  /** The stamps to the next reward, available rewards, and what a full card earns. */
  readonly lines: readonly string[];
  readonly open: string;
  /** The organization's own. */
  readonly footer: readonly string[];
  readonly why: string;
}

/** Returns the job without text that mail programs would turn into links: a stranger may read it. */
export function unlinkedJob(job: PassMailJob, operator: string): PassMailJob {
  const { settings, pass } = job;
  const { template } = pass;
  const { design } = template;
  const senderName = greetingName(settings.senderName);
  const lines = (settings.footer ?? "").split(/\r\n|\n|\r/).filter((line) => unlinkedText(line) !== null);
  const texts = design?.texts.map((text) => ({
    ...text,
    title: unlinkedText(text.title),
    toGo: unlinkedText(text.toGo),
  }));
  return {
    ...job,
    settings: { ...settings, senderName, footer: lines.join("\n") },
    pass: {
      template: {
        ...template,
        name: unlinkedText(template.name) ?? senderName ?? operator,
        reward: unlinkedText(template.reward),
        design: design && texts ? { ...design, texts } : design,
      },
    },
  };
}

/** Returns the words of the mail that a job asks for. */
export function cardWords(job: PassMailJob, language: MailLanguage): CardWords {
  const { name, reward, design } = job.pass.template;
  const { mail, texts } = language;
  const own = design?.texts.find((each) => each.language.split("-", 1)[0] === language.language);
  const stamps = job.stampCard;
  const greeted = greetingName(job.user.name);
  const greeting =
    greeted === null ? mail.namelessGreeting : filled(mail.greeting, { name: isolateBidi(greeted) });
  const intro = job.delivery.kind === "link" ? mail.askedAgain : mail.yourCard;
  const progress =
    stamps &&
    filled(texts.progress, { stamps: String(stamps.currentStamps), most: String(stamps.maxStamps) });
  return {
    greeting,
    intro,
    title: toDisplayText(own?.title ?? name),
    progress: progress ?? "",
    lines: [
      ...(stamps === null ? [texts.isMember] : stampLines(language, stamps, own)),
      ...(reward === null ? [] : [filled(texts.earns, { reward: isolateBidi(toDisplayText(reward)) })]),
    ],
    open: mail.open,
    footer: toDisplayLines(job.settings.footer ?? ""),
    why: mail.why,
  };
}

function stampLines(
  language: MailLanguage,
  { currentStamps, maxStamps, rewardsAvailable }: NonNullable<PassMailJob["stampCard"]>,
  own: { readonly toGo: string | null } | undefined,
): string[] {
  const { texts } = language;
  const left = maxStamps - currentStamps;
  const toGo = own?.toGo
    ? filled(toDisplayText(own.toGo), { count: String(left) })
    : formatPlural(language, texts.toGo, left);
  return rewardsAvailable === 0 ? [toGo] : [toGo, formatPlural(language, texts.rewards, rewardsAvailable)];
}
