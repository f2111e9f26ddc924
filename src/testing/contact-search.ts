import assert from "node:assert/strict";
import type { ContactQuery, StorageReader, StoredUser } from "../storage.js";
import { fold } from "../text.js";
import { foldsOf } from "./records.js";
import type { Statements } from "./statements.js";

const unlimited: Omit<ContactQuery, "search"> = {
  stamps: null,
  sort: { field: "createdAt", direction: "asc" },
  offset: 0,
  limit: 1_000,
};

/** The names of the contacts that the term finds, in the order in which the users were made. */
async function namesFound(storage: StorageReader, organizationId: string, term: string) {
  const { users, total } = await storage.listContacts(organizationId, { ...unlimited, search: fold(term) });
  assert.equal(total, users.length);
  return users.map(({ name }) => name);
}

function partsOf(text: string, longest: number): string[] {
  const characters = [...text];
  return characters.flatMap((_, from) =>
    Array.from({ length: longest }, (_, more) => characters.slice(from, from + more + 1).join("")),
  );
}

export const contactSearch: Statements = {
  "without a search everybody is found": async (storage, acme) => {
    const users = await acme.users([{}, { name: "Ada" }, { phone: "1" }]);
    const found = await storage.listContacts(acme.id, { ...unlimited, search: null });
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
      assert.deepEqual(await namesFound(storage, acme.id, term), expected, term);
    }
  },

  "a search finds texts of any length at any place": async (storage, acme) => {
    await acme.users([
      { name: "qx jkv zw", email: "1@2" },
      { name: "other", email: "3@4" },
    ]);
    for (const term of partsOf("qx jkv zw", 9)) {
      assert.deepEqual(await namesFound(storage, acme.id, term), ["qx jkv zw"], JSON.stringify(term));
    }
  },

  "a match never spans two fields": async (storage, acme) => {
    await acme.users([{ email: "aab@bcc", name: "cdd", phone: "dee", externalId: "eff" }]);
    for (const term of [
      "ccc",
      "ccd",
      "cccdd",
      "ddd",
      "cdddee",
      "eee",
      "deeeff",
      "effaab",
      "cc cd",
      "cdd\ndee",
    ]) {
      assert.deepEqual(await namesFound(storage, acme.id, term), [], term);
    }
  },

  "every character of a search is literal": async (storage, acme) => {
    const characters = [..."%_\\'\"`*?[]^-+(){}|~.,:;!#$&/<=>@\t\n\u0001\u007f\u00a0\u200b\ufeff"];
    const names = ["xy", "xzy", "xzzzy", ...characters.map((character) => `x${character}y`)];
    await acme.users(names.map((name, at) => ({ name, email: `user${at}` })));
    for (const character of characters) {
      for (const term of [character, `x${character}`, `x${character}y`]) {
        assert.deepEqual(await namesFound(storage, acme.id, term), [`x${character}y`], JSON.stringify(term));
      }
      assert.deepEqual(await namesFound(storage, acme.id, `x${character}${character}y`), [], character);
    }
  },

  "a search is no expression": async (storage, acme) => {
    const names = [
      "a OR b",
      "NEAR(a b)",
      "name:ada",
      '"ada" AND',
      "ada*",
      "-ada",
      "100%_off\\",
      "ada' OR 1=1 --",
    ];
    await acme.users([{ name: "ada" }, ...names.map((name) => ({ name }))]);
    for (const name of names) assert.deepEqual(await namesFound(storage, acme.id, name), [name], name);
  },

  "spaces are literal": async (storage, acme) => {
    await acme.users([{ name: "ada lovelace" }, { name: "ada  lovelace" }, { name: "adalovelace" }]);
    assert.deepEqual(await namesFound(storage, acme.id, "ada lovelace"), ["ada lovelace"]);
    assert.deepEqual(await namesFound(storage, acme.id, "  "), ["ada  lovelace"]);
    assert.deepEqual(await namesFound(storage, acme.id, " ada"), []);
  },

  "a search finds every part of every Unicode text, and nothing else": async (storage, acme) => {
    const names = [
      ...["Größe STRASSE straße", "Žluťoučký kůň", "日本語テスト", "ΟΔΌΣ όδος", "İstanbul ısı", "ﬁancé ﬁ"],
      ...[
        "नमस्ते दुनिया",
        "👩‍👩‍👧 🎟️🎫",
        "😀😁😀",
        "ſſ ſoft",
        "\u{10ffff}\uffff\ud7ff",
        "e\u0301\u0327 Å",
        "a\u030aA",
      ],
    ];
    const users = await acme.users(names.map((name) => ({ name })));
    const folds = users.map((user) => [user.name, Object.values(foldsOf(user))] as const);
    for (const term of new Set(names.flatMap((name) => partsOf(fold(name), 4)))) {
      const expected = folds.filter(([, texts]) => texts.some((text) => text?.includes(term)));
      const { users: found } = await storage.listContacts(acme.id, { ...unlimited, search: term });
      assert.deepEqual(
        found.map(({ name }) => name),
        expected.map(([name]) => name),
        JSON.stringify(term),
      );
    }
  },

  "a search folds nothing by itself": async (storage, acme) => {
    await acme.users(["ſchön", "οδός", "cafés", "ﬁne", "größe", "ılgın"].map((name) => ({ name })));
    for (const term of [
      "schön",
      "sch",
      "δόσ",
      "cafes",
      "fes",
      "fine",
      "fi",
      "gross",
      "grosse",
      "ilg",
      "gin",
    ]) {
      assert.deepEqual(await namesFound(storage, acme.id, term), [], term);
    }
  },

  "a search takes 254 characters": async (storage, acme) => {
    const name = `${"ab😀".repeat(84)}ab`;
    await acme.users([{ name }, { name: `${name.slice(0, -1)}c` }]);
    assert.deepEqual(await namesFound(storage, acme.id, name), [name]);
  },

  "a search follows what happens to a user": async (storage, acme) => {
    const user = await acme.user({ name: "first" });
    const rename = (name: string): StoredUser => ({ ...user, name });
    await acme.write((tx) => tx.updateUser(acme.id, rename("second"), foldsOf(rename("second"))));
    assert.deepEqual(await namesFound(storage, acme.id, "first"), []);
    assert.deepEqual(await namesFound(storage, acme.id, "second"), ["second"]);
    await assert.rejects(
      acme.write(async (tx) => {
        await tx.updateUser(acme.id, rename("third"), foldsOf(rename("third")));
        throw new Error("rolled back");
      }),
    );
    assert.deepEqual(await namesFound(storage, acme.id, "third"), []);
    assert.deepEqual(await namesFound(storage, acme.id, "second"), ["second"]);
    await acme.write((tx) => tx.deleteUser(acme.id, user.id));
    assert.deepEqual(await namesFound(storage, acme.id, "second"), []);
  },
};
