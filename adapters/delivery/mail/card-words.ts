import {
  greetingName,
  isolateBidi,
  toDisplayLines,
  toDisplayText,
  unlinkedText,
} from "../../../src/base/values/display-text.js";
import type { StampCard, WalletPassDetail } from "../../../src/index.js";
import type { CardPoints } from "../../../src/points/card-points.js";
import { fillPlaceholders, formatPlural } from "../languages/languages.js";
import { describePoints, type PointTexts } from "../languages/point-words.js";
import type { MailLanguage } from "./languages/mail-language.js";

/** A job that emails a customer the link to their card. */
export interface PassMailJob {
  readonly delivery: { readonly id: string; readonly kind: "pass" | "link" };
  readonly to: string;
  readonly user: { readonly name: string | null };
  /**
   * Whether the customer has confirmed the address. If not, links are removed from the shop's text, because the address might
   * belong to a stranger.
   */
  readonly isConfirmed: boolean;
  /** Whether the email offers to confirm news, which the customer asked for when signing up. */
  readonly isNewsPending: boolean;
  /** The customer's preferred language as a BCP 47 tag, or `null` to use the design's language. */
  readonly language: string | null;
  readonly pass: Pick<WalletPassDetail, "template">;
  /** The card's stamps, or `null` if the card doesn't collect stamps. */
  readonly stampCard: Pick<StampCard, "currentStamps" | "maxStamps" | "rewardsAvailable"> | null;
  /** The card's points, or `null` if the card doesn't collect points. */
  readonly points: CardPoints | null;
  readonly settings: {
    readonly senderName: string | null;
    readonly replyTo: string | null;
    readonly footer: string | null;
    /** The hash of the shop's logo, or `null` if it has no logo. */
    readonly logo: string | null;
    /** The shop's language, used if neither the customer nor the design specifies one. */
    readonly language: string | null;
  };
  /** The path and query of the card page, relative to the public URL. */
  readonly link: string;
}

/** The text of a card email in the email's language, shared by the plain text and HTML parts. */
export interface CardWords {
  readonly greeting: string;
  readonly intro: string;
  readonly title: string;
  /** The text that shows the stamp count or the points. Empty if the card collects neither. */
  readonly progress: string;
  /**
   * Lines that say how many stamps are needed for the next reward, how many rewards are available, which points expire or become
   * usable next, and what a full card earns.
   */
  readonly lines: readonly string[];
  readonly open: string;
  /** The sentence and the button for confirming news, or `null` if there is nothing to confirm. */
  readonly news: { readonly text: string; readonly button: string } | null;
  /** The footer lines from the organization's settings. */
  readonly footer: readonly string[];
  readonly why: string;
}

/**
 * Returns a copy of the job without any text that mail clients would turn into links, because the recipient might be a stranger.
 * @param operator the name to show if neither the template's name nor the sender name can be shown.
 */
export function removeLinks(job: PassMailJob, operator: string): PassMailJob {
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
    points: job.points && { ...job.points, unit: unlinkedText(job.points.unit) },
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

export function buildCardWords(job: PassMailJob, language: MailLanguage): CardWords {
  const { name, reward, design } = job.pass.template;
  const { mail, texts } = language;
  const designText = design?.texts.find((each) => each.language.split("-", 1)[0] === language.language);
  const stamps = job.stampCard;
  const displayName = greetingName(job.user.name);
  const greeting =
    displayName === null
      ? mail.namelessGreeting
      : fillPlaceholders(mail.greeting, { name: isolateBidi(displayName) });
  const intro = job.delivery.kind === "link" ? mail.askedAgain : mail.yourCard;
  const points = job.points && describePoints(toDisplayPoints(job.points), language.language);
  const progress =
    stamps === null
      ? (points?.balance ?? "")
      : fillPlaceholders(texts.progress, {
          stamps: String(stamps.currentStamps),
          most: String(stamps.maxStamps),
        });
  return {
    greeting,
    intro,
    title: toDisplayText(designText?.title ?? name),
    progress,
    lines: [
      ...(stamps !== null ? listStampLines(language, stamps, designText) : listPointLines(language, points)),
      ...(reward === null
        ? []
        : [fillPlaceholders(texts.earns, { reward: isolateBidi(toDisplayText(reward)) })]),
    ],
    open: mail.open,
    news: job.isNewsPending
      ? { text: fillPlaceholders(mail.confirmNews, { button: texts.sendNews }), button: texts.sendNews }
      : null,
    footer: toDisplayLines(job.settings.footer ?? ""),
    why: mail.why,
  };
}

/** Returns the points with the shop's word as it can be shown in other text. */
function toDisplayPoints(points: CardPoints): CardPoints {
  return { ...points, unit: points.unit && isolateBidi(toDisplayText(points.unit)) };
}

function listPointLines({ texts }: MailLanguage, points: PointTexts | null): string[] {
  if (points === null) return [texts.isMember];
  return [points.expiry, points.upcoming].filter((line) => line !== null);
}

function listStampLines(
  language: MailLanguage,
  { currentStamps, maxStamps, rewardsAvailable }: NonNullable<PassMailJob["stampCard"]>,
  designText: { readonly toGo: string | null } | undefined,
): string[] {
  const { texts } = language;
  const remaining = maxStamps - currentStamps;
  const toGo = designText?.toGo
    ? fillPlaceholders(toDisplayText(designText.toGo), { count: String(remaining) })
    : formatPlural(language, texts.toGo, remaining);
  return rewardsAvailable === 0 ? [toGo] : [toGo, formatPlural(language, texts.rewards, rewardsAvailable)];
}
