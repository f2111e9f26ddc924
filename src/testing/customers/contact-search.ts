import assert from "node:assert/strict";
import { run } from "../../concurrency/step.js";
import type { ContactQuery } from "../../storage/contacts.js";
import type { StorageReader } from "../../storage/storage-adapter.js";
import type { StoredUser } from "../../storage/users.js";
import { fold } from "../../values/text.js";
import { Organization } from "../kit/organization.js";
import { foldsOf } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";

export const unlimited: Omit<ContactQuery, "search"> = {
  stamps: null,
  sort: { field: "createdAt", direction: "asc" },
  offset: 0,
  limit: 1_000,
};

/** The names of the contacts that the term finds, in the order in which the users were made. */
export function* namesFound(storage: StorageReader, organizationId: string, term: string) {
  const { users, total } = yield* storage.listContacts(organizationId, { ...unlimited, search: fold(term) });
  assert.equal(total, users.length);
  return users.map(({ name }) => name);
}

/** The parts of one to so many code points; those at the end may be shorter. */
export function partsOf(text: string, longest: number): string[] {
  const characters = [...text];
  return characters.flatMap((_, from) =>
    Array.from({ length: longest }, (_, more) => characters.slice(from, from + more + 1).join("")),
  );
}

export const contactSearch: Statements = {
  "without a search everybody is found": async (storage, acme) => {
    const users = await acme.users([{}, { name: "Ada" }, { phone: "1" }]);
    const found = await run(storage.listContacts(acme.id, { ...unlimited, search: null }));
    assert.deepEqual(found, { users, total: 3 });
  },

  "a search finds a text in any one of the folds": async (storage, acme) => {
    const fields = [
      { name: "by email", email: "Needle@example.com" },
      { name: "by Needle" },
      { name: "by phone", phone: "+1 NEEDLE" },
      { name: "by external id", externalId: "xneedlex" },
      { name: "not at all" },
      { name: null },
    ];
    await acme.users(fields);
    const expected = fields.slice(0, 4).map(({ name }) => name);
    for (const term of ["needle", "NEEDLE", "nee", "dl", "eed"]) {
      assert.deepEqual(await run(namesFound(storage, acme.id, term)), expected, term);
    }
  },

  "a search finds texts of any length at any place": async (storage, acme) => {
    await acme.users([
      { name: "qx jkv zw", email: "1@2" },
      { name: "other", email: "3@4" },
    ]);
    for (const term of partsOf("qx jkv zw", 9)) {
      assert.deepEqual(await run(namesFound(storage, acme.id, term)), ["qx jkv zw"], JSON.stringify(term));
    }
  },

  "a search sees the users of its organization alone": async (storage, acme) => {
    const globex = new Organization(storage, "globex");
    const names = ["ada lovelace", "ada", "lovelace"];
    await acme.users(names.map((name) => ({ name })));
    const [first, second] = await globex.users([{ name: "ada lovelace" }, { name: "lovelace ada" }]);
    assert.ok(first && second);
    for (const term of ["a", "ad", "ada", "lovelace", "ada lovelace"]) {
      const expected = names.filter((name) => name.includes(term));
      assert.deepEqual(await run(namesFound(storage, acme.id, term)), expected);
    }
    assert.deepEqual(await run(namesFound(storage, globex.id, "ada l")), ["ada lovelace"]);
    const changed = { ...first, name: "changed" };
    await globex.write(function* (tx) {
      yield* tx.updateUser(globex.id, changed, foldsOf(changed));
      yield* tx.deleteUser(globex.id, second.id);
    });
    assert.deepEqual(await run(namesFound(storage, globex.id, "ada")), []);
    assert.deepEqual(await run(namesFound(storage, acme.id, "ada")), ["ada lovelace", "ada"]);
  },

  "a search finds users however many came after them, and follows what happens to each": async (
    storage,
    acme,
  ) => {
    const names = Array.from({ length: 600 }, (_, at) => `n-${at}-${at % 7 === 0 ? "seven" : "other"}-é😀`);
    const fields = names.map((name, at) => ({ name, email: `${at}@u.x` }));
    const users = await acme.users(fields);
    const expected = new Map(users.map((user) => [user.id, user.name ?? ""]));
    const agree = async () => {
      for (const term of [
        "seven",
        "-12",
        "n-2",
        "e",
        "é😀",
        "😀",
        "n-511-o",
        "-other-é",
        "changed",
        "nobody",
      ]) {
        const found = [...expected.values()].filter((name) => name.includes(term));
        assert.deepEqual(await run(namesFound(storage, acme.id, term)), found, term);
      }
    };
    await agree();
    for (const at of [0, 14, 255, 256, 511, 512, 598]) {
      const user = users[at];
      assert.ok(user);
      const changed = { ...user, name: `changed ${at}` };
      await acme.write((tx) => tx.updateUser(acme.id, changed, foldsOf(changed)));
      expected.set(user.id, changed.name);
    }
    await agree();
    for (const at of [7, 14, 255, 257, 510, 512, 599]) {
      const user = users[at];
      assert.ok(user);
      await acme.write((tx) => tx.deleteUser(acme.id, user.id));
      expected.delete(user.id);
    }
    await agree();
    for (const user of await acme.users(
      names.slice(0, 200).map((name, at) => ({ name, email: `${at}@v.x` })),
    )) {
      expected.set(user.id, user.name ?? "");
    }
    await agree();
  },

  "a search follows what happens to a user": async (storage, acme) => {
    const user = await acme.user({ name: "first" });
    const rename = (name: string): StoredUser => ({ ...user, name });
    await acme.write((tx) => tx.updateUser(acme.id, rename("second"), foldsOf(rename("second"))));
    assert.deepEqual(await run(namesFound(storage, acme.id, "first")), []);
    assert.deepEqual(await run(namesFound(storage, acme.id, "second")), ["second"]);
    await assert.rejects(
      acme.write(function* (tx) {
        yield* tx.updateUser(acme.id, rename("third"), foldsOf(rename("third")));
        throw new Error("rolled back");
      }),
    );
    assert.deepEqual(await run(namesFound(storage, acme.id, "third")), []);
    assert.deepEqual(await run(namesFound(storage, acme.id, "second")), ["second"]);
    await assert.rejects(
      acme.write(function* (tx) {
        yield* tx.deleteUser(acme.id, user.id);
        yield* acme.within(tx).user({ name: "fourth" });
        assert.deepEqual(yield* namesFound(tx, acme.id, "second"), []);
        assert.deepEqual(yield* namesFound(tx, acme.id, "fourth"), ["fourth"]);
        throw new Error("rolled back");
      }),
    );
    assert.deepEqual(await run(namesFound(storage, acme.id, "fourth")), []);
    assert.deepEqual(await run(namesFound(storage, acme.id, "second")), ["second"]);
    await acme.write((tx) => tx.deleteUser(acme.id, user.id));
    assert.deepEqual(await run(namesFound(storage, acme.id, "second")), []);
  },

  "a search follows a change of each field, to another text, to none and back": async (storage, acme) => {
    let user = await acme.user({ name: "initial", email: "initial@example.com" });
    const change = async (fields: Partial<StoredUser>) => {
      user = { ...user, ...fields };
      await acme.write((tx) => tx.updateUser(acme.id, user, foldsOf(user)));
    };
    const isFound = async (term: string) =>
      (await run(storage.listContacts(acme.id, { ...unlimited, search: term }))).total === 1;
    for (const field of ["email", "name", "phone", "externalId"] as const) {
      for (const text of ["needle one", "needle two", "n"]) {
        await change({ [field]: `${field} ${text}` });
        assert.equal(await isFound(`${field.toLowerCase()} ${text}`), true);
      }
      assert.equal(await isFound("needle"), false);
      if (field === "email") continue;
      await change({ [field]: null });
      assert.equal(await isFound(`${field.toLowerCase()} n`), false);
      await change({ [field]: "needle three" });
      assert.equal(await isFound("needle three"), true);
      await change({ [field]: null });
    }
  },
};
