import { FairSemaphore } from "../../../src/concurrency/fair-semaphore.js";
import { unavailable } from "../../../src/errors.js";
import type { ErrorListener } from "../../../src/index.js";
import { putAndEvict } from "../../../src/bounded-map.js";
import type { IssuedCard } from "../../../src/wallets/issued-card.js";
import type { WalletBackend } from "../../../src/wallets/wallet-backend.js";
import { SingleFlight } from "../single-flight.js";
import { describeResponse } from "./api-client.js";
import { formatObjectId } from "./card-content.js";
import type { CardWriter } from "./card-writer.js";
import { signAccountJwt, type GoogleIdentity } from "./identity.js";

/** Followed links put so many cards to Google at once; one organization may have this share of what others leave. */
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
 * Leads from the link of a pass to Google's own. Google gets the card when the first one wants it there: all who follow a link
 * meanwhile share that call, and a card that is known to be there costs none.
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
   * @returns `null` when Google does not take it.
   * @throws {LoyaltyError} `storage_unavailable` when too many cards of the organization wait.
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

/** Returns where somebody adds an object, which Google has already, to the own wallet. It names no more than its id. */
async function saveLink(identity: GoogleIdentity, objectId: string, now: number): Promise<string> {
  const claims = { typ: "savetowallet", payload: { loyaltyObjects: [{ id: objectId }] } };
  const link = `${SAVE}${await signAccountJwt(identity, "google", claims, now)}`;
  if (link.length > MAX_LENGTH)
    throw new RangeError("the key of Google's service account is too long for a link");
  return link;
}
