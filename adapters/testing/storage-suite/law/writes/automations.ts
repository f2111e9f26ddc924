import {
  automationRecord,
  automationRunRecord,
  type StoredAutomation,
  type StoredAutomationRun,
} from "../../../../../src/storage/automations.js";
import type { StorageTransaction } from "../../../../../src/storage/storage-adapter.js";
import { someAutomation, someAutomationRun } from "../../kit/automation-records.js";
import type { World } from "../world.js";
import { chooseRow, pickUser, type Write, type WriteName } from "./choosing.js";

const versions = [1, 2, 3];
const occasions = ["evt_1", "evt_2", "2026-03-01"];

const createAutomationFields = (world: World): Partial<StoredAutomation> => ({
  ...world.createFields(automationRecord),
  version: world.pickOne(versions),
});

function createRunFields(world: World): Partial<StoredAutomationRun> {
  const fields = { ...world.createFields(automationRunRecord), version: world.pickOne(versions) };
  const isWaiting = world.oneIn(2);
  return {
    ...fields,
    status: isWaiting ? "WAITING" : world.pickOne(["DONE", "SKIPPED", "FAILED"] as const),
    nextAttemptAt: isWaiting ? world.time() : null,
  };
}

export const pickAutomation = (tx: StorageTransaction, world: World) =>
  chooseRow(world, world.automations, (automation) => tx.findAutomation(automation.id));

export const automationWrites = {
  *insertAutomation(tx, world) {
    const automation = someAutomation({ ...createAutomationFields(world), id: world.id() });
    yield* tx.insertAutomation(world.track(world.automations, automation));
  },
  *updateAutomation(tx, world) {
    const automation = { ...world.pickOne(world.automations), ...createAutomationFields(world) };
    yield* tx.updateAutomation(world.track(world.automations, automation));
  },
  deleteAutomation: (tx, world) => tx.deleteAutomation(world.pickOne(world.automations).id),
  *insertPastAutomation(tx, world) {
    const automation = yield* pickAutomation(tx, world);
    if (automation === null) return;
    const version = 3 + (yield* tx.countPastAutomations(automation.id));
    if ((yield* tx.automationVersion(automation.id, version)) !== null) return;
    const { if: filter, after, do: actions, per } = automation;
    const past = { automationId: automation.id, version, if: filter, after, do: actions, per };
    const creatorId = world.pickOne([null, "akt_1", "akt_2"]);
    yield* tx.insertPastAutomation({ ...past, creatorId, endedAt: world.time() });
  },
  removePastAutomations: (tx, world) =>
    tx.removePastAutomations(world.pickOne(world.automations).id, world.time()),
  *insertAutomationRuns(tx, world) {
    const runs: StoredAutomationRun[] = [];
    for (const occasion of world.pickSome(occasions, 3)) {
      const user = yield* pickUser(tx, world);
      if (user === null) continue;
      const fields = { ...createRunFields(world), id: world.id(), occasion };
      runs.push(world.track(world.runs, someAutomationRun(world.pickOne(world.automations), user, fields)));
    }
    yield* tx.insertAutomationRuns(runs);
  },
  *updateAutomationRuns(tx, world) {
    const runs = world.pickSome(world.runs, 3).map((run) => ({ ...run, ...createRunFields(world) }));
    yield* tx.updateAutomationRuns(runs);
  },
  skipWaitingRuns: (tx, world) =>
    tx.skipWaitingRuns(world.pickOne(world.automations).id, "disabled", world.time()),
  *putAutomationCompletion(tx, world) {
    const automation = yield* pickAutomation(tx, world);
    const user = yield* pickUser(tx, world);
    if (automation === null || user === null) return;
    yield* tx.putAutomationCompletion({
      automationId: automation.id,
      userId: user.id,
      doneAt: world.time(),
    });
  },
  removeAutomationRuns: (tx, world) => tx.removeAutomationRuns(world.time(), world.pickOne([1, 2, 100])),
} satisfies Partial<Record<WriteName, Write>>;
