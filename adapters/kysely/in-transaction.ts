import type { AnyFunction, Functions } from "../../src/storage/methods.js";
import type { StorageTransaction } from "../../src/storage/storage-adapter.js";
import type { Changing } from "./change/pending.js";
import type { ReadingSets } from "./segments/segment-cache.js";

/** What the functions of a transaction run on. */
export type ChangingSets = Changing & ReadingSets;

type Name = keyof StorageTransaction;

/** They read in the tables what may still be pending. */
const ofPending: ReadonlySet<string> = new Set<Name>([
  "listContacts",
  "readSegments",
  "verifySegments",
  "rebuildSegments",
  "listEvents",
  "listEventHeads",
  "newestEventPosition",
  "countedDays",
  "endpointsToServe",
  "walletQueuesToServe",
  "isEmpty",
]);

/** They look at all organizations, and lock none. */
const ofNoOrganization: ReadonlySet<string> = new Set<Name>([
  "findApiTokenByHash",
  "findApp",
  "findGrantTokenByHash",
  "endpointsToServe",
  "webhookEndpointsBehind",
  "organizationOfCode",
  "organizationOfTemplate",
  "findWalletPass",
  "walletPassesBehind",
  "walletCardsBehind",
  "walletCardsOfDevice",
  "walletDevicesOfToken",
  "walletQueuesToServe",
  "organizationsWithWallets",
  "findPicture",
  "isEmpty",
]);

/**
 * These wait for nobody, or for the endpoint alone, whose row is locked instead. None of them locks the organization after
 * it: who already has that one may be waiting for the endpoint.
 */
const ofAnEndpoint: ReadonlySet<string> = new Set<Name>([
  "lockWebhookEndpoint",
  "updateWebhookEndpoint",
  "deleteWebhookEndpoint",
  "newestEventPosition",
  "listEventHeads",
  "eventsById",
  "pendingDeliveries",
  "listDeliveries",
  "findDelivery",
  "attemptsOf",
  "insertDeliveries",
  "claimDeliveries",
  "recordAttempts",
  "removeDeliveries",
]);

/** These wait for the wallet queue of the organization alone, whose row is locked instead, as that of an endpoint. */
const ofAWalletQueue: ReadonlySet<string> = new Set<Name>([
  "lockWalletQueue",
  "updateWalletQueue",
  "findWalletQueue",
  "findWalletCard",
  "walletCardsOf",
  "walletCardsOfTemplate",
  "walletDevicesOf",
  "updateWalletCards",
  "deleteWalletCard",
  "putWalletDevice",
  "deleteWalletDevice",
  "putWalletDeliveries",
  "claimWalletDeliveries",
  "settleWalletDeliveries",
]);

/** They don't wait for the organization. */
const unlocked: ReadonlySet<string> = new Set([...ofNoOrganization, ...ofAnEndpoint, ...ofAWalletQueue]);

/**
 * The functions as they run in a transaction. Where transactions run side by side, each call first locks the row of its
 * organization. So the transactions of one organization run one after the other, what one of them reads stays as it is,
 * and all locks are taken in one order: first the organization's, then those of its rows. Organizations never wait for
 * each other. The lock also lets the transaction in, where its fence has not done so when it began.
 */
export function inTransaction(
  functions: Functions<StorageTransaction, ChangingSets>,
  locksOrganizations: boolean,
): Functions<StorageTransaction, ChangingSets> {
  const wrapped = Object.entries<AnyFunction<ChangingSets>>(functions).map(([name, run]) => {
    const written = ofPending.has(name) ? afterWriting(run) : run;
    if (!locksOrganizations) return [name, written];
    return [name, unlocked.has(name) ? afterLettingIn(written) : afterLocking(written)];
  });
  // The same names, with functions of the same types.
  return Object.fromEntries(wrapped);
}

function afterWriting(run: AnyFunction<ChangingSets>): AnyFunction<ChangingSets> {
  return function* (on, ...args) {
    yield* on.pending.write();
    return yield* run(on, ...args);
  };
}

function afterLettingIn(run: AnyFunction<ChangingSets>): AnyFunction<ChangingSets> {
  return function* (on, ...args) {
    yield* on.pending.letIn();
    return yield* run(on, ...args);
  };
}

function afterLocking(run: AnyFunction<ChangingSets>): AnyFunction<ChangingSets> {
  return function* (on, organizationId, ...rest) {
    yield* on.pending.lock(organizationId);
    return yield* run(on, organizationId, ...rest);
  };
}
