import { serviceInternals } from "../../../src/internals.js";
import type { LoyaltyService } from "../../../src/loyalty-service.js";

/** How many of five customers have an iPhone. */
const IPHONES = 3;

/**
 * The phones of a demo's customers. Adding a card to one sets it as installed in Apple's or Google's wallet, without calling them.
 */
export function createDemoPhones(loyalty: LoyaltyService, organizationId: string) {
  const backend = serviceInternals(loyalty).walletBackend(0);
  // Cards get the row of a wallet with their links, which lead nowhere.
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
