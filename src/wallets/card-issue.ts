import type { Step } from "../concurrency/step.js";
import { transformCardSecrets } from "../sealing/row-secrets.js";
import { randomBase62 } from "../secrets/token-format.js";
import type { StoredPass } from "../storage/passes.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import type { StoredWalletCard } from "../storage/wallets.js";
import type { Tenant } from "../tenant/tenant.js";
import { noMessage } from "./card-messages.js";

/** Longer than could ever be guessed: 190 bits. Apple asks for 16 characters at least. */
const TOKEN_LENGTH = 32;

/** A text that opens links; another one revokes those before. */
export function createLinkToken(): string {
  return randomBase62(TOKEN_LENGTH);
}

/** The card of a pass with its secrets open, which is made when wallets hear of the pass for the first time. */
export function* ensureWalletCard(
  { organizationId, engine: { secretKeys: keys, clock } }: Tenant,
  tx: StorageTransaction,
  pass: StoredPass,
): Step<StoredWalletCard> {
  const now = clock();
  const queue = yield* tx.lockWalletQueue(organizationId, true);
  if (queue === null) {
    // Earlier events are in the cards that are made from now on.
    const position = yield* tx.newestEventPosition(organizationId);
    yield* tx.insertWalletQueue(organizationId, { position, revision: 0, sweeps: [] });
  }
  const known = yield* tx.findWalletCard(organizationId, pass.id);
  if (known !== null) return transformCardSecrets(keys, "open", organizationId, known);
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
  yield* tx.insertWalletCard(organizationId, transformCardSecrets(keys, "seal", organizationId, card));
  return card;
}
