import assert from "node:assert/strict";
import { run } from "../../concurrency/step.js";
import { rowsByAge } from "../kit/age.js";
import { assertConflict } from "../kit/conflict.js";
import { someTag } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";

export const tags: Statements = {
  "a tag is found by its slug": async (storage, acme) => {
    const tag = await acme.tag({ slug: "vip", name: "V.I.P.", description: "Very", color: "#A1B2C3" });
    await acme.tag();
    assert.deepEqual(await run(storage.findTag(acme.id, "vip")), tag);
  },

  "a tag that is not there is null": async (storage, acme) => {
    await acme.tag({ slug: "vip" });
    assert.equal(await run(storage.findTag(acme.id, "none")), null);
    assert.equal(await run(storage.findTag(acme.id, "VIP")), null);
  },

  "tags are listed oldest first, by createdAt, then id": async (storage, acme) => {
    const tags = await rowsByAge((fields) => acme.tag(fields));
    assert.deepEqual(await run(storage.listTags(acme.id)), tags);
  },

  "an organization without tags has none to list": async (storage, acme) => {
    assert.deepEqual(await run(storage.listTags(acme.id)), []);
  },

  "insertTag is a conflict of slug when another tag has it": async (storage, acme) => {
    const tag = await acme.tag({ slug: "vip" });
    await assertConflict(acme.tag({ slug: "vip" }), "slug");
    assert.deepEqual(await run(storage.listTags(acme.id)), [tag]);
  },

  "updateTag replaces the tag of this id": async (storage, acme) => {
    const [tag, other] = [await acme.tag({ description: "old" }), await acme.tag()];
    const changed = {
      ...tag,
      name: "New",
      description: null,
      color: "#000000",
      updatedAt: tag.updatedAt + 3,
    };
    assert.equal(await acme.write((tx) => tx.updateTag(acme.id, changed)), true);
    assert.deepEqual(await run(storage.findTag(acme.id, tag.slug)), changed);
    assert.deepEqual(await run(storage.listTags(acme.id)), [changed, other]);
  },

  "updateTag lets slug and createdAt stay": async (storage, acme) => {
    const tag = await acme.tag({ slug: "vip" });
    await acme.write((tx) => tx.updateTag(acme.id, { ...tag, slug: "other", createdAt: 1, name: "New" }));
    assert.deepEqual(await run(storage.findTag(acme.id, "vip")), { ...tag, name: "New" });
    assert.equal(await run(storage.findTag(acme.id, "other")), null);
  },

  "two tags may have one name": async (storage, acme) => {
    const tags = [await acme.tag({ name: "Same" }), await acme.tag({ name: "Same" })];
    assert.deepEqual(await run(storage.listTags(acme.id)), tags);
  },

  "updateTag is false when there is no such tag": async (storage, acme) => {
    assert.equal(await acme.write((tx) => tx.updateTag(acme.id, someTag())), false);
    assert.deepEqual(await run(storage.listTags(acme.id)), []);
  },

  "deleteTag removes the tag": async (storage, acme) => {
    const [tag, other] = [await acme.tag(), await acme.tag()];
    assert.equal(await acme.write((tx) => tx.deleteTag(acme.id, tag.id)), true);
    assert.equal(await run(storage.findTag(acme.id, tag.slug)), null);
    assert.deepEqual(await run(storage.listTags(acme.id)), [other]);
  },

  "deleteTag is false when there is no such tag": async (_storage, acme) => {
    assert.equal(await acme.write((tx) => tx.deleteTag(acme.id, someTag().id)), false);
  },

  "the slug of a deleted tag is free": async (storage, acme) => {
    const tag = await acme.tag({ slug: "vip" });
    await acme.write((tx) => tx.deleteTag(acme.id, tag.id));
    const next = await acme.tag({ slug: "vip" });
    assert.deepEqual(await run(storage.findTag(acme.id, "vip")), next);
  },
};
