import type { Step } from "../base/concurrency/step.js";
import { splitIntoBatches } from "../storage/batches.js";
import type { StoredMessageDelivery } from "../storage/mail.js";
import type { StorageReader, StorageTransaction } from "../storage/storage-adapter.js";
import type { StoredWalletCard, StoredWalletDevice } from "../storage/wallets.js";
import { clearFinishedDeliveries } from "../wallets/card-messages.js";
import { withEndStatus } from "./mail-outcome.js";

/**
 * Ends card deliveries whose message hasn't reached a wallet. A delivery is skipped with `customer_deleted` if the customer has
 * been deleted. It fails with `gave_up` if the message expired after a device was notified but before the device fetched the card.
 * Otherwise, it is skipped for the given reason.
 */
export function* endCardDeliveries(
  reader: StorageReader,
  deliveries: readonly StoredMessageDelivery[],
  reason: "canceled" | "expired",
  now: number,
): Step<StoredMessageDelivery[]> {
  const userIds = [...new Set(deliveries.map(({ userId }) => userId))];
  const existingIds = new Set((yield* reader.usersById(userIds)).map(({ id }) => id));
  const notifiedIds = reason === "expired" ? yield* findNotifiedDeliveryIds(reader, deliveries) : new Set();
  return deliveries.map((delivery) => {
    if (!existingIds.has(delivery.userId)) return withEndStatus(delivery, "SKIPPED", "customer_deleted", now);
    if (notifiedIds.has(delivery.id)) return withEndStatus(delivery, "FAILED", "gave_up", now);
    return withEndStatus(delivery, "SKIPPED", reason, now);
  });
}

/** Returns the IDs of deliveries for which a device with the card was notified. */
function* findNotifiedDeliveryIds(
  reader: StorageReader,
  deliveries: readonly StoredMessageDelivery[],
): Step<ReadonlySet<string>> {
  const notifiedIds = new Set<string>();
  for (const { card, devices } of yield* findWaitingCards(reader, deliveries)) {
    const isNotified = devices.some(({ notifiedRevision }) => notifiedRevision >= card.messageRevision);
    if (isNotified && card.messageDeliveryId !== null) notifiedIds.add(card.messageDeliveryId);
  }
  return notifiedIds;
}

/** A card that waits for a wallet to fetch it, with the devices that have it. */
interface WaitingCard {
  readonly card: StoredWalletCard;
  readonly devices: readonly StoredWalletDevice[];
}

/**
 * Returns the cards that a wallet still has to fetch because of the given deliveries.
 * @param deliveries at most 1,000 deliveries.
 */
export function* findWaitingCards(
  reader: StorageReader,
  deliveries: readonly StoredMessageDelivery[],
): Step<readonly WaitingCard[]> {
  const ids = new Set<string | null>(deliveries.map(({ id }) => id));
  const waitingCards: WaitingCard[] = [];
  for (const passIds of yield* readPassIdBatches(reader, deliveries)) {
    const cards = (yield* reader.walletCardsOf(passIds)).filter(
      ({ messageDeliveryId }) => messageDeliveryId !== null && ids.has(messageDeliveryId),
    );
    if (cards.length === 0) continue;
    const devices = yield* reader.walletDevicesOf(cards.map(({ passId }) => passId));
    const registeredDevices = devices.filter(({ state }) => state === "registered");
    for (const card of cards)
      waitingCards.push({ card, devices: registeredDevices.filter(({ passId }) => passId === card.passId) });
  }
  return waitingCards;
}

/**
 * Marks the cards for deliveries that have ended as no longer waiting for a wallet to fetch them.
 * @param deliveries at most 1,000 deliveries.
 */
export function* releaseWaitingCards(
  tx: StorageTransaction,
  deliveries: readonly StoredMessageDelivery[],
): Step<void> {
  const ids = deliveries.map(({ id }) => id);
  for (const passIds of yield* readPassIdBatches(tx, deliveries))
    yield* clearFinishedDeliveries(tx, passIds, ids);
}

/** Returns the IDs of the passes whose cards may show the deliveries' messages, in chunks that fit into a storage call. */
function* readPassIdBatches(
  reader: StorageReader,
  deliveries: readonly StoredMessageDelivery[],
): Step<readonly string[][]> {
  const ids = new Set(deliveries.flatMap(({ passId }) => passId ?? []));
  const users = yield* reader.usersById([...new Set(deliveries.map(({ userId }) => userId))]);
  if (users.length > 0) for (const { id } of yield* reader.passesOfUsers(users)) ids.add(id);
  return [...splitIntoBatches([...ids])];
}
