import type { Step } from "../concurrency/step.js";
import type { StampCard } from "../resources/stamps.js";
import { type Template, templateOf } from "../resources/template.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import type { StoredWalletCard } from "../storage/wallets.js";
import { type IssuedMessage, readShownMessage, stampsOf } from "./shown-message.js";

/** A snapshot of a card with everything that a wallet shows on it. */
export interface IssuedCard {
  readonly organizationId: string;
  readonly card: StoredWalletCard;
  /** The name of the shop that issued the card, from its settings; `null` if it is not set. */
  readonly shopName: string | null;
  /** `null` if the pass has been revoked and its template deleted. */
  readonly template: Template | null;
  /** `null` if the pass takes no stamps or has been revoked. */
  readonly stamps: StampCard | null;
  /** `null` if the pass has been revoked. */
  readonly qrCodeValue: string | null;
  /** `null` if the card has no message, its message has expired, or the pass has been revoked. */
  readonly message: IssuedMessage | null;
  /** Whether the message is the card's latest change. Only then do wallets notify customers about it. */
  readonly isMessageNewest: boolean;
}

/** Inputs for rendering a card. */
export interface IssuedState {
  /** URL prefix that precedes the pass's code in its QR value. */
  readonly shortLinkBase: string;
  readonly now: number;
}

export function* readIssuedCard(
  reader: StorageReader,
  organizationId: string,
  card: StoredWalletCard,
  { shortLinkBase, now }: IssuedState,
): Step<IssuedCard> {
  const pass = yield* reader.findPass(organizationId, card.passId);
  const template = yield* reader.findTemplate(organizationId, card.templateId);
  const settings = yield* reader.findSettings(organizationId);
  const message =
    pass === null
      ? null
      : yield* readShownMessage(reader, organizationId, { card, pass, template }, { now, hasName: true });
  return {
    organizationId,
    card,
    shopName: settings?.name ?? null,
    template: template === null ? null : templateOf(template),
    stamps: stampsOf(pass),
    qrCodeValue: pass === null ? null : `${shortLinkBase}/${pass.code}`,
    message,
    isMessageNewest: message !== null && card.revision === card.messageRevision,
  };
}
