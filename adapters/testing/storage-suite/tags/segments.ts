import assert from "node:assert/strict";
import { runStep } from "../../../../src/base/concurrency/step.js";
import type { TagSets } from "../../../../src/storage/tags.js";
import { toOrdinals } from "../kit/ordinals.js";
import { someTagRemoval } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";

export const segments: Statements = {
  "readTagSets leaves out slugs without a tag": async (storage, acme) => {
    const tag = await acme.tag({ slug: "gone" });
    await acme.write((tx) => tx.removeTag(someTagRemoval(tag)));
    const { tags } = await runStep(storage.reader(acme.id).readTagSets(["none", "gone", "__proto__", ""]));
    assert.equal(tags.size, 0);
  },

  "returned sets never change": async (storage, acme) => {
    const users = await acme.users([{}, {}, {}]);
    const vip = await acme.tag({ slug: "vip" });
    const snapshots: [TagSets, ReturnType<typeof toOrdinals>][] = [];
    const readSets = async () => {
      const sets = await runStep(storage.reader(acme.id).readTagSets(["vip"]));
      snapshots.push([sets, toOrdinals(sets)]);
    };
    await readSets();
    for (const user of users) {
      await acme.assign(user, vip);
      await readSets();
    }
    for (const user of users) {
      await acme.write((tx) => tx.deleteUser(user.id));
      await readSets();
    }
    for (const [sets, ordinals] of snapshots) assert.deepEqual(toOrdinals(sets), ordinals);
  },
};
