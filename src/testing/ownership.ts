import assert from "node:assert/strict";
import { everyRead } from "./every-read.js";
import { hashOf, someAssignment, someEvent } from "./records.js";
import { setScene } from "./scene.js";
import type { Statements } from "./statements.js";

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
    const expected = structuredClone(await everyRead(storage, acme.id));
    scribbleOn(await everyRead(storage, acme.id));
    assert.deepEqual(await everyRead(storage, acme.id), expected);
    await storage.transaction(async (tx) => scribbleOn(await everyRead(tx, acme.id)));
    scribbleOn(await storage.transaction((tx) => tx.nextUser(acme.id)));
    assert.deepEqual(await everyRead(storage, acme.id), expected);
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
    const events = [someEvent({ type: "user.created" }), someEvent({ type: "user.updated" })];
    await acme.write((tx) => tx.appendEvents(acme.id, events));
    const passId = pass.id;
    const look = async () => [
      await everyRead(storage, acme.id),
      await storage.listStampEntries(acme.id, passId, 0, 10),
      await storage.findPass(acme.id, passId),
    ];
    const expected = structuredClone(await look());
    for (const record of [user, tag, template, assignment, others, pass, entry, token, events])
      scribbleOn(record);
    assert.deepEqual(await look(), expected);
  },
};
