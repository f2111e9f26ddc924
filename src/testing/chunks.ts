import assert from "node:assert/strict";
import { CHUNK_SIZE } from "../segments/bitmap.js";
import { ordinalsIn } from "./segments.js";
import type { Statements } from "./statements.js";

export const chunks: Statements = {
  "sets reach over as many chunks as there are users": async (storage, acme) => {
    await acme.users(Array.from({ length: CHUNK_SIZE + 2 }, () => ({})));
    const edge = await storage.usersByOrdinal(acme.id, [CHUNK_SIZE - 1, CHUNK_SIZE, CHUNK_SIZE + 1]);
    const [before, first, second] = edge;
    assert.ok(before && first && second);
    const vip = await acme.tag({ slug: "vip" });
    for (const user of edge) await acme.assign(user, vip);

    const sets = await storage.readSegments(acme.id, ["vip"]);
    assert.equal(sets.users.count(), CHUNK_SIZE + 2);
    assert.deepEqual(ordinalsIn(sets).tags, { vip: edge.map(({ ordinal }) => ordinal) });
    assert.deepEqual(await storage.usersOfTag(acme.id, vip.id, before.ordinal, 9), [first, second]);
    assert.deepEqual(await storage.usersOfTag(acme.id, vip.id, CHUNK_SIZE, 9), [second]);
    assert.deepEqual(await storage.listUsers(acme.id, CHUNK_SIZE - 2, 9), edge);

    await acme.write(async (tx) => {
      await tx.unassignTag(acme.id, before.ordinal, vip.id);
      await tx.deleteUser(acme.id, second.id);
    });
    for (const rebuilt of [false, true]) {
      if (rebuilt) await acme.write((tx) => tx.rebuildSegments(acme.id));
      const after = await storage.readSegments(acme.id, ["vip"]);
      assert.equal(after.users.count(), CHUNK_SIZE + 1);
      assert.deepEqual(ordinalsIn(after).tags, { vip: [CHUNK_SIZE] });
      assert.deepEqual(await storage.verifySegments(acme.id), { checked: 2, wrong: [] });
    }
  },
};
