import { valueAt } from "../base/values/metadata-value.js";
import type { StoredPass, StoredStampCard } from "../storage/passes.js";
import type { StoredSubscription } from "../storage/subscriptions.js";
import type { StoredUser } from "../storage/users.js";
import type { WalletPlatform } from "../storage/wallets.js";

/** A pass and the platforms of the devices it is installed on. */
export interface PassFacts {
  readonly pass: StoredPass;
  readonly platforms: readonly WalletPlatform[];
}

/** One customer's data for evaluating filters, all from the same snapshot. JSON columns are parsed on first use. */
export class CustomerFacts {
  #metadata: { readonly value: unknown } | null = null;
  readonly #visits = new Map<string | null, readonly number[]>();
  readonly #visitsOfCards = new Map<StoredStampCard, readonly number[]>();

  constructor(
    readonly user: StoredUser,
    /** The times at which the customer's tags were assigned, keyed by slug. */
    readonly tags: ReadonlyMap<string, number>,
    /** The customer's passes, oldest first. */
    readonly passes: readonly PassFacts[],
    readonly subscription: StoredSubscription | null,
  ) {}

  /** Returns the value at a path in the customer's metadata, or `undefined` if there is no such value. */
  metadataAt(path: readonly string[]): unknown {
    this.#metadata ??= { value: JSON.parse(this.user.metadata) };
    return valueAt(this.#metadata.value, path);
  }

  /** Returns the customer's passes for a template, or for all templates if `templateId` is `null`, oldest first. */
  listPasses(templateId: string | null): readonly PassFacts[] {
    if (templateId === null) return this.passes;
    return this.passes.filter(({ pass }) => pass.templateId === templateId);
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
    const storedVisits = this.#visits.get(templateId);
    if (storedVisits !== undefined) return storedVisits;
    const [first = [], ...otherLists] = this.listCards(templateId).map((card) => this.#visitsOfCard(card));
    const visits = otherLists.length === 0 ? first : [first, ...otherLists].flat().sort((a, b) => b - a);
    this.#visits.set(templateId, visits);
    return visits;
  }

  #visitsOfCard(card: StoredStampCard): readonly number[] {
    const storedVisits = this.#visitsOfCards.get(card) ?? JSON.parse(card.visits);
    this.#visitsOfCards.set(card, storedVisits);
    return storedVisits;
  }
}
