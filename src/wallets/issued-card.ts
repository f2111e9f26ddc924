import type { Step } from "../concurrency/step.js";
import type { StampCard } from "../resources/stamps.js";
import { type Template, templateOf } from "../resources/template.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import type { StoredWalletCard } from "../storage/wallets.js";
import { type IssuedMessage, readShownMessage, stampsOf } from "./shown-message.js";

/** A card with all that a wallet shows of it, as it was at one moment. */
export interface IssuedCard {
  readonly organizationId: string;
  readonly card: StoredWalletCard;
  /** The shop's name in the settings, whose card it is; `null` if it is not set. */
  readonly shopName: string | null;
  /** `null` if the pass was revoked and its template deleted. */
  readonly template: Template | null;
  /** `null` for a card without stamps, and for a revoked one. */
  readonly stamps: StampCard | null;
  /** `null` for a revoked pass. */
  readonly qrCodeValue: string | null;
  /** `null` if the card shows none, or no longer; also for a revoked pass. */
  readonly message: IssuedMessage | null;
  /** True when the message is what changed last: that is what wallets tell people of. */
  readonly isMessageNewest: boolean;
}

/** The state in which a card is read. */
export interface IssuedState {
  /** The text that stands before the code in a QR value. */
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
