import assert from "node:assert/strict";
import { run } from "../../concurrency/step.js";
import { everyRead } from "../kit/every-read.js";
import { hashOf, someAssignment, someDelivery, someEvent, someOutcome } from "../kit/records.js";
import { scene, setScene } from "../kit/scene.js";
import type { Statements } from "../kit/statements.js";

/** Changes every field of a record, and of what it holds, as far as it lets itself be changed. */
function scribbleOn(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, held] of Object.entries(value)) {
    scribbleOn(held);
    Reflect.set(value, key, "scribbled");
  }
  if (Array.isArray(value)) Reflect.set(value, value.length, "scribbled");
}

export const ownership: Statements = {
  "what a caller does to a record that was given out changes nothing in the store": async (storage, acme) => {
    await setScene(storage, acme.id);
    const expected = structuredClone(await run(everyRead(storage, acme.id)));
    scribbleOn(await run(everyRead(storage, acme.id)));
    assert.deepEqual(await run(everyRead(storage, acme.id)), expected);
    await storage.transaction(function* (tx) {
      return scribbleOn(yield* everyRead(tx, acme.id));
    });
    scribbleOn(await storage.transaction((tx) => tx.nextUser(acme.id)));
    assert.deepEqual(await run(everyRead(storage, acme.id)), expected);
  },

  "what a caller does to a record after it was taken in changes nothing in the store": async (
    storage,
    acme,
  ) => {
    const [user, tag, template] = [await acme.user(), await acme.tag({ slug: "vip" }), await acme.template()];
    const assignment = await acme.assign(user, tag);
    const others = [someAssignment(await acme.user(), tag), someAssignment(await acme.user(), tag)];
    await acme.write((tx) => tx.assignTags(acme.id, others));
    const pass = await acme.pass(user, template);
    const entry = await acme.stamp(pass.id);
    const token = await acme.apiToken({ hash: hashOf(acme.id), scopes: ["user:read", "pass:read"] });
    const answer = await acme.answer({ keyHash: scene.answer.keyHash });
    const app = await acme.app(structuredClone(scene.appOf(acme.id)));
    const grant = await acme.grant(app, structuredClone(scene.grantOf(acme.id)));
    const access = await acme.grantToken(grant, structuredClone(scene.accessOf(acme.id)));
    const endpoint = await acme.webhookEndpoint(structuredClone(scene.endpoint));
    const deliveries = [
      someDelivery(endpoint, { id: scene.due.id, nextAttemptAt: 3 }),
      someDelivery(endpoint),
    ];
    const outcomes = [someOutcome(scene.due)];
    await acme.write(function* (tx) {
      yield* tx.insertDeliveries(acme.id, endpoint.id, deliveries);
      yield* acme.within(tx).claim(endpoint);
      yield* acme.within(tx).record(endpoint, outcomes);
    });
    const events = [someEvent({ type: "user.created" }), someEvent({ type: "user.updated" })];
    await acme.write((tx) => tx.appendEvents(acme.id, events));
    const passId = pass.id;
    const look = async () => [
      await run(everyRead(storage, acme.id)),
      await run(storage.listStampEntries(acme.id, passId, 0, 10)),
      await run(storage.findPass(acme.id, passId)),
      await run(storage.attemptsOf(acme.id, [scene.due.id])),
    ];
    const expected = structuredClone(await look());
    const records = [user, tag, template, assignment, others, pass, entry, token, answer, events];
    for (const record of [...records, app, grant, access, endpoint, deliveries, outcomes]) scribbleOn(record);
    assert.deepEqual(await look(), expected);
  },
};
