import { LoyaltyService, type StorageAdapter } from "loyalty-kit";
import { expect } from "vitest";

/**
 * Asserts that a storage without synchronous calls refuses synchronous transactions and
 * `runBetweenTransactions`.
 */
export async function expectRefused(storage: StorageAdapter): Promise<void> {
  const loyalty = new LoyaltyService({ storage });
  const tx = { query: () => ({ rows: [], count: 0 }) };
  expect(() => loyalty.organization("acme").joiningSync(tx)).toThrow(TypeError);
  await expect(loyalty.runBetweenTransactions(() => "never")).rejects.toThrow(TypeError);
  await loyalty.close();
}
