import type { Step } from "../concurrency/step.js";
import type { Recorder } from "../events/recording.js";
import { walletPassOf } from "../resources/pass.js";
import { randomBase62 } from "../secrets/token-format.js";
import { cardsOf } from "../statistics/counted.js";
import type { StoredPass, StoredStampCard } from "../storage/passes.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import type { StoredTemplate } from "../storage/templates.js";
import type { StoredUser } from "../storage/users.js";
import type { Tenant } from "../tenant/tenant.js";

const CODE_LENGTH = 12;

/** These fields of a new pass have a default. */
type PassFields = Partial<Pick<StoredPass, "code" | "isPreviewPass" | "createdAt">>;

/** Issues a pass in a running transaction. */
export function* issue(
  tenant: Tenant,
  tx: StorageTransaction,
  record: Recorder,
  template: StoredTemplate,
  user: StoredUser,
  fields: PassFields = {},
): Step<StoredPass> {
  const pass = newPass(tenant, template, user, fields);
  yield* tx.insertPass(tenant.organizationId, pass);
  tellOfPass(tenant, record, pass);
  return pass;
}

export function newPass(
  tenant: Tenant,
  template: StoredTemplate,
  user: StoredUser,
  fields: PassFields,
): StoredPass {
  const createdAt = fields.createdAt ?? tenant.now();
  return {
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
}

export function tellOfPass({ engine }: Tenant, record: Recorder, pass: StoredPass): void {
  record("pass.created", walletPassOf(pass, engine.shortLinks.current), { cards: cardsOf(pass) });
}

/** A pass keeps the `maxStamps` of the moment when it was made. */
export function newCard({ maxStamps }: StoredTemplate): StoredStampCard | null {
  if (maxStamps === null) return null;
  return {
    maxStamps,
    currentStamps: 0,
    timesCompleted: 0,
    rewardsAvailable: 0,
    totalStampsCollected: 0,
    lastStampAt: null,
    visits: "[]",
    entries: 0,
  };
}
