import type { Organization } from "loyalty-kit";
import type { PutPurchase } from "../src/purchases/schema.js";
import { type Settings, shorten } from "./bench.js";
import { cycleScattered, userId } from "./customers.js";

/** How many customers have a card that collects points. */
const CARDS = 1_000;

/** The amounts of the lines, in minor units. They give 22 points. */
export const LINE_AMOUNTS = [450, 451, 452, 453, 454];
export const POINTS = 22;
export const EARNING = { currency: "EUR", rules: [{ give: 1, per: { amount: 100 } }] };
export const TERMS = {
  unit: null,
  pendingDays: 0,
  expiry: { months: 12, to: "month" },
  graceDays: 0,
} as const;

/** Adds a card that collects points for some customers. @returns the ids of the cards. */
export async function addClub(
  { templates, passes }: Organization,
  settings: Pick<Settings, "users" | "share">,
): Promise<string[]> {
  const { users } = settings;
  const club = await templates.create({
    ...{ name: "Club", type: "LOYALTY_CARD", points: TERMS, earning: EARNING },
  });
  const ids: string[] = [];
  const cards = Math.min(shorten(CARDS, settings), users);
  const ordinals = cycleScattered(Array.from({ length: users }, (_, ordinal) => ordinal));
  while (ids.length < cards) {
    ids.push((await passes.create(club.id, { userId: userId(ordinals.next().value) })).id);
  }
  return ids;
}

/** A purchase of five lines. */
export interface NewPurchase {
  readonly receipt: string;
  readonly input: PutPurchase & { readonly walletPassId: string };
}

/** Generates purchases of all cards in turn, the same at each call. */
export function* generatePurchases(passIds: readonly string[], name: string): Generator<NewPurchase, never> {
  const passes = cycleScattered(passIds);
  for (let number = 1; ; number += 1) {
    const lines = LINE_AMOUNTS.map((amount, at) => ({
      ...{ sku: `sku-${at}`, category: "coffee", name: `Article ${at}`, quantity: 2, amount, tax: 70 },
    }));
    const input = { walletPassId: passes.next().value, currency: "EUR", lines };
    yield { receipt: `${name}-${number.toString().padStart(8, "0")}`, input };
  }
}

export const SOURCE = "till-1";
