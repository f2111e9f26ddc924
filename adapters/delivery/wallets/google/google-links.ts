import { putAndEvict } from "../../../../src/base/bounded-map.js";
import { FairSemaphore } from "../../../../src/base/concurrency/fair-semaphore.js";
import { unavailable } from "../../../../src/base/errors.js";
import type { ErrorListener } from "../../../../src/kernel/events/event-emitter.js";
import type { IssuedCard } from "../../../../src/wallets/issued-card.js";
import type { WalletBackend } from "../../../../src/wallets/wallet-backend.js";
import { SingleFlight } from "../single-flight.js";
import { describeResponse } from "./api-client.js";
import { formatObjectId } from "./card-content.js";
import type { CardWriter } from "./card-writer.js";
import { type GoogleIdentity, signAccountJwt } from "./identity.js";

/** Maximum number of cards that followed links create at Google concurrently, and an organization's share of the free slots. */
const AT_ONCE = 5;
const SHARE = 0.5;

/** Maximum number of an organization's cards that wait, and how long each waits, in milliseconds. */
const WAITING = 25;
const PATIENCE_MS = 10_000;

const MAX_LINKS = 1_000;
const LINK_MS = 3_600_000;

const SAVE = "https://pay.google.com/gp/v/save/";

/** Maximum length of a link. Longer links may be truncated on their way. */
const MAX_LENGTH = 1_800;

interface KnownLink {
  readonly link: string;
  readonly madeAt: number;
}

/**
 * Creates the links that add cards to Google Wallet. A card is sent to Google the first time someone requests its link. Concurrent
 * requests for the same pass share a single call to Google.
 */
export class GoogleLinks {
  private readonly slots = new FairSemaphore(AT_ONCE, SHARE, {
    length: WAITING,
    patience: PATIENCE_MS,
    createError: () => unavailable("crowded"),
  });
  private readonly puts = new SingleFlight<string | null>();
  private readonly known = new Map<string, KnownLink>();

  constructor(
    private readonly backend: Pick<WalletBackend, "clock" | "google">,
    private readonly identity: GoogleIdentity,
    private readonly writer: Pick<CardWriter, "insert">,
    private readonly onError: ErrorListener,
  ) {}

  /** Returns a card's link if it is cached and hasn't expired, or `null` otherwise. */
  findCached({ card }: IssuedCard): string | null {
    const known = this.known.get(card.passId);
    return known !== undefined && this.backend.clock() - known.madeAt < LINK_MS ? known.link : null;
  }

  /**
   * Returns a card's link, sending the card to Google first if necessary.
   * @returns the link, or `null` if Google rejects the card.
   * @throws {LoyaltyError} `storage_unavailable` if too many of the organization's cards are already waiting.
   */
  async getOrCreate(issued: IssuedCard): Promise<string | null> {
    return this.findCached(issued) ?? this.puts.run(issued.card.passId, () => this.put(issued));
  }

  private async put(issued: IssuedCard): Promise<string | null> {
    const { organizationId, card } = issued;
    const { passId, revision, atGoogleSince } = card;
    if (atGoogleSince === null) {
      const answer = await this.slots.run(organizationId, () => this.writer.insert(issued));
      if (answer.status !== 200) {
        this.onError(new Error(`Google's wallet takes no card: ${describeResponse(answer)}`));
        return null;
      }
      await this.backend.google.recordAtGoogle(organizationId, passId, revision);
    }
    const madeAt = this.backend.clock();
    const link = await saveLink(this.identity, formatObjectId(this.identity, passId), madeAt);
    putAndEvict(this.known, passId, { link, madeAt }, MAX_LINKS);
    return link;
  }
}

/** Builds the link that adds an existing object to a wallet. The link contains only the object's ID. */
async function saveLink(identity: GoogleIdentity, objectId: string, now: number): Promise<string> {
  const claims = { typ: "savetowallet", payload: { loyaltyObjects: [{ id: objectId }] } };
  const link = `${SAVE}${await signAccountJwt(identity, "google", claims, now)}`;
  if (link.length > MAX_LENGTH)
    throw new RangeError("the key of Google's service account is too long for a link");
  return link;
}
