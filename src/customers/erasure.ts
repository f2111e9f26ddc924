import { turns } from "../concurrency/event-loop.js";
import type { Step } from "../concurrency/step.js";
import { erasableTypes } from "../resources/event-data.js";
import { revokedPassOf } from "../resources/pass.js";
import { deletedUserOf } from "../resources/user.js";
import type { NewEventData } from "../storage/events.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import type { StoredUser } from "../storage/users.js";
import type { Tenant } from "../tenant/tenant.js";
import { isAwaited } from "../wallets/revoked-cards.js";

/** How many events are looked at in one go. */
const LOOKED_AT = 500;

/**
 * Takes from what is kept beside a user's own rows all that tells of the user but ids, in a running transaction: from events,
 * deliveries, kept answers and wallets. Events keep their places, kinds and times. Devices that have a pass of the user stay
 * until they are told, where there are wallets that tell them.
 * @param passIds of the passes that the user still has.
 */
export function* eraseTraces(
  { organizationId, engine }: Tenant,
  tx: StorageTransaction,
  user: StoredUser,
  passIds: readonly string[],
): Step<void> {
  for (const { id } of yield* tx.listWebhookEndpoints(organizationId)) {
    yield* tx.lockWebhookEndpoint(organizationId, id, true);
  }
  const inWallets = new Set(passIds);
  for (let after = 0; ; ) {
    const events = yield* tx.listEvents(organizationId, erasableTypes, after, LOOKED_AT);
    const last = events.at(-1);
    if (last === undefined) break;
    after = last.position;
    const told: NewEventData[] = [];
    for (const { id, data } of events) {
      // Reading JSON takes longer than looking for an id.
      const left = data.includes(user.id) ? leftOf(JSON.parse(data), user) : null;
      if (left === null) continue;
      if (left.object === "wallet_pass") inWallets.add(left.id);
      told.push({ id, data: JSON.stringify(left) });
    }
    if (told.length > 0) yield* tx.replaceEventData(organizationId, told);
    yield* turns();
  }
  yield* tx.forgetSubjects(organizationId, subjectsOf(user));
  yield* tx.forgetAnswers(organizationId, user.id);
  if ((yield* tx.lockWalletQueue(organizationId, true)) === null) return;
  const now = engine.clock();
  for (const passId of inWallets)
    yield* eraseCard(tx, organizationId, passId, engine.wallets.isOn ? now : null);
}

/** @param now `null` when there is nobody to tell the devices. */
function* eraseCard(
  tx: StorageTransaction,
  organizationId: string,
  passId: string,
  now: number | null,
): Step<void> {
  const card = yield* tx.findWalletCard(organizationId, passId);
  if (card === null) return;
  const devices = yield* tx.walletDevicesOf(organizationId, [passId]);
  const has = new Set(devices.filter(({ state }) => state === "registered"));
  if (now === null || (has.size === 0 && !isAwaited(card, now))) {
    yield* tx.deleteWalletCard(organizationId, passId);
    return;
  }
  for (const device of devices) if (!has.has(device)) yield* tx.deleteWalletDevice(organizationId, device);
  if (card.revokedAt === null) return;
  // The event that revoked it came before it: phones are told once more, and are let go of in the end.
  const delivery = { passId, revision: card.revision, nextAttemptAt: now, createdAt: now };
  yield* tx.putWalletDeliveries(organizationId, [{ ...delivery, platform: "apple" }]);
}

/** What a host may call a user by when it says who acts. */
export function subjectsOf({ id, email, externalId }: StoredUser): string[] {
  return externalId === null ? [id, email] : [id, email, externalId];
}

type Told = Parameters<typeof deletedUserOf>[0] | Parameters<typeof revokedPassOf>[0];

/** What an event still tells of a user or one of its passes; `null` when it tells of another's. */
function leftOf(data: Told, user: StoredUser) {
  if ("userId" in data) return data.userId === user.id ? revokedPassOf(data) : null;
  return data.id === user.id ? deletedUserOf(data) : null;
}
