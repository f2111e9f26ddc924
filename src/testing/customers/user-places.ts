import assert from "node:assert/strict";
import { Organization } from "../kit/organization.js";
import type { Statements } from "../kit/statements.js";

const nextUser = (acme: Organization) => acme.write((tx) => tx.nextUser(acme.id));

export const userPlaces: Statements = {
  "the first user goes to ordinal 0, with nobody before it": async (_storage, acme) => {
    assert.deepEqual(await nextUser(acme), { ordinal: 0, newest: null });
  },

  "each user goes to the ordinal after the newest": async (_storage, acme) => {
    for (let ordinal = 0; ordinal < 5; ordinal += 1) {
      const user = await acme.user();
      assert.equal(user.ordinal, ordinal);
      assert.deepEqual(await nextUser(acme), {
        ordinal: ordinal + 1,
        newest: { id: user.id, createdAt: user.createdAt },
      });
    }
  },

  "nextUser knows the users inserted before it in the same transaction": async (_storage, acme) => {
    await acme.write(async (tx) => {
      const user = await acme.within(tx).user();
      assert.deepEqual(await tx.nextUser(acme.id), {
        ordinal: 1,
        newest: { id: user.id, createdAt: user.createdAt },
      });
    });
  },

  "asking for a place takes none": async (_storage, acme) => {
    await acme.write(async (tx) => {
      assert.deepEqual(await tx.nextUser(acme.id), await tx.nextUser(acme.id));
    });
    assert.equal((await nextUser(acme)).ordinal, 0);
  },

  "a conflict takes no place": async (_storage, acme) => {
    await acme.user({ externalId: "7" });
    const before = await nextUser(acme);
    await acme.write(async (tx) => {
      await assert.rejects(acme.within(tx).user({ externalId: "7" }));
      assert.deepEqual(await tx.nextUser(acme.id), before);
    });
    assert.deepEqual(await nextUser(acme), before);
  },

  "the ordinal of a deleted user is never given again": async (_storage, acme) => {
    const users = await acme.users([{}, {}, {}]);
    for (const user of users) {
      const before = await nextUser(acme);
      await acme.write((tx) => tx.deleteUser(acme.id, user.id));
      assert.deepEqual(await nextUser(acme), before);
    }
    assert.equal((await acme.user()).ordinal, 3);
  },

  "a place that was rolled back is given again": async (_storage, acme) => {
    await acme.user();
    const before = await nextUser(acme);
    await assert.rejects(
      acme.write(async (tx) => {
        await acme.within(tx).user();
        throw new Error("rolled back");
      }),
    );
    assert.deepEqual(await nextUser(acme), before);
  },

  "each organization counts its own users": async (storage, acme) => {
    const globex = Organization.of(storage, "globex");
    const ordinals: number[] = [];
    for (const organization of [acme, globex, acme, acme, globex]) {
      ordinals.push((await organization.user()).ordinal);
    }
    assert.deepEqual(ordinals, [0, 0, 1, 2, 1]);
  },
};
