import type { Step } from "../base/concurrency/step.js";
import { randomBase62 } from "../base/secrets/token-format.js";
import type { RecordEvent } from "../kernel/events/recording.js";
import type { Change, Tenant } from "../kernel/tenant.js";
import { countCard } from "../statistics/count-deltas.js";
import type { StoredPass, StoredStampCard } from "../storage/passes.js";
import type { StoredTemplate } from "../storage/templates.js";
import type { StoredUser } from "../storage/users.js";
import { walletPassOf } from "./pass-schema.js";

const CODE_LENGTH = 12;

/** The fields of a new pass that have defaults. */
type PassFields = Partial<Pick<StoredPass, "code" | "isPreviewPass" | "createdAt">>;

/** Issues a pass to a user in the caller's transaction, and records a `pass.created` event. */
export function* issuePass(
  { tenant, tx, record }: Change,
  template: StoredTemplate,
  user: StoredUser,
  fields: PassFields = {},
): Step<StoredPass> {
  const pass = buildPass(tenant, template, user, fields);
  yield* tx.insertPass(pass);
  recordPassCreated(tenant, record, pass);
  return pass;
}

export function buildPass(
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
    card: buildStampCard(template),
    ...fields,
    createdAt,
    updatedAt: createdAt,
  };
}

export function recordPassCreated({ engine }: Tenant, record: RecordEvent, pass: StoredPass): void {
  record("pass.created", walletPassOf(pass, engine.config.shortLinks.current), { cards: countCard(pass) });
}

/** Returns an empty stamp card with the template's current `maxStamps`, or `null` if the template isn't a stamp card. */
export function buildStampCard({ maxStamps }: StoredTemplate): StoredStampCard | null {
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
