import type { Step } from "../base/concurrency/step.js";
import { type Template, templateOf } from "../cards/schema.js";
import type { StampCard } from "../cards/stamps-schema.js";
import type { CardPoints } from "../points/card-points.js";
import { readCardPoints } from "../points/points.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import type { StoredWalletCard } from "../storage/wallets.js";
import { type IssuedMessage, readShownMessage, toStampCardOrNull } from "./shown-message.js";

/** A snapshot of a card and everything that a wallet shows on it. */
export interface IssuedCard {
  readonly organizationId: string;
  readonly card: StoredWalletCard;
  /** The shop's name from the organization's settings, or `null` if it isn't set. */
  readonly shopName: string | null;
  /** The pass's template, or `null` if the pass has been revoked and the template has been deleted. */
  readonly template: Template | null;
  /** The pass's stamp card, or `null` if the pass isn't a stamp card or has been revoked. */
  readonly stamps: StampCard | null;
  /** The points that the card shows, or `null` if the pass has no points or has been revoked. */
  readonly points: CardPoints | null;
  /** The content of the card's QR code, or `null` if the pass has been revoked. */
  readonly qrCodeValue: string | null;
  /** The message to show, or `null` if the card has no message, its message has expired, or the pass has been revoked. */
  readonly message: IssuedMessage | null;
  /** Whether the message is the card's most recent change. Only then do wallets notify customers about it. */
  readonly isMessageNewest: boolean;
}

/** The inputs to {@link readIssuedCard} that don't come from storage. */
export interface IssuedState {
  /** The base URL for QR codes. Each QR code contains this URL, a slash, and the pass's code. */
  readonly shortLinkBase: string;
  readonly now: number;
}

/** Gives a design without a logo the shop's logo. */
function withDefaultLogo(template: Template, shopLogo: string | null): Template {
  const { design } = template;
  if (design === null || design.logo !== null) return template;
  return { ...template, design: { ...design, logo: shopLogo } };
}

export function* readIssuedCard(
  reader: StorageReader,
  organizationId: string,
  card: StoredWalletCard,
  { shortLinkBase, now }: IssuedState,
): Step<IssuedCard> {
  const pass = yield* reader.findPass(card.passId);
  const template = yield* reader.findTemplate(card.templateId);
  const settings = yield* reader.findSettings();
  const points =
    pass === null || template === null ? null : yield* readCardPoints(reader, pass, template, now);
  const message =
    pass === null ? null : yield* readShownMessage(reader, { card, pass, template }, { now, hasName: true });
  return {
    organizationId,
    card,
    shopName: settings?.name ?? null,
    template: template === null ? null : withDefaultLogo(templateOf(template), settings?.logo ?? null),
    stamps: toStampCardOrNull(pass),
    points,
    qrCodeValue: pass === null ? null : `${shortLinkBase}/${pass.code}`,
    message,
    isMessageNewest: message !== null && card.revision === card.messageRevision,
  };
}
