import { serviceInternals } from "../../../src/internals.js";
import type { LoyaltyService } from "../../../src/loyalty-service.js";

/** Number of customers out of five who have an iPhone. */
const IPHONES = 3;

/**
 * Creates simulated phones for a demo's customers. Adding a card to a phone marks the card as installed in Apple Wallet or Google
 * Wallet, without contacting Apple or Google.
 */
export function createDemoPhones(loyalty: LoyaltyService, organizationId: string) {
  const backend = serviceInternals(loyalty).walletBackend(0);
  // Requesting a pass's links creates its wallet card. These links lead nowhere.
  backend.attachLinker(() => ({ apple: null, google: null }));
  const { passes } = loyalty.organization(organizationId);
  let added = 0;
  return {
    async add(passId: string): Promise<void> {
      const platform = added % 5 < IPHONES ? "apple" : "google";
      added += 1;
      await passes.walletLinks(passId);
      const deviceId = `demo-${added}`;
      await backend.devices.register(organizationId, { passId, platform, deviceId, pushToken: null });
    },
  };
}
