import type { StorageAdapter } from "loyalty-kit";
import type { AcceptedMessages } from "../../../adapters/delivery/wallets/wallet-platform.js";
import { clearFinishedDeliveries } from "../../../src/wallets/card-messages.js";

interface EndedDelivery {
  readonly messageId: string;
  readonly passId: string;
}

/** Records the outcome of message deliveries, one per card, in place of the service's messages. */
export class EndedDeliveries {
  readonly accepted: (EndedDelivery & { readonly isSilent: boolean })[] = [];
  readonly missing: EndedDelivery[] = [];
  private readonly waiting = new Map<string, EndedDelivery>();

  /**
   * Starts the delivery of a message to a card.
   * @returns its id.
   */
  begin(messageId: string, passId: string): string {
    const id = `mdl_${messageId}_${passId}`;
    this.waiting.set(id, { messageId, passId });
    return id;
  }

  /** Ends deliveries on a storage. The transaction that ends a delivery also stops its card from waiting for it. */
  wrapStorage(storage: StorageAdapter): AcceptedMessages {
    const end = async (organizationId: string, id: string, note: (ended: EndedDelivery) => void) => {
      const delivery = this.waiting.get(id);
      if (delivery === undefined) return;
      await storage.transaction(organizationId, (tx) => clearFinishedDeliveries(tx, [delivery.passId], [id]));
      // After a lost response, the end is reported again.
      if (this.waiting.delete(id)) note(delivery);
    };
    return {
      walletAccepted: (organizationId, id, _platform, isSilent) =>
        end(organizationId, id, (delivery) => this.accepted.push({ ...delivery, isSilent })),
      walletMissing: (organizationId, id) =>
        end(organizationId, id, (delivery) => this.missing.push(delivery)),
    };
  }
}
