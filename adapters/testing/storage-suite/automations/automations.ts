import assert from "node:assert/strict";
import { runStep } from "../../../../src/base/concurrency/step.js";
import { automationJobs, type StoredAutomationRun } from "../../../../src/storage/automations.js";
import { SuiteOrganization } from "../kit/organization.js";
import { listIds } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";

const endedState = { status: "DONE", nextAttemptAt: null } as const;

export const automations: Statements = {
  "automations are listed oldest first, and replaced as a whole except for their creation time": async (
    storage,
    acme,
  ) => {
    for (const [id, createdAt] of Object.entries({ a: 3, b: 1, c: 3 }))
      await acme.automation({ id, createdAt });
    assert.equal(listIds(await runStep(storage.reader(acme.id).listAutomations())).join(""), "bac");
    assert.equal(await runStep(storage.reader(acme.id).countOf("automations")), 3);
    const previous = await runStep(storage.reader(acme.id).findAutomation("a"));
    assert(previous !== null);
    const after = {
      ...previous,
      name: "Welcome",
      isEnabled: true,
      version: 2,
      on: '{ "event":"user.created" }',
      if: '{"conditions":[]}',
      after: 30,
      do: "[1]",
      per: '"once"',
      startPosition: 9,
      creatorId: "akt_1",
      dateDay: "2026-03-01",
      dateCursor: 7,
      updatedAt: 8,
    };
    assert.equal(await storage.transaction("globex", (tx) => tx.updateAutomation(after)), false);
    assert.equal(await acme.write((tx) => tx.updateAutomation({ ...after, createdAt: 9 })), true);
    assert.deepEqual(await runStep(storage.reader(acme.id).findAutomation("a")), after);
    assert.equal(await runStep(storage.reader("globex").findAutomation("a")), null);
  },

  "automationVersion returns the current version, or a past one that is still stored": async (
    storage,
    acme,
  ) => {
    const automation = await acme.automation({ version: 3, after: 3 });
    const user = await acme.user();
    const content = { if: null, do: "[]", per: "{}", creatorId: null };
    for (const version of [1, 2]) {
      const past = { automationId: automation.id, version, ...content, after: version, endedAt: version };
      await acme.write((tx) => tx.insertPastAutomation(past));
    }
    const findAfter = async (version: number) =>
      (await runStep(storage.reader(acme.id).automationVersion(automation.id, version)))?.after ?? null;
    assert.deepEqual(
      [await findAfter(1), await findAfter(2), await findAfter(3), await findAfter(4)],
      [1, 2, 3, null],
    );
    assert.equal(await runStep(storage.reader(acme.id).countPastAutomations(automation.id)), 2);
    await acme.automationRuns({ ...automation, version: 1 }, user, [{}]);
    const remove = (before: number) => acme.write((tx) => tx.removePastAutomations(automation.id, before));
    await remove(2);
    assert.deepEqual([await findAfter(1), await findAfter(2)], [1, 2]);
    assert.equal(await acme.write((tx) => tx.skipWaitingRuns(automation.id, "disabled", 5)), 1);
    await remove(2);
    assert.deepEqual([await findAfter(1), await findAfter(2)], [null, 2]);
  },

  "an automation has one run per customer and occasion": async (storage, acme) => {
    const [automation, other] = [await acme.automation(), await acme.automation()];
    const [ada, bob] = [await acme.user(), await acme.user()];
    const add = (of: typeof automation, user: typeof ada, id: string, occasion: string) =>
      acme.automationRuns(of, user, [{ id, occasion }]);
    assert.deepEqual(await add(automation, ada, "a", "evt"), ["a"]);
    assert.deepEqual(await add(automation, ada, "b", "evt"), []);
    assert.deepEqual(await add(automation, bob, "c", "evt"), ["c"]);
    assert.deepEqual(await add(automation, ada, "d", "EVT"), ["d"]);
    assert.deepEqual(await add(other, ada, "e", "evt"), ["e"]);
    assert.deepEqual(
      await acme.automationRuns(automation, ada, [
        { id: "f", occasion: "new" },
        { id: "g", occasion: "new" },
        { id: "h", occasion: "newer" },
      ]),
      ["f", "h"],
    );
    assert.equal(await runStep(storage.reader(acme.id).findAutomationRun("b")), null);
    assert.equal(await runStep(storage.reader(acme.id).countOf("waitingAutomationRuns")), 6);
  },

  "runs of an automation or a customer are listed newest first, optionally by status": async (
    storage,
    acme,
  ) => {
    const automation = await acme.automation();
    const [ada, bob] = [await acme.user(), await acme.user()];
    const times = [3, 1, 4, 1, 5];
    for (const [at, createdAt] of times.entries()) {
      const fields = { id: `${at}`, createdAt, ...(at % 2 === 0 && endedState) };
      await acme.automationRuns(automation, at < 4 ? ada : bob, [fields]);
    }
    const list = async (
      owner: { automationId: string } | { userId: string },
      status: StoredAutomationRun["status"] | null,
      page: number,
      size: number,
    ) => {
      const { items, total } = await runStep(
        storage.reader(acme.id).listAutomationRuns(owner, { status, page, size }),
      );
      return [listIds(items).join(""), total];
    };
    const byAutomation = { automationId: automation.id };
    assert.deepEqual(await list(byAutomation, null, 0, 10), ["42031", 5]);
    assert.deepEqual(await list(byAutomation, null, 1, 2), ["03", 5]);
    assert.deepEqual(await list(byAutomation, "DONE", 0, 2), ["42", 3]);
    assert.deepEqual(await list({ userId: ada.id }, null, 0, 10), ["2031", 4]);
    assert.deepEqual(await list({ userId: bob.id }, "WAITING", 0, 10), ["", 0]);
  },

  "due runs are listed in the order in which they are due, ties by id": async (storage, acme) => {
    const [automation, other] = [await acme.automation(), await acme.automation()];
    const user = await acme.user();
    await acme.automationRuns(automation, user, [
      { id: "d", nextAttemptAt: 5 },
      { id: "c", nextAttemptAt: 3 },
      { id: "b", nextAttemptAt: 3 },
      { id: "a", ...endedState },
      { id: "e", status: "DONE", nextAttemptAt: 9 },
    ]);
    const findDue = async (now: number, limit: number) =>
      listIds(await runStep(storage.reader(acme.id).dueAutomationRuns(automation.id, now, limit))).join("");
    assert.deepEqual([await findDue(2, 9), await findDue(3, 1), await findDue(8, 9)], ["", "b", "bcd"]);
    const findNext = (id: string) => runStep(storage.reader(acme.id).nextAutomationRunAt(id));
    assert.deepEqual([await findNext(automation.id), await findNext(other.id)], [3, null]);
    assert.equal(await runStep(storage.reader(acme.id).countOf("waitingAutomationRuns")), 3);
    assert.equal(await acme.write((tx) => tx.skipWaitingRuns(automation.id, "disabled", 8)), 3);
    assert.deepEqual([await findDue(8, 9), await findDue(9, 9), await findNext(automation.id)], ["", "e", 9]);
  },

  "updating a run keeps what started it, and a run counts once it was tried": async (storage, acme) => {
    const automation = await acme.automation();
    const user = await acme.user();
    await acme.automationRuns(automation, user, [{ id: "a" }, { id: "b" }, { id: "c" }]);
    const previous = await runStep(storage.reader(acme.id).findAutomationRun("a"));
    assert(previous !== null);
    const changes = { status: "FAILED", reason: "access_denied", actionIndex: 2, attempts: 3 } as const;
    const after = { ...previous, ...changes, nextAttemptAt: null, updatedAt: 9 };
    const immutableFields = {
      occasion: "other",
      dueAt: 7,
      version: 9,
      createdAt: 9,
      automationId: "aut",
      userId: "usr",
    };
    await acme.write((tx) => tx.updateAutomationRuns([{ ...after, ...immutableFields }]));
    assert.deepEqual(await runStep(storage.reader(acme.id).findAutomationRun("a")), after);
    const waiting = await runStep(storage.reader(acme.id).findAutomationRun("b"));
    assert(waiting !== null);
    await acme.write((tx) => tx.updateAutomationRuns([{ ...waiting, ...endedState, updatedAt: 5 }]));
    const count = (since: number) => runStep(storage.reader(acme.id).countAutomationRuns(user.id, since));
    assert.deepEqual([await count(4), await count(5), await count(9)], [2, 1, 0]);
  },

  "deleting an automation deletes its jobs, past versions and completions, but not its runs": async (
    storage,
    acme,
  ) => {
    await acme.automationQueue();
    const [deletedAutomation, other] = [await acme.automation({ version: 2 }), await acme.automation()];
    const user = await acme.user();
    for (const each of [deletedAutomation, other]) {
      await acme.automationJob(each);
      await acme.automationRuns(each, user, [{ id: `run of ${each.id}`, ...endedState }]);
      await acme.write((tx) =>
        tx.putAutomationCompletion({ automationId: each.id, userId: user.id, doneAt: 3 }),
      );
    }
    const { if: filter, after, do: actions, per, creatorId } = deletedAutomation;
    const content = { if: filter, after, do: actions, per, creatorId };
    const past = { automationId: deletedAutomation.id, version: 1, ...content, endedAt: 5 };
    await acme.write((tx) => tx.insertPastAutomation(past));
    assert.equal(
      await storage.transaction("globex", (tx) => tx.deleteAutomation(deletedAutomation.id)),
      false,
    );
    assert.equal(await acme.write((tx) => tx.deleteAutomation(deletedAutomation.id)), true);
    assert.equal(await acme.write((tx) => tx.deleteAutomation(deletedAutomation.id)), false);
    assert.equal(await runStep(storage.reader(acme.id).automationVersion(deletedAutomation.id, 1)), null);
    assert.equal(
      await runStep(storage.reader(acme.id).findAutomationCompletion(deletedAutomation.id, user.id)),
      null,
    );
    assert.notEqual(await runStep(storage.reader(acme.id).findAutomationCompletion(other.id, user.id)), null);
    assert.notEqual(
      await runStep(storage.reader(acme.id).findAutomationRun(`run of ${deletedAutomation.id}`)),
      null,
    );
    assert.deepEqual(
      (await acme.claimAutomations()).map(({ automationId }) => automationId),
      [other.id],
    );
  },

  "deleting a customer deletes their automation runs and completions": async (storage, acme) => {
    const automation = await acme.automation();
    const [ada, bob] = [await acme.user(), await acme.user()];
    for (const user of [ada, bob]) {
      await acme.automationRuns(automation, user, [{ occasion: "a" }, { occasion: "b", ...endedState }]);
      const completion = { automationId: automation.id, userId: user.id, doneAt: 4 };
      await acme.write((tx) => tx.putAutomationCompletion(completion));
      await acme.write((tx) => tx.putAutomationCompletion({ ...completion, doneAt: 6 }));
    }
    await acme.write((tx) => tx.deleteUser(ada.id));
    const all = { status: null, page: 0, size: 9 };
    assert.equal(
      (await runStep(storage.reader(acme.id).listAutomationRuns({ userId: ada.id }, all))).total,
      0,
    );
    assert.equal(
      (await runStep(storage.reader(acme.id).listAutomationRuns({ automationId: automation.id }, all))).total,
      2,
    );
    assert.equal(
      await runStep(storage.reader(acme.id).findAutomationCompletion(automation.id, ada.id)),
      null,
    );
    assert.equal(
      (await runStep(storage.reader(acme.id).findAutomationCompletion(automation.id, bob.id)))?.doneAt,
      6,
    );
  },

  "old runs are removed oldest first, except waiting ones": async (storage, acme) => {
    const automation = await acme.automation();
    const user = await acme.user();
    await acme.automationRuns(automation, user, [
      { id: "a", createdAt: 3, ...endedState },
      { id: "b", createdAt: 1, ...endedState },
      { id: "c", createdAt: 0 },
      { id: "d", createdAt: 5, ...endedState },
      { id: "e", createdAt: 2, ...endedState },
    ]);
    const remove = (limit: number) => acme.write((tx) => tx.removeAutomationRuns(5, limit));
    const listRemaining = async () => {
      const all = { status: null, page: 0, size: 9 };
      const runs = storage.reader(acme.id).listAutomationRuns({ automationId: automation.id }, all);
      return listIds((await runStep(runs)).items).join("");
    };
    assert.deepEqual([await remove(2), await listRemaining()], [2, "dac"]);
    assert.deepEqual([await remove(9), await remove(9), await listRemaining()], [1, 0, "dc"]);
    assert.deepEqual(await acme.automationRuns(automation, user, [{ id: "f", occasion: "b" }]), ["f"]);
  },

  "an automation queue is served while it is behind the outbox or has a due job": async (storage, acme) => {
    await acme.events([{}, {}]);
    await acme.automationQueue({ position: 1, createdAt: 3 });
    const findQueuesWithWork = (now: number) =>
      runStep(storage.all.queuesWithDueJobs(automationJobs, now, 10));
    assert.deepEqual(await findQueuesWithWork(0), [acme.id]);
    const queue = { position: 2, createdAt: 9 };
    assert.equal(await acme.write((tx) => tx.updateQueue(automationJobs, queue)), true);
    assert.deepEqual(await runStep(storage.reader(acme.id).findQueue(automationJobs)), {
      position: 2,
      createdAt: 3,
    });
    assert.deepEqual(await findQueuesWithWork(100), []);
    const [first, second] = [await acme.automation(), await acme.automation()];
    await acme.automationJob(first, { nextAttemptAt: 5 });
    await acme.automationJob(second, { lane: "date", nextAttemptAt: 4 });
    assert.deepEqual([await findQueuesWithWork(3), await findQueuesWithWork(4)], [[], [acme.id]]);
    assert.deepEqual(await acme.claimAutomations({ now: 4 }), []);
    assert.equal((await acme.claimAutomations({ now: 4 }, "date")).length, 1);
    assert.deepEqual([await findQueuesWithWork(4), await findQueuesWithWork(5)], [[], [acme.id]]);
    const globex = new SuiteOrganization(storage, "globex");
    await globex.events([{}]);
    assert.equal(await globex.write((tx) => tx.updateQueue(automationJobs, queue)), false);
    assert.deepEqual(await findQueuesWithWork(3), []);
  },
};
