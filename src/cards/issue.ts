import type { Step } from "../concurrency/step.js";
import type { Recorder } from "../events/recording.js";
import { walletPassOf } from "../resources/pass.js";
import { randomBase62 } from "../secrets/base62.js";
import { cardsOf } from "../statistics/counted.js";
import type { StoredCard, StoredPass } from "../storage/passes.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import type { StoredTemplate } from "../storage/templates.js";
import type { StoredUser } from "../storage/users.js";
import type { Tenant } from "../tenant/tenant.js";

const CODE_LENGTH = 12;

/** Issues a pass in a running transaction. */
export function* issue(
  tenant: Tenant,
  tx: StorageTransaction,
  record: Recorder,
  template: StoredTemplate,
  user: StoredUser,
  fields: Partial<Pick<StoredPass, "code" | "isPreviewPass" | "createdAt">> = {},
): Step<StoredPass> {
  const createdAt = fields.createdAt ?? tenant.now();
  const pass: StoredPass = {
    id: tenant.newId("wp"),
    userId: user.id,
    templateId: template.id,
    code: randomBase62(CODE_LENGTH),
    isPreviewPass: false,
    installationStatus: null,
    card: newCard(template),
    ...fields,
    createdAt,
    updatedAt: createdAt,
  };
  yield* tx.insertPass(tenant.organizationId, pass);
  const { current } = tenant.engine.shortLinks;
  record("pass.created", walletPassOf(pass, current), { cards: cardsOf(pass) });
  return pass;
}

/** A pass keeps the `maxStamps` of the moment when it was made. */
export function newCard({ maxStamps }: StoredTemplate): StoredCard | null {
  if (maxStamps === null) return null;
  return {
    maxStamps,
    currentStamps: 0,
    timesCompleted: 0,
    rewardsAvailable: 0,
    totalStampsCollected: 0,
    lastStampAt: null,
    entries: 0,
  };
}
