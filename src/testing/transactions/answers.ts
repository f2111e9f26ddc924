import assert from "node:assert/strict";
import { run } from "../../concurrency/step.js";
import type { StoredAnswer } from "../../storage/answers.js";
import type { StorageReader } from "../../storage/storage-adapter.js";
import type { TestOrganization } from "../kit/organization.js";
import { hashOf } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";

const remove = (acme: TestOrganization, before: number, limit: number) =>
  acme.write((tx) => tx.removeAnswers(acme.id, before, limit));

/** Those of the answers that are still there. */
function* left(storage: StorageReader, acme: TestOrganization, answers: readonly StoredAnswer[]) {
  const found = [];
  for (const { keyHash } of answers) found.push(yield* storage.findAnswer(acme.id, keyHash));
  return found.filter((answer) => answer !== null);
}

/** Answers that were made at these times, in this order. */
async function madeAt(acme: TestOrganization, times: readonly number[]): Promise<StoredAnswer[]> {
  const answers = [];
  for (const createdAt of times) answers.push(await acme.answer({ createdAt }));
  return answers;
}

const keeping: Statements = {
  "an answer is found by the hash of its key": async (storage, acme) => {
    const answer = await acme.answer({ fingerprint: hashOf("POST /v1/users"), sealed: "one" });
    const other = await acme.answer({ sealed: "other" });
    assert.deepEqual(await run(left(storage, acme, [answer, other])), [answer, other]);
  },

  "an answer that is not there is null": async (storage, acme) => {
    await acme.answer();
    assert.equal(await run(storage.findAnswer(acme.id, hashOf("unknown"))), null);
  },

  "an answer may be very long": async (storage, acme) => {
    const answer = await acme.answer({ sealed: "0123456789abcdef".repeat(100_000) });
    assert.deepEqual(await run(storage.findAnswer(acme.id, answer.keyHash)), answer);
  },

  "putAnswer replaces the answer of the same key, and no other": async (storage, acme) => {
    const [{ keyHash }, other] = [await acme.answer(), await acme.answer()];
    for (const createdAt of [9, 3]) {
      const fields = {
        fingerprint: hashOf(`${createdAt}`),
        sealed: `${createdAt}`,
        userId: `usr_${createdAt}`,
      };
      const answer = { keyHash, createdAt, ...fields };
      await acme.write(function* (tx) {
        yield* acme.within(tx).answer({ keyHash });
        yield* tx.putAnswer(acme.id, answer);
        assert.deepEqual(yield* tx.findAnswer(acme.id, keyHash), answer);
      });
      assert.deepEqual(await run(storage.findAnswer(acme.id, keyHash)), answer);
      assert.deepEqual(await run(storage.findAnswer(acme.id, other.keyHash)), other);
    }
  },

  "forgetAnswers empties the answers that tell of a user, and keeps their keys": async (storage, acme) => {
    const [first, second] = [await acme.answer({ userId: "usr_1" }), await acme.answer({ userId: "usr_1" })];
    const others = [await acme.answer({ userId: "usr_2" }), await acme.answer()];
    assert.equal(await acme.write((tx) => tx.forgetAnswers(acme.id, "usr_1")), 2);
    for (const answer of [first, second]) {
      const found = await run(storage.findAnswer(acme.id, answer.keyHash));
      assert.deepEqual(found, { ...answer, fingerprint: "", sealed: "" });
    }
    assert.deepEqual(await run(left(storage, acme, others)), others);
    assert.equal(await acme.write((tx) => tx.forgetAnswers(acme.id, "usr_none")), 0);
    assert.equal(await acme.write((tx) => tx.forgetAnswers("globex", "usr_2")), 0);
    const failure = new Error("rolled back");
    const rolledBack = acme.write(function* (tx) {
      yield* tx.forgetAnswers(acme.id, "usr_2");
      throw failure;
    });
    await assert.rejects(rolledBack, failure);
    assert.deepEqual(await run(left(storage, acme, others)), others);
    assert.equal(await remove(acme, Number.MAX_SAFE_INTEGER, 100), 4);
  },

  "of answers put for one key at once, one is there": async (storage, acme) => {
    const keyHash = hashOf("key");
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, at) => acme.answer({ keyHash, sealed: `${at}` })),
    );
    const found = await run(storage.findAnswer(acme.id, keyHash));
    assert.ok(found);
    assert.deepEqual(answers[Number(found.sealed)], found);
  },
};

const removal: Statements = {
  "removeAnswers removes those made before a time": async (storage, acme) => {
    const answers = await madeAt(acme, [1, 2, 3, 4, 5]);
    assert.equal(await remove(acme, 3, 100), 2);
    assert.deepEqual(await run(left(storage, acme, answers)), answers.slice(2));
    assert.equal(await remove(acme, 3, 100), 0);
    assert.deepEqual(await run(left(storage, acme, answers)), answers.slice(2));
  },

  "removeAnswers removes so many at most, the oldest first": async (storage, acme) => {
    const answers = await madeAt(acme, [5, 2, 4, 1, 3, 9]);
    const timesLeft = async () => (await run(left(storage, acme, answers))).map(({ createdAt }) => createdAt);
    assert.equal(await remove(acme, 9, 2), 2);
    assert.deepEqual(await timesLeft(), [5, 4, 3, 9]);
    assert.equal(await remove(acme, 9, 1), 1);
    assert.deepEqual(await timesLeft(), [5, 4, 9]);
    assert.equal(await remove(acme, 9, 3), 2);
    assert.deepEqual(await timesLeft(), [9]);
  },

  "of answers of one time, removeAnswers removes as many as it may": async (storage, acme) => {
    const answers = await madeAt(acme, [7, 7, 7, 7]);
    assert.equal(await remove(acme, 8, 3), 3);
    assert.equal((await run(left(storage, acme, answers))).length, 1);
  },

  "removeAnswersBeyond removes those after which so many bytes were put": async (storage, acme) => {
    const answers = [];
    for (const length of [5, 10, 20, 7]) answers.push(await acme.answer({ sealed: "x".repeat(length) }));
    const beyond = (bytes: number, limit = 100) =>
      acme.write((tx) => tx.removeAnswersBeyond(acme.id, bytes, limit));
    assert.equal(await beyond(38), 0);
    assert.equal(await beyond(37), 1);
    assert.deepEqual(await run(left(storage, acme, answers)), answers.slice(1));
    assert.equal(await beyond(7, 1), 1);
    assert.deepEqual(await run(left(storage, acme, answers)), answers.slice(2));
    assert.equal(await beyond(8), 0);
    assert.equal(await beyond(0), 2);
    assert.equal(await beyond(0), 0);
    assert.equal(await acme.write((tx) => tx.removeAnswersBeyond("globex", 0, 100)), 0);
  },

  "for removeAnswersBeyond an answer that was replaced counts where it was put last": async (
    storage,
    acme,
  ) => {
    const [first, second, third] = [await acme.answer(), await acme.answer(), await acme.answer()];
    const long = "x".repeat(1_000);
    const again = await acme.answer({ keyHash: first.keyHash, sealed: long });
    const beyond = () => acme.write((tx) => tx.removeAnswersBeyond(acme.id, 1_000, 100));
    assert.equal(await beyond(), 2);
    assert.deepEqual(await run(left(storage, acme, [again, second, third])), [again]);
    const failure = new Error("rolled back");
    const rolledBack = acme.write(function* (tx) {
      yield* acme.within(tx).answer({ sealed: long });
      assert.equal(yield* tx.removeAnswersBeyond(acme.id, 1_000, 100), 1);
      throw failure;
    });
    await assert.rejects(rolledBack, failure);
    assert.deepEqual(await run(left(storage, acme, [again])), [again]);
    assert.equal(await beyond(), 0);
  },

  "of answers put at once, each counts for removeAnswersBeyond": async (_storage, acme) => {
    const sealed = "x".repeat(10);
    await Promise.all(Array.from({ length: 8 }, () => acme.answer({ sealed })));
    assert.equal(await acme.write((tx) => tx.removeAnswersBeyond(acme.id, 30, 100)), 5);
  },

  "removeAnswers where there is none is 0": async (_storage, acme) => {
    assert.equal(await remove(acme, Number.MAX_SAFE_INTEGER, 10), 0);
  },

  "an answer that was replaced is as old as the one in its place": async (storage, acme) => {
    const [first, second, third] = await madeAt(acme, [1, 2, 9]);
    assert.ok(first && second && third);
    const young = await acme.answer({ keyHash: first.keyHash, createdAt: 10 });
    const old = await acme.answer({ keyHash: third.keyHash, createdAt: 0 });
    assert.equal(await remove(acme, 9, 1), 1);
    assert.deepEqual(await run(left(storage, acme, [young, second, old])), [young, second]);
    assert.equal(await remove(acme, 9, 100), 1);
    assert.deepEqual(await run(left(storage, acme, [young, second, old])), [young]);
  },

  "answers that a rolled back transaction replaced and removed are as before, those it made are gone": async (
    storage,
    acme,
  ) => {
    const answers = await madeAt(acme, [1, 2, 3]);
    const failure = new Error("rolled back");
    const rolledBack = acme.write(function* (tx) {
      yield* tx.removeAnswers(acme.id, 2, 100);
      for (const { keyHash } of answers) yield* acme.within(tx).answer({ keyHash, createdAt: 9 });
      yield* acme.within(tx).answer({ createdAt: 1 });
      throw failure;
    });
    await assert.rejects(rolledBack, failure);
    assert.deepEqual(await run(left(storage, acme, answers)), answers);
    assert.equal(await remove(acme, 3, 100), 2);
    assert.deepEqual(await run(left(storage, acme, answers)), answers.slice(2));
  },
};

export const answers: Statements = { ...keeping, ...removal };
