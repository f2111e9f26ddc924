import { resolveActor } from "../access/actor-schema.js";
import type { Step } from "../base/concurrency/step.js";
import type { BackendParts } from "../kernel/tenant.js";
import { cancelOnCards } from "../messages/automation-message.js";
import type { StoredAutomationRun } from "../storage/automations.js";
import type { RunContext } from "./run.js";

/** Maximum number of runs to end per transaction; the organization's other changes wait for it. */
const ENDED = 20;

/** A time later than any run's due time. */
const EVER = Number.MAX_SAFE_INTEGER;

/** A deleted automation with the outbox position of its deletion event. */
export interface DeletedAutomation {
  readonly id: string;
  readonly position: number;
}

/**
 * Removes a batch of a deleted automation's messages from cards. The organization's automations don't process events after the
 * deletion event until all of these messages are removed, so another worker can take over if this one crashes.
 * @param from the position up to which the automations have processed events.
 */
export async function cleanUpDeleted(
  engine: Pick<BackendParts, "delivery" | "openTenant">,
  organizationId: string,
  from: number,
  { id, position }: DeletedAutomation,
): Promise<void> {
  const actor = resolveActor({ kind: "automation", id });
  const tenant = engine.openTenant(organizationId, actor);
  await tenant.change(["automations.end"], function* (tx, record) {
    const queue = yield* tx.findAutomationQueue(organizationId);
    if (queue?.position !== from) return;
    if (yield* endSome({ tenant, tx, record, now: tenant.now() }, id)) return;
    yield* tx.updateAutomationQueue(organizationId, { ...queue, position });
  });
  engine.delivery.outbox?.signalWork(organizationId);
}

/**
 * Ends some of the automation's runs.
 * @returns whether there may be more.
 */
function* endSome(turn: RunContext, automationId: string): Step<boolean> {
  const { tenant, tx } = turn;
  const { organizationId } = tenant;
  const runs = yield* tx.dueAutomationRuns(organizationId, automationId, EVER, ENDED);
  const userIds = [...new Set(runs.map(({ userId }) => userId))];
  const users = new Map((yield* tx.usersById(organizationId, userIds)).map((user) => [user.id, user]));
  const ended: StoredAutomationRun[] = [];
  for (const run of runs) {
    const user = users.get(run.userId);
    if (user !== undefined) yield* cancelOnCards({ ...turn, run, user });
    ended.push({ ...run, nextAttemptAt: null });
  }
  yield* tx.updateAutomationRuns(organizationId, ended);
  return runs.length === ENDED;
}
