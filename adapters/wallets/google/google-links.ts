import { putAndEvict } from "../../../src/bounded-map.js";
import { FairSemaphore } from "../../../src/concurrency/fair-semaphore.js";
import { unavailable } from "../../../src/errors.js";
import type { ErrorListener } from "../../../src/events/event-emitter.js";
import type { IssuedCard } from "../../../src/wallets/issued-card.js";
import type { WalletBackend } from "../../../src/wallets/wallet-backend.js";
import { SingleFlight } from "../single-flight.js";
import { describeResponse } from "./api-client.js";
import { formatObjectId } from "./card-content.js";
import type { CardWriter } from "./card-writer.js";
import { type GoogleIdentity, signAccountJwt } from "./identity.js";

/** Cards that followed links create at Google at the same time, and an organization's share of the free slots. */
const AT_ONCE = 5;
const SHARE = 0.5;

/** An organization's cards that wait are limited, and give up after this time. */
const WAITING = 25;
const PATIENCE_MS = 10_000;

const MAX_LINKS = 1_000;
const LINK_MS = 3_600_000;

const SAVE = "https://pay.google.com/gp/v/save/";

/** A longer link is cut off on its way. */
const MAX_LENGTH = 1_800;

interface KnownLink {
  readonly link: string;
  readonly madeAt: number;
}

/**
 * Redirects the link of a pass to Google's own link. The card is created at Google for the first person who wants it there:
 * concurrent requests for one link share that call, and a card that is known to be there takes none.
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

  /** The link of a card, if nothing need be done for it. */
  findCached({ card }: IssuedCard): string | null {
    const known = this.known.get(card.passId);
    return known !== undefined && this.backend.clock() - known.madeAt < LINK_MS ? known.link : null;
  }

  /**
   * The link of a card, which Google has then.
   * @returns `null` if Google does not take it.
   * @throws {LoyaltyError} `storage_unavailable` if too many cards of the organization wait.
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

/** Returns the link for adding an object that Google already has to one's wallet. It contains only its id. */
async function saveLink(identity: GoogleIdentity, objectId: string, now: number): Promise<string> {
  const claims = { typ: "savetowallet", payload: { loyaltyObjects: [{ id: objectId }] } };
  const link = `${SAVE}${await signAccountJwt(identity, "google", claims, now)}`;
  if (link.length > MAX_LENGTH)
    throw new RangeError("the key of Google's service account is too long for a link");
  return link;
}
