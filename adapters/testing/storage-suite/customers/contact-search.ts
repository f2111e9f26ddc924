import assert from "node:assert/strict";
import { runStep } from "../../../../src/base/concurrency/step.js";
import { fold } from "../../../../src/base/values/text.js";
import type { ContactQuery } from "../../../../src/storage/contacts.js";
import type { StorageAdapter } from "../../../../src/storage/storage-adapter.js";
import type { StoredUser } from "../../../../src/storage/users.js";
import type { SuiteOrganization } from "../kit/organization.js";
import { buildUserFolds } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";

export const unlimited: Omit<ContactQuery, "search"> = {
  stamps: null,
  sort: { field: "createdAt", direction: "asc" },
  offset: 0,
  limit: 1_000,
};

/**
 * Asserts that each search term finds exactly the expected users. `names` are the expected users' names, in the order in which
 * the users were created.
 */
export async function assertSearchResults(
  storage: StorageAdapter,
  { id }: SuiteOrganization,
  terms: Iterable<readonly [term: string, names: readonly (string | null)[]]>,
) {
  for (const [term, names] of terms) {
    const { users, total } = await runStep(
      storage.reader(id).listContacts({ ...unlimited, search: fold(term) }),
    );
    assert.equal(total, users.length);
    const foundNames = users.map(({ name }) => name);
    assert.deepEqual(foundNames, names, JSON.stringify(term));
  }
}

/** Returns every substring of 1 to `maxLength` code points, ordered by start position. The list can contain duplicates. */
export function listSubstrings(text: string, maxLength: number): string[] {
  const characters = [...text];
  return characters.flatMap((_, from) =>
    Array.from({ length: maxLength }, (_, more) => characters.slice(from, from + more + 1).join("")),
  );
}

export const contactSearch: Statements = {
  "a search finds a text in any of the folded fields": async (storage, acme) => {
    const matches = [
      { name: "by email", email: "Needle@example.com" },
      { name: "by Needle" },
      { name: "by phone", phone: "+1 NEEDLE" },
      { name: "by external id", externalId: "xneedlex" },
    ];
    await acme.users([...matches, { name: "not at all" }, { name: null }]);
    const names = matches.map(({ name }) => name);
    const terms = ["needle", "NEEDLE", "nee", "dl", "eed"];
    await assertSearchResults(
      storage,
      acme,
      terms.map((term) => [term, names] as const),
    );
  },

  "a search finds users no matter how many were added later, and follows their changes and deletions": async (
    storage,
    acme,
  ) => {
    const names = Array.from({ length: 600 }, (_, at) => `n-${at}-${at % 7 === 0 ? "seven" : "other"}-é😀`);
    const users = await acme.users(names.map((name, at) => ({ name, email: `first ${at}` })));
    const namesById = new Map(users.map((user) => [user.id, user.name ?? ""]));
    const terms = "seven -12 n-2 e é😀 😀 n-511-o -other-é changed nobody".split(" ");
    const withTerm = (term: string) =>
      [term, [...namesById.values()].filter((name) => name.includes(term))] as const;
    await assertSearchResults(storage, acme, terms.map(withTerm));
    for (const at of [0, 14, 255, 256, 511, 512, 598]) {
      const user = users[at];
      assert.ok(user);
      const changedUser = { ...user, name: `changed ${at}` };
      await acme.write((tx) => tx.updateUser(changedUser, buildUserFolds(changedUser)));
      namesById.set(user.id, changedUser.name);
    }
    await assertSearchResults(storage, acme, terms.map(withTerm));
    for (const at of [7, 14, 255, 257, 510, 512, 599]) {
      const user = users[at];
      assert.ok(user);
      await acme.write((tx) => tx.deleteUser(user.id));
      namesById.delete(user.id);
    }
    await assertSearchResults(storage, acme, terms.map(withTerm));
    const more = await acme.users(names.slice(0, 200).map((name, at) => ({ name, email: `second ${at}` })));
    for (const user of more) namesById.set(user.id, user.name ?? "");
    await assertSearchResults(storage, acme, terms.map(withTerm));
  },

  "a search follows changes of each field to another text, to none and back, and deletions": async (
    storage,
    acme,
  ) => {
    let user = await acme.user({ name: "initial", email: "initial@example.com" });
    const change = async (fields: Partial<StoredUser>) => {
      user = { ...user, ...fields };
      await acme.write((tx) => tx.updateUser(user, buildUserFolds(user)));
    };
    const isFound = async (term: string) =>
      (await runStep(storage.reader(acme.id).listContacts({ ...unlimited, search: term }))).total === 1;
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
    await acme.write((tx) => tx.deleteUser(user.id));
    assert.equal(await isFound("n"), false);
  },
};
