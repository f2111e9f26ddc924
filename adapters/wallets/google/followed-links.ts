import { FairSemaphore } from "../../../src/concurrency/fair-semaphore.js";
import { failure } from "../../../src/errors.js";
import type { ErrorListener } from "../../../src/index.js";
import { putLatest } from "../../../src/latest-entries.js";
import type { IssuedCard } from "../../../src/wallets/issued-card.js";
import type { WalletDesk } from "../../../src/wallets/wallet-desk.js";
import { saidBy } from "./api-client.js";
import { objectIdOf } from "./card-content.js";
import type { CardWriter } from "./card-writer.js";
import type { GoogleIdentity } from "./identity.js";
import { saveLink } from "./save-link.js";

/** How many cards are put to Google at once for who follows a link, and which part of what others leave one organization may have. */
const AT_ONCE = 5;
const SHARE = 0.5;

/** How many cards of an organization wait for that, and for how long, in milliseconds. */
const WAITING = 25;
const PATIENCE_MS = 10_000;

/** How many links are remembered, and for how long. */
const MAX_LINKS = 1_000;
const LINK_MS = 3_600_000;

interface KnownLink {
  readonly link: string;
  readonly madeAt: number;
}

/**
 * Leads from the link of a pass to Google's own. Google gets the card when the first one wants it there: all who follow a link
 * meanwhile share that call, and a card that is known to be there costs none.
 */
export class FollowedLinks {
  private readonly slots = new FairSemaphore(AT_ONCE, SHARE, {
    length: WAITING,
    patience: PATIENCE_MS,
    refusal: () => failure("storage_unavailable"),
  });
  private readonly putting = new Map<string, Promise<string | null>>();
  private readonly known = new Map<string, KnownLink>();

  constructor(
    private readonly desk: Pick<WalletDesk, "clock" | "google">,
    private readonly identity: GoogleIdentity,
    private readonly writer: Pick<CardWriter, "insert">,
    private readonly onError: ErrorListener,
  ) {}

  /** The link of a card, if nothing need be done for it. */
  knownOf({ card }: IssuedCard): string | null {
    const known = this.known.get(card.passId);
    return known !== undefined && this.desk.clock() - known.madeAt < LINK_MS ? known.link : null;
  }

  /**
   * The link of a card, which Google has then.
   * @returns `null` when Google does not take it.
   * @throws {LoyaltyError} `storage_unavailable` when too many cards of the organization wait.
   */
  async of(issued: IssuedCard): Promise<string | null> {
    const known = this.knownOf(issued);
    if (known !== null) return known;
    const { passId } = issued.card;
    const putting = this.putting.get(passId) ?? this.put(issued).finally(() => this.putting.delete(passId));
    this.putting.set(passId, putting);
    return putting;
  }

  private async put(issued: IssuedCard): Promise<string | null> {
    const { organizationId, card } = issued;
    const { passId, revision, atGoogleSince } = card;
    if (atGoogleSince === null) {
      const answer = await this.slots.run(organizationId, () => this.writer.insert(issued));
      if (answer.status !== 200) {
        this.onError(new Error(`Google's wallet takes no card: ${saidBy(answer)}`));
        return null;
      }
      await this.desk.google.mark(organizationId, passId, revision);
    }
    const madeAt = this.desk.clock();
    const link = await saveLink(this.identity, objectIdOf(this.identity, passId), madeAt);
    putLatest(this.known, passId, { link, madeAt }, MAX_LINKS);
    return link;
  }
}
