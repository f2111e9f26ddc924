import type { StampCard, StampReceipt } from "../../../src/cards/stamps-schema.js";
import type { Organization } from "../../../src/organization.js";
import type { FakeWallets } from "./fake-wallets.js";

/** A customer's card in a test, with methods for stamping it, redeeming its rewards, and adding it to a wallet. */
export class TestCard {
  constructor(
    private readonly organization: Organization,
    private readonly wallets: FakeWallets | null,
    /** The pass's ID. */
    readonly id: string,
  ) {}

  /** Adds `count` stamps to the card. Default: one stamp. */
  stamp(count = 1): Promise<StampReceipt> {
    return this.organization.stamps.add(this.id, { count });
  }

  /**
   * Redeems one of the card's rewards.
   * @throws {LoyaltyError} `no_reward_available` if the card has no reward.
   */
  redeem(): Promise<StampReceipt> {
    return this.organization.stamps.redeem(this.id);
  }

  /** Returns the card's current stamps and rewards. */
  state(): Promise<StampCard> {
    return this.organization.stamps.state(this.id);
  }

  /**
   * Adds the card to a wallet, which receives all later changes to the card.
   * @throws {Error} if the test was opened without the `wallets` option.
   */
  async addTo(wallet: "apple" | "google"): Promise<void> {
    const { wallets, id } = this;
    if (wallets === null) throw new Error("wallets are disabled: pass wallets: true to testLoyalty");
    const { apple, google } = await this.organization.passes.walletLinks(id);
    const link = wallet === "apple" ? apple : google;
    if (link === null) throw new Error(`the card has no link for the ${wallet} wallet`);
    await (wallet === "apple" ? wallets.addToApple(id, link) : wallets.addToGoogle(link));
  }
}

/** A customer in a test, with their cards and methods for issuing and stamping cards. */
export class TestCustomer {
  /** The customer's cards, oldest first. */
  readonly cards: TestCard[] = [];

  constructor(
    private readonly organization: Organization,
    private readonly wallets: FakeWallets | null,
    /** The user's ID. */
    readonly id: string,
    /** The user's email address. */
    readonly email: string,
  ) {}

  /**
   * The customer's oldest card.
   * @throws {Error} if the customer has no card.
   */
  get card(): TestCard {
    const [card] = this.cards;
    if (card === undefined)
      throw new Error(`${this.email} has no card: pass stamps to customer() or call newCard(template.id)`);
    return card;
  }

  /** Issues the customer another card from the given template. */
  async newCard(templateId: string): Promise<TestCard> {
    const { id } = await this.organization.passes.create(templateId, { userId: this.id });
    const card = new TestCard(this.organization, this.wallets, id);
    this.cards.push(card);
    return card;
  }

  /** Adds `count` stamps to the customer's oldest card. Default: one stamp. */
  stamp(count?: number): Promise<StampReceipt> {
    return this.card.stamp(count);
  }
}
