import assert from "node:assert/strict";
import { run } from "../../concurrency/step.js";
import type { StorageAdapter } from "../../storage/storage-adapter.js";
import { rowsByAge } from "../kit/age.js";
import { assertConflict } from "../kit/conflict.js";
import type { TestOrganization } from "../kit/organization.js";
import { someCard, somePass, someStamp, someTemplate, someUser } from "../kit/records.js";
import { scene, setScene } from "../kit/scene.js";
import type { Statements } from "../kit/statements.js";

const aHolder = async (acme: TestOrganization) => [await acme.user(), await acme.template()] as const;
const found = (storage: StorageAdapter, acme: TestOrganization, id: string) => storage.findPass(acme.id, id);

export const passes: Statements = {
  "a pass is found by its id and by its code": async (storage, acme) => {
    const [ada, template] = await aHolder(acme);
    const pass = await acme.pass(ada, template, { code: "aB3xY9kLmN0p" });
    await acme.pass(ada, template);
    assert.deepEqual(await run(found(storage, acme, pass.id)), pass);
    assert.deepEqual(await run(storage.findPassByCode(acme.id, "aB3xY9kLmN0p")), pass);
  },

  "a pass that is not there is null": async (storage, acme) => {
    const [ada, template] = await aHolder(acme);
    await acme.pass(ada, template, { code: "aB3xY9kLmN0p" });
    assert.equal(await run(found(storage, acme, somePass(ada, template).id)), null);
    assert.equal(await run(storage.findPassByCode(acme.id, "none")), null);
  },

  "codes compare exactly": async (storage, acme) => {
    const [ada, template] = await aHolder(acme);
    const lower = await acme.pass(ada, template, { code: "abc" });
    const upper = await acme.pass(ada, template, { code: "ABC" });
    assert.deepEqual(await run(storage.findPassByCode(acme.id, "abc")), lower);
    assert.deepEqual(await run(storage.findPassByCode(acme.id, "ABC")), upper);
    assert.equal(await run(storage.findPassByCode(acme.id, "Abc")), null);
  },

  "organizationOfCode finds the one organization that has a pass with the code": async (storage, acme) => {
    const [ada, template] = await aHolder(acme);
    const { id, code } = await acme.pass(ada, template, { code: "aB3xY9kLmN0p" });
    assert.equal(await run(storage.organizationOfCode(code)), acme.id);
    assert.equal(await run(storage.organizationOfCode("none")), null);
    await setScene(storage, "globex");
    await storage.transaction((tx) => tx.insertPass("globex", somePass(scene.ada, scene.coffee, { code })));
    assert.equal(await run(storage.organizationOfCode(code)), null);
    await acme.write((tx) => tx.deletePass(acme.id, id));
    assert.equal(await run(storage.organizationOfCode(code)), "globex");
  },

  "every field of a pass comes back": async (storage, acme) => {
    const [ada, template] = await aHolder(acme);
    const plain = await acme.template({ type: "LOYALTY_CARD", maxStamps: null });
    const passes = [
      await acme.pass(ada, template),
      await acme.pass(ada, plain),
      await acme.pass(ada, plain, { isPreviewPass: true, installationStatus: "INSTALLED" }),
      await acme.pass(ada, template, {
        installationStatus: "UNINSTALLED",
        card: {
          maxStamps: 7,
          currentStamps: 6,
          timesCompleted: 5,
          rewardsAvailable: 4,
          totalStampsCollected: 41,
          lastStampAt: 1_763_600_000_001,
          entries: 0,
        },
      }),
    ];
    for (const pass of passes) assert.deepEqual(await run(found(storage, acme, pass.id)), pass);
  },

  "insertPass is a conflict of code when another pass of the organization has it": async (storage, acme) => {
    const [ada, template] = await aHolder(acme);
    const pass = await acme.pass(ada, template, { code: "abc" });
    await assertConflict(acme.pass(await acme.user(), template, { code: "abc" }), "code");
    assert.deepEqual(await run(storage.findPassByCode(acme.id, "abc")), pass);
  },

  "passesByCode gives the passes that have one of the codes": async (storage, acme) => {
    const [ada, template] = await aHolder(acme);
    const passes = [
      await acme.pass(ada, template, { code: "a" }),
      await acme.pass(await acme.user(), template, { code: "b" }),
    ];
    const found = async (...codes: string[]) =>
      (await run(storage.passesByCode(acme.id, codes))).sort((a, b) => (a.code < b.code ? -1 : 1));
    assert.deepEqual(await found("b", "none", "a", "b"), passes);
    assert.deepEqual(await found("A"), []);
    assert.deepEqual(await found(), []);
    assert.deepEqual(await found(...Array.from({ length: 999 }, (_, at) => `none-${at}`), "a"), [passes[0]]);
  },

  "insertPasses adds passes with their ledgers": async (storage, acme) => {
    const [ada, template] = await aHolder(acme);
    const bob = await acme.user();
    const bare = somePass(bob, template);
    const [first, second] = [someStamp(bare), someStamp(bare)];
    const entries = [first.entry, { ...second.entry, sequence: 2 }];
    const full = { ...bare, card: { ...second.card, entries: 2 } };
    const plain = somePass(ada, await acme.template({ type: "LOYALTY_CARD", maxStamps: null }));
    await acme.write((tx) =>
      tx.insertPasses(acme.id, [
        { pass: full, entries },
        { pass: plain, entries: [] },
      ]),
    );
    assert.deepEqual(await run(found(storage, acme, full.id)), full);
    assert.deepEqual(await run(found(storage, acme, plain.id)), plain);
    assert.deepEqual(await run(storage.listStampEntries(acme.id, full.id, 0, 10)), entries.reverse());
    assert.deepEqual(await run(storage.passesOfUsers(acme.id, [bob])), [full]);
    await acme.write((tx) => tx.insertPasses(acme.id, []));
  },

  "insertPasses is a conflict of code when another pass has it, one of the same call too": async (
    storage,
    acme,
  ) => {
    const [ada, template] = await aHolder(acme);
    await acme.pass(ada, template, { code: "abc" });
    const inserting = (...codes: string[]) =>
      acme.write((tx) =>
        tx.insertPasses(
          acme.id,
          codes.map((code) => ({ pass: somePass(ada, template, { code }), entries: [] })),
        ),
      );
    await assertConflict(inserting("new", "abc"), "code");
    await assertConflict(inserting("new", "new"), "code");
    assert.equal(await run(storage.findPassByCode(acme.id, "new")), null);
  },

  "a user may have several passes of one template": async (storage, acme) => {
    const [ada, template] = await aHolder(acme);
    const passes = [await acme.pass(ada, template), await acme.pass(ada, template)];
    assert.deepEqual(await run(storage.passesOfUsers(acme.id, [ada])), passes);
  },

  "passesOfUsers gives the passes of these users, oldest first, by createdAt, then id": async (
    storage,
    acme,
  ) => {
    const [ada, template] = await aHolder(acme);
    const [bob, eve] = [await acme.user(), await acme.user()];
    const passes = await rowsByAge(async (fields, at) => {
      await acme.pass(eve, template, { createdAt: fields.createdAt });
      return acme.pass(at % 2 === 0 ? ada : bob, template, fields);
    });
    assert.deepEqual(await run(storage.passesOfUsers(acme.id, [bob, ada])), passes);
    const adas = passes.filter(({ userId }) => userId === ada.id);
    assert.deepEqual(await run(storage.passesOfUsers(acme.id, [ada])), adas);
  },

  "passesOfUsers takes 1,000 users": async (storage, acme) => {
    const [ada, template] = await aHolder(acme);
    const pass = await acme.pass(ada, template);
    const strangers = Array.from({ length: 999 }, (_, at) => someUser({ ordinal: 1_000 + at }));
    assert.deepEqual(await run(storage.passesOfUsers(acme.id, [...strangers, ada])), [pass]);
    assert.deepEqual(await run(storage.passesOfUsers(acme.id, strangers)), []);
    assert.deepEqual(await run(storage.passesOfUsers(acme.id, [])), []);
  },

  "updateInstallation sets the installation status and updatedAt": async (storage, acme) => {
    const [ada, template] = await aHolder(acme);
    const pass = await acme.pass(ada, template, { card: someCard({ currentStamps: 3 }) });
    const other = await acme.pass(ada, template);
    for (const [later, status] of (["INSTALLED", "UNINSTALLED", "INSTALLED"] as const).entries()) {
      const updatedAt = pass.updatedAt + 1 + later;
      assert.equal(
        await acme.write((tx) => tx.updateInstallation(acme.id, pass.id, status, updatedAt)),
        true,
      );
      assert.deepEqual(await run(found(storage, acme, pass.id)), {
        ...pass,
        installationStatus: status,
        updatedAt,
      });
    }
    assert.deepEqual(await run(found(storage, acme, other.id)), other);
  },

  "updateInstallation is false when there is no such pass": async (_storage, acme) => {
    const { id } = somePass(someUser({}), someTemplate());
    assert.equal(await acme.write((tx) => tx.updateInstallation(acme.id, id, "INSTALLED", 5)), false);
  },

  "deletePass removes the pass": async (storage, acme) => {
    const [ada, template] = await aHolder(acme);
    const [pass, other] = [await acme.pass(ada, template), await acme.pass(ada, template)];
    assert.equal(await acme.write((tx) => tx.deletePass(acme.id, pass.id)), true);
    assert.equal(await run(found(storage, acme, pass.id)), null);
    assert.equal(await run(storage.findPassByCode(acme.id, pass.code)), null);
    assert.deepEqual(await run(storage.passesOfUsers(acme.id, [ada])), [other]);
  },

  "deletePass is false when there is no such pass": async (_storage, acme) => {
    const [ada, template] = await aHolder(acme);
    const pass = await acme.pass(ada, template);
    const remove = () => acme.write((tx) => tx.deletePass(acme.id, pass.id));
    assert.deepEqual([await remove(), await remove()], [true, false]);
  },

  "the code of a deleted pass is free": async (storage, acme) => {
    const [ada, template] = await aHolder(acme);
    const pass = await acme.pass(ada, template, { code: "abc" });
    await acme.write((tx) => tx.deletePass(acme.id, pass.id));
    const next = await acme.pass(ada, template, { code: "abc" });
    assert.deepEqual(await run(storage.findPassByCode(acme.id, "abc")), next);
  },
};
