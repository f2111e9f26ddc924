import type { Organization } from "loyalty-kit";

export const RECEIPTS = 400;

/** Adds one stamp per receipt, four at a time, like a till that doesn't know which ones were added before. */
export async function addReceipts(acme: Organization, passId: string): Promise<void> {
  const receipts = Array.from({ length: RECEIPTS }, (_, at) => `receipt-${at}`).values();
  const addStamp = async () => {
    for (const idempotencyKey of receipts) await acme.stamps.add(passId, { count: 1, idempotencyKey });
  };
  await Promise.all([addStamp(), addStamp(), addStamp(), addStamp()]);
}
