import type { Step } from "../concurrency/step.js";
import { type StampCard, stampCardOf } from "../resources/stamps.js";
import { type Template, templateOf } from "../resources/template.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import type { StoredWalletCard } from "../storage/wallets.js";

/** A card with all that a wallet shows of it, as it was at one moment. */
export interface IssuedCard {
  readonly organizationId: string;
  readonly card: StoredWalletCard;
  /** `null` when the pass was revoked and its template deleted. */
  readonly template: Template | null;
  /** `null` for a card without stamps, and for a revoked one. */
  readonly stamps: StampCard | null;
  /** `null` for a revoked pass. */
  readonly qrCodeValue: string | null;
}

/** @param shortLinkBase what stands before the code in a QR value. */
export function* issuedCard(
  reader: StorageReader,
  organizationId: string,
  card: StoredWalletCard,
  shortLinkBase: string,
): Step<IssuedCard> {
  const pass = yield* reader.findPass(organizationId, card.passId);
  const template = yield* reader.findTemplate(organizationId, card.templateId);
  return {
    organizationId,
    card,
    template: template === null ? null : templateOf(template),
    stamps: pass === null || pass.card === null ? null : stampCardOf(pass, pass.card),
    qrCodeValue: pass === null ? null : `${shortLinkBase}/${pass.code}`,
  };
}
