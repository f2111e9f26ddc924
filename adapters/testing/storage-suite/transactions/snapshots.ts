import assert from "node:assert/strict";
import { awaitInStep, runStep } from "../../../../src/base/concurrency/step.js";
import { storeScene } from "../kit/scene.js";
import type { Statements } from "../kit/statements.js";
import { runSceneQuestions } from "../law/reads.js";

export const snapshots: Statements = {
  "a snapshot returns the result of its work": async (storage, acme) => {
    const expectedResult = { anything: true };
    assert.equal(await storage.snapshot(acme.id, () => awaitInStep(expectedResult)), expectedResult);
    const tag = await acme.tag({ slug: "vip" });
    assert.deepEqual(await storage.snapshot(acme.id, (reader) => reader.findTag("vip")), {
      ...tag,
      merging: 0,
    });
  },

  "a snapshot sees everything that was committed before it": async (storage, acme) => {
    await storeScene(storage, acme.id);
    const outsideState = await runStep(runSceneQuestions(storage.reader(acme.id)));
    assert.deepEqual(await storage.snapshot(acme.id, (reader) => runSceneQuestions(reader)), outsideState);
  },

  "a snapshot whose signal is aborted stops reading, and rejects with the reason": async (storage, acme) => {
    await acme.tag({ slug: "vip" });
    const controller = new AbortController();
    const reason = new Error("nobody waits for it");
    const { signal } = controller;
    const answers: unknown[] = [];
    const abortedSnapshot = storage.snapshot(
      acme.id,
      function* (reader) {
        answers.push(yield* reader.findTag("vip"));
        controller.abort(reason);
        answers.push(yield* reader.findTag("vip"));
      },
      { signal },
    );
    await assert.rejects(abortedSnapshot, reason);
    assert.equal(answers.length, 1);
    await assert.rejects(
      storage.snapshot(
        acme.id,
        function* (reader) {
          answers.push(yield* reader.findTag("vip"));
        },
        { signal },
      ),
      reason,
    );
    assert.equal(answers.length, 1);
    assert.notEqual(await runStep(storage.reader(acme.id).findTag("vip")), null);
  },

  "a snapshot rejects with the same error object that its work threw": async (storage, acme) => {
    const error = new Error("the work failed");
    await assert.rejects(
      storage.snapshot(acme.id, () => awaitInStep(Promise.reject(error))),
      (reason) => reason === error,
    );
    const tag = await acme.tag();
    assert.deepEqual(await storage.snapshot(acme.id, (reader) => reader.listTags()), [tag]);
  },

  "a snapshot that has ended rejects calls": async (storage, acme) => {
    const reader = await storage.snapshot(acme.id, (reader) => awaitInStep(reader));
    await assert.rejects(runStep(reader.listTags()));
  },

  "snapshots may overlap": async (storage, acme) => {
    await storeScene(storage, acme.id);
    const expected = await runStep(runSceneQuestions(storage.reader(acme.id)));
    const reads = Array.from({ length: 5 }, () =>
      storage.snapshot(acme.id, (reader) => runSceneQuestions(reader)),
    );
    for (const state of await Promise.all(reads)) assert.deepEqual(state, expected);
  },

  "snapshots see each transaction completely or not at all": async (storage, acme) => {
    const readState = () =>
      storage.snapshot(acme.id, function* (reader) {
        return [(yield* reader.listTags()).length, (yield* reader.listTemplates()).length];
      });
    const write = () =>
      storage.transaction(acme.id, function* (tx) {
        yield* acme.withTransaction(tx).tag();
        yield* acme.withTransaction(tx).template();
      });
    const rounds = Array.from({ length: 20 }, () => Promise.all([readState(), write()]));
    for (const [[tags, templates]] of await Promise.all(rounds)) assert.equal(tags, templates);
  },
};
