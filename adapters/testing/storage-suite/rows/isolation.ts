import assert from "node:assert/strict";
import { runStep, type Step } from "../../../../src/base/concurrency/step.js";
import { automationJobs } from "../../../../src/storage/automations.js";
import { Bitmap } from "../../../../src/storage/bitmap.js";
import { mailJobs } from "../../../../src/storage/mail.js";
import { messageJobs } from "../../../../src/storage/messages.js";
import type { StorageTransaction } from "../../../../src/storage/storage-adapter.js";
import { walletJobs } from "../../../../src/storage/wallets.js";
import { someAutomationJob, someAutomationRun } from "../kit/automation-records.js";
import { someMailJob } from "../kit/mail-records.js";
import { someMessageJob } from "../kit/message-records.js";
import { someEffect, somePastProgram, somePoints } from "../kit/purchase-records.js";
import {
  someAssignment,
  someDelivery,
  someGrantToken,
  somePass,
  someStamp,
  someWalletDelivery,
} from "../kit/records.js";
import { Rows } from "../kit/rows.js";
import { scene, storeScene } from "../kit/scene.js";
import type { Statements } from "../kit/statements.js";
import { runAllSceneQuestions } from "../law/reads.js";

const globex = "globex";

/** Writes that each refer to a row that only another organization has. */
const references: Readonly<Record<string, (tx: StorageTransaction, globex: Rows) => Step<unknown>>> = {
  "assignTag can't refer to a user": function* (tx, globex) {
    return yield* tx.assignTag(someAssignment(scene.bob, yield* globex.tag()));
  },
  "assignTag can't refer to a tag": function* (tx, globex) {
    return yield* tx.assignTag(someAssignment(yield* globex.user(), scene.vip));
  },
  "assignTags can't refer to a user": function* (tx, globex) {
    const tag = yield* globex.tag();
    return yield* tx.assignTags([someAssignment(yield* globex.user(), tag), someAssignment(scene.bob, tag)]);
  },
  "assignTags can't refer to a tag": function* (tx, globex) {
    const user = yield* globex.user();
    return yield* tx.assignTags([
      someAssignment(user, yield* globex.tag()),
      someAssignment(user, scene.regular),
    ]);
  },
  "insertPass can't refer to a user": function* (tx, globex) {
    return yield* tx.insertPass(somePass(scene.bob, yield* globex.template()));
  },
  "insertPass can't refer to a template": function* (tx, globex) {
    return yield* tx.insertPass(somePass(yield* globex.user(), scene.coffee));
  },
  "insertPasses can't refer to a user": function* (tx, globex) {
    const pass = somePass(scene.bob, yield* globex.template());
    return yield* tx.insertPasses([{ pass, entries: [] }]);
  },
  "insertPasses can't refer to a template": function* (tx, globex) {
    const pass = somePass(yield* globex.user(), scene.coffee);
    return yield* tx.insertPasses([{ pass, entries: [] }]);
  },
  "recordStamps can't refer to a pass": (tx) => {
    const { card, entry } = someStamp(scene.pass);
    return tx.recordStamps(card, entry);
  },
  "insertPastProgram can't refer to a template": (tx) => tx.insertPastProgram(somePastProgram(scene.coffee)),
  "putPurchaseEffect can't refer to a pass": (tx) =>
    tx.putPurchaseEffect(someEffect(scene.purchase, scene.pass)),
  "recordPoints can't refer to a pass": (tx) => tx.recordPoints(somePoints(scene.pass.id, null)),
  "insertGrantToken can't refer to a grant": (tx) =>
    tx.insertGrantToken(someGrantToken(scene.grantOf("acme"))),
  "insertDeliveries can't refer to an endpoint": (tx) =>
    tx.insertDeliveries(scene.endpoint.id, [someDelivery(scene.endpoint)]),
  "putWalletDevice can't refer to a card": (tx) => tx.putWalletDevice(scene.walletDeviceOf("acme")),
  "putJobs can't refer to a card": (tx) =>
    tx.putJobs(walletJobs, [someWalletDelivery(scene.walletCardOf("acme"))]),
  "putJobs can't refer to a message delivery": function* (tx, globex) {
    yield* globex.mailQueue();
    yield* tx.putJobs(mailJobs, [someMailJob(scene.mail)]);
  },
  "putJobs can't refer to a message": function* (tx, globex) {
    yield* globex.messageQueue();
    yield* tx.putJobs(messageJobs, [someMessageJob(scene.message)]);
  },
  "putJobs can't refer to an automation": function* (tx, globex) {
    yield* globex.automationQueue();
    yield* tx.putJobs(automationJobs, [someAutomationJob(scene.automation)]);
  },
  "insertPastAutomation can't refer to an automation": (tx) => {
    const { id: automationId, if: filter, after, do: actions, per, creatorId } = scene.automation;
    const content = { if: filter, after, do: actions, per, creatorId };
    return tx.insertPastAutomation({ automationId, version: 1, ...content, endedAt: 1 });
  },
  "insertAutomationRuns can't refer to a user": function* (tx, globex) {
    const automation = yield* globex.automation();
    yield* tx.insertAutomationRuns([someAutomationRun(automation, scene.ada)]);
  },
  "putAutomationCompletion can't refer to a user": function* (tx, globex) {
    const { id: automationId } = yield* globex.automation();
    yield* tx.putAutomationCompletion({ automationId, userId: scene.ada.id, doneAt: 1 });
  },
  "putAutomationCompletion can't refer to an automation": function* (tx, globex) {
    const { id: userId } = yield* globex.user();
    yield* tx.putAutomationCompletion({ automationId: scene.automation.id, userId, doneAt: 1 });
  },
  "putMessageAudience can't refer to a message": (tx) =>
    tx.putMessageAudience(scene.message.id, Bitmap.of([1])),
  "putSubscription can't refer to a user": (tx) => tx.putSubscription(scene.subscription),
};

export const isolation: Statements = {
  "no write can refer to a row of another organization": async (storage, acme) => {
    await storeScene(storage, acme.id);
    const before = await runStep(runAllSceneQuestions(storage));
    for (const [sentence, write] of Object.entries(references)) {
      const writing = storage.transaction(globex, (tx) => write(tx, new Rows(globex, tx)));
      await assert.rejects(writing, sentence);
    }
    assert.deepEqual(await runStep(runAllSceneQuestions(storage)), before);
  },
};
