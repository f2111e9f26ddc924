import type { Step } from "../base/concurrency/step.js";
import { randomBase62 } from "../base/secrets/token-format.js";
import type { Tenant } from "../kernel/tenant.js";
import type { StoredPass } from "../storage/passes.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import { type StoredWalletCard, walletCardRecord, walletJobs } from "../storage/wallets.js";
import { noMessage } from "./card-messages.js";

/** Length of a token, in characters: 190 bits of entropy, which can't be guessed. Apple requires at least 16 characters. */
const TOKEN_LENGTH = 32;

/** Creates the secret token for a card's links. Storing the token invalidates the card's previous links. */
export function createLinkToken(): string {
  return randomBase62(TOKEN_LENGTH);
}

/** Returns a pass's wallet card, with its secrets decrypted. Creates the card if the pass doesn't have one yet. */
export function* ensureWalletCard(
  { organizationId, engine: { secrets, clock } }: Tenant,
  tx: StorageTransaction,
  pass: StoredPass,
): Step<StoredWalletCard> {
  const now = clock();
  const queue = yield* tx.lockQueue(walletJobs);
  if (queue === null) {
    // Cards created from now on already reflect earlier events.
    const position = yield* tx.newestEventPosition();
    yield* tx.insertQueue(walletJobs, { position, revision: 0, sweeps: [] });
  }
  const existingCard = yield* tx.findWalletCard(pass.id);
  if (existingCard !== null) return secrets.open(walletCardRecord, organizationId, existingCard);
  const card: StoredWalletCard = {
    passId: pass.id,
    templateId: pass.templateId,
    authenticationToken: randomBase62(TOKEN_LENGTH),
    linkToken: createLinkToken(),
    revision: 0,
    changedAt: Math.floor(now / 1_000) * 1_000,
    atGoogleSince: null,
    revokedAt: null,
    notifiedUntil: null,
    releasedAt: null,
    ...noMessage,
    notificationTimes: [],
    createdAt: now,
  };
  yield* tx.insertWalletCard(secrets.seal(walletCardRecord, organizationId, card));
  return card;
}
