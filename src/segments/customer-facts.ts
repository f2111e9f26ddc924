import { valueAt } from "../base/values/metadata-value.js";
import type { StoredPass, StoredStampCard } from "../storage/passes.js";
import type { StoredPointLot } from "../storage/points.js";
import type { RemainingPurchase } from "../storage/purchases.js";
import type { StoredSubscription } from "../storage/subscriptions.js";
import type { StoredUser } from "../storage/users.js";
import type { WalletPlatform } from "../storage/wallets.js";
import type { PointRange } from "./plan.js";

/** A pass, the platforms of the devices it is installed on, and its points. */
export interface PassFacts {
  readonly pass: StoredPass;
  readonly platforms: readonly WalletPlatform[];
  /** The lots that count on that day or later, or `null` if the pass's points never changed. */
  readonly lots: readonly StoredPointLot[] | null;
}

/** One customer's data for evaluating filters, all from the same snapshot. JSON columns are parsed on first use. */
export class CustomerFacts {
  #metadata: { readonly value: unknown } | null = null;
  readonly #visitsByTemplate = new Map<string | null, readonly number[]>();
  readonly #visitsByCard = new Map<StoredStampCard, readonly number[]>();

  constructor(
    readonly user: StoredUser,
    /** The times at which the customer's tags were assigned, keyed by slug. */
    readonly tags: ReadonlyMap<string, number>,
    /** The customer's passes, oldest first. */
    readonly passes: readonly PassFacts[],
    readonly subscription: StoredSubscription | null,
    /** The customer's purchases of the last years after returns, newest first. */
    readonly purchases: readonly RemainingPurchase[] = [],
  ) {}

  /** Returns the value at a path in the customer's metadata, or `undefined` if there is no such value. */
  getMetadataValue(path: readonly string[]): unknown {
    this.#metadata ??= { value: JSON.parse(this.user.metadata) };
    return valueAt(this.#metadata.value, path);
  }

  /** Returns the customer's passes for a template, or for all templates if `templateId` is `null`, oldest first. */
  listPasses(templateId: string | null): readonly PassFacts[] {
    if (templateId === null) return this.passes;
    return this.passes.filter(({ pass }) => pass.templateId === templateId);
  }

  /**
   * Returns the lots of each of the customer's cards for a template, oldest card first.
   * @param countsUnused whether to include cards whose points never changed.
   */
  listLotsByCard(templateId: string, countsUnused: boolean): readonly (readonly StoredPointLot[])[] {
    return this.listPasses(templateId).flatMap(({ lots }) => {
      if (lots !== null) return [lots];
      return countsUnused ? [[]] : [];
    });
  }

  /** Returns the customer's stamp cards for a template, or for all templates if `templateId` is `null`, oldest first. */
  listCards(templateId: string | null): readonly StoredStampCard[] {
    return this.listPasses(templateId).flatMap(({ pass }) => pass.card ?? []);
  }

  /**
   * Returns the times of the visits stored on the customer's cards for a template, or for all templates if `templateId` is `null`,
   * newest first.
   */
  listVisits(templateId: string | null): readonly number[] {
    const storedVisits = this.#visitsByTemplate.get(templateId);
    if (storedVisits !== undefined) return storedVisits;
    const [first = [], ...otherLists] = this.listCards(templateId).map((card) => this.#parseVisits(card));
    const visits = otherLists.length === 0 ? first : [first, ...otherLists].flat().sort((a, b) => b - a);
    this.#visitsByTemplate.set(templateId, visits);
    return visits;
  }

  #parseVisits(card: StoredStampCard): readonly number[] {
    const storedVisits = this.#visitsByCard.get(card) ?? JSON.parse(card.visits);
    this.#visitsByCard.set(card, storedVisits);
    return storedVisits;
  }
}

/** Adds up the points of a card's lots that count. */
export function sumPoints(
  lots: readonly StoredPointLot[],
  { usableBy, endsAfter, endsBy }: PointRange,
): number {
  let sum = 0;
  for (const { usableFrom, createdAt, expiresAt, graceUntil, remaining, expired } of lots) {
    const end = graceUntil ?? expiresAt ?? Number.POSITIVE_INFINITY;
    const isCounted =
      usableFrom <= Math.max(usableBy, createdAt) && end > endsAfter && (endsBy === null || end <= endsBy);
    if (!isCounted) continue;
    // Points may have been recorded as expired since the time that is evaluated.
    sum += graceUntil === null && end > usableBy ? remaining + expired : remaining;
  }
  return sum;
}

/** Adds up what remains of purchases in a currency since a time. */
export function sumSpent(purchases: readonly RemainingPurchase[], currency: string, since: number): number {
  let sum = 0;
  for (const purchase of purchases)
    if (purchase.currency === currency && purchase.at >= since) sum += purchase.amount;
  return sum;
}
