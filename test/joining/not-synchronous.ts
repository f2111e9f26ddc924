import { LoyaltyService, type StorageAdapter } from "loyalty-kit";
import { expect } from "vitest";

/** States that a storage which does not answer at once joins no synchronous transaction, and gives no turns. */
export async function expectRefused(storage: StorageAdapter): Promise<void> {
  const loyalty = new LoyaltyService({ storage });
  const tx = { query: () => ({ rows: [], count: 0 }) };
  expect(() => loyalty.organization("acme").joiningSync(tx)).toThrow(TypeError);
  await expect(loyalty.runBetweenTransactions(() => "never")).rejects.toThrow(TypeError);
  await loyalty.close();
}
