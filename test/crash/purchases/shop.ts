import type { Organization } from "loyalty-kit";

export const ORGANIZATION = "acme";

/** Steps of one visit: a customer buys, brings something back, and spends points. */
export const STEPS_OF_VISIT = 3;
export const SPENT = 3;
const RETURNED = 150;

/** The amount of a visit's purchase, in minor units. */
function amountOf(visit: number): number {
  return 1_000 + (visit % 1_000);
}

/** Returns the rest of a visit's purchase after the return, in minor units, and the points for it. */
export function computeRest(visit: number): { readonly amount: number; readonly points: number } {
  const amount = amountOf(visit) - RETURNED;
  return { amount, points: Math.floor(amount / 100) };
}

/** Makes the call of one step. Repeating it changes nothing. */
export async function takeStep(
  { purchases, points }: Organization,
  cards: readonly string[],
  step: number,
): Promise<void> {
  const visit = Math.floor(step / STEPS_OF_VISIT);
  const walletPassId = cards[visit % cards.length] ?? "";
  const receipt = String(visit);
  if (step % STEPS_OF_VISIT === 0) {
    await purchases.put("till", receipt, {
      walletPassId,
      currency: "EUR",
      lines: [{ amount: amountOf(visit) }],
    });
  } else if (step % STEPS_OF_VISIT === 1) {
    const lines = [{ id: "0", amount: RETURNED }];
    await purchases.addReturn("till", receipt, { returnId: "1", lines });
  } else {
    await points.spend(walletPassId, { points: SPENT, idempotencyKey: `spend-${visit}` });
  }
}
