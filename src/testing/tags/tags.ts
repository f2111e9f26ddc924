import assert from "node:assert/strict";
import { run } from "../../concurrency/step.js";
import type { StoredTag } from "../../storage/tags.js";
import { assertConflict } from "../kit/conflict.js";
import { sentencesOf } from "../kit/kind.js";
import { someTag } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";

export const tags: Statements = {
  ...sentencesOf<StoredTag>({
    one: "a tag",
    add: (acme, fields) => acme.tag(fields),
    unknown: someTag,
    samples: [{ slug: "vip", name: "V.I.P.", description: "Very", color: "#A1B2C3" }],
    finds: [(storage, acme, { slug }) => run(storage.findTag(acme.id, slug))],
    list: (storage, acme) => run(storage.listTags(acme.id)),
    changes: [
      { name: "New", description: "new", color: "#000000", updatedAt: 7 },
      { name: "Newer", description: null, color: "#111111", updatedAt: 9 },
    ],
    stays: { slug: "other", createdAt: 1 },
    update: (tx, id, tag) => tx.updateTag(id, tag),
    remove: (tx, id, tag) => tx.deleteTag(id, tag.ordinal),
  }),

  "slugs compare by their case": async (storage, acme) => {
    await acme.tag({ slug: "vip" });
    assert.equal(await run(storage.findTag(acme.id, "VIP")), null);
  },

  "insertTag is a conflict of slug when another tag has it": async (storage, acme) => {
    const tag = await acme.tag({ slug: "vip" });
    await assertConflict(acme.tag({ slug: "vip" }), "slug");
    assert.deepEqual(await run(storage.listTags(acme.id)), [tag]);
  },

  "two tags may have one name": async (storage, acme) => {
    const tags = [await acme.tag({ name: "Same" }), await acme.tag({ name: "Same" })];
    assert.deepEqual(await run(storage.listTags(acme.id)), tags);
  },

  "the slug of a deleted tag is free": async (storage, acme) => {
    const tag = await acme.tag({ slug: "vip" });
    await acme.write((tx) => tx.deleteTag(acme.id, tag.ordinal));
    const next = await acme.tag({ slug: "vip" });
    assert.deepEqual(await run(storage.findTag(acme.id, "vip")), next);
  },
};
