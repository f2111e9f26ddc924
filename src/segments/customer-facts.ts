import type { StoredPass, StoredStampCard } from "../storage/passes.js";
import type { StoredSubscription } from "../storage/subscriptions.js";
import type { StoredUser } from "../storage/users.js";
import type { WalletPlatform } from "../storage/wallets.js";
import { valueAt } from "../values/metadata-value.js";

/** A pass, and the platforms of the devices that have it. */
export interface PassFacts {
  readonly pass: StoredPass;
  readonly platforms: readonly WalletPlatform[];
}

/** The facts that filters read about one customer, in one state. JSON columns are parsed once, when they are needed. */
export class CustomerFacts {
  #metadata: { readonly value: unknown } | null = null;
  readonly #visits = new Map<string | null, readonly number[]>();
  readonly #visitsOfCards = new Map<StoredStampCard, readonly number[]>();

  constructor(
    readonly user: StoredUser,
    /** The time of the assignment of each tag, by slug. */
    readonly tags: ReadonlyMap<string, number>,
    /** Oldest first. */
    readonly passes: readonly PassFacts[],
    readonly subscription: StoredSubscription | null,
  ) {}

  /** The value at a path of the metadata; `undefined` for none. */
  metadataAt(path: readonly string[]): unknown {
    this.#metadata ??= { value: JSON.parse(this.user.metadata) };
    return valueAt(this.#metadata.value, path);
  }

  /** The passes of a template, or of all with `null`, oldest first. */
  listPasses(templateId: string | null): readonly PassFacts[] {
    if (templateId === null) return this.passes;
    return this.passes.filter(({ pass }) => pass.templateId === templateId);
  }

  /** The cards of a template, or of all with `null`, oldest first. */
  listCards(templateId: string | null): readonly StoredStampCard[] {
    return this.listPasses(templateId).flatMap(({ pass }) => pass.card ?? []);
  }

  /** The newest visits that the cards of a template keep, or all cards with `null`, newest first. */
  listVisits(templateId: string | null): readonly number[] {
    const known = this.#visits.get(templateId);
    if (known !== undefined) return known;
    const [first = [], ...others] = this.listCards(templateId).map((card) => this.#visitsOfCard(card));
    const visits = others.length === 0 ? first : [first, ...others].flat().sort((one, other) => other - one);
    this.#visits.set(templateId, visits);
    return visits;
  }

  /** Newest first, as the card keeps them. */
  #visitsOfCard(card: StoredStampCard): readonly number[] {
    const known = this.#visitsOfCards.get(card) ?? JSON.parse(card.visits);
    this.#visitsOfCards.set(card, known);
    return known;
  }
}
