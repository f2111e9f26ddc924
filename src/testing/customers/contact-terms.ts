import assert from "node:assert/strict";
import { run } from "../../concurrency/step.js";
import { fold } from "../../values/text.js";
import { foldsOf } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";
import { namesFound, partsOf, unlimited } from "./contact-search.js";

export const contactTerms: Statements = {
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
      assert.deepEqual(await run(namesFound(storage, acme.id, term)), [], term);
    }
  },

  "every character of a search is literal": async (storage, acme) => {
    const characters = [..."%_\\'\"`*?[]^-+(){}|~.,:;!#$&/<=>@\t\n\u0001\u007f\u00a0\u200b\ufeff"];
    const names = ["xy", "xzy", "xzzzy", ...characters.map((character) => `x${character}y`)];
    await acme.users(names.map((name, at) => ({ name, email: `user${at}` })));
    for (const character of characters) {
      for (const term of [character, `x${character}`, `x${character}y`]) {
        assert.deepEqual(
          await run(namesFound(storage, acme.id, term)),
          [`x${character}y`],
          JSON.stringify(term),
        );
      }
      assert.deepEqual(await run(namesFound(storage, acme.id, `x${character}${character}y`)), [], character);
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
    for (const name of names) assert.deepEqual(await run(namesFound(storage, acme.id, name)), [name], name);
  },

  "a match is one piece: all short parts of the term somewhere in the contact are not enough": async (
    storage,
    acme,
  ) => {
    const names = ["abcd xbcde", "bcde abcd", "abc bcd cde", "aaab abaa", "ababab", "anna banna"];
    await acme.users(names.map((name, at) => ({ name, email: `user${at}` })));
    const expected: Readonly<Record<string, readonly string[]>> = {
      abcde: [],
      bcde: ["abcd xbcde", "bcde abcd"],
      abcd: ["abcd xbcde", "bcde abcd"],
      "abc bcde": [],
      "bcd cde": ["abc bcd cde"],
      abab: ["ababab"],
      babab: ["ababab"],
      bababa: [],
      aaabaa: [],
      annabanna: [],
      "nna ban": ["anna banna"],
      "banna anna": [],
    };
    for (const [term, found] of Object.entries(expected)) {
      assert.deepEqual(await run(namesFound(storage, acme.id, term)), found, term);
    }
  },

  "short parts of a term in several fields are not enough": async (storage, acme) => {
    await acme.users([
      { email: "xabcx", name: "xbcdx", phone: "xcdex", externalId: "xdefx" },
      { email: "abcde", name: "cdefgh", phone: "efghij", externalId: "ghijkl" },
      { email: "abcdefx", name: "other" },
    ]);
    assert.deepEqual(await run(namesFound(storage, acme.id, "abcdef")), ["other"]);
    assert.deepEqual(await run(namesFound(storage, acme.id, "abcd")), ["cdefgh", "other"]);
    for (const term of ["bcdefg", "abcdefgh", "cdefghi", "xabcdex"]) {
      assert.deepEqual(await run(namesFound(storage, acme.id, term)), [], term);
    }
  },

  "terms of one to four characters are found wherever they stand": async (storage, acme) => {
    const terms = [
      ..."a%_\\\"'*^:-😀é東",
      ...[
        "ab",
        '""',
        "''",
        "\\\\",
        "%%",
        "__",
        "😀😁",
        "e\u0327",
        " a",
        "a ",
        "OR",
        "**",
        "^a",
        "a:",
        "東京",
      ],
      ...[
        "abc",
        '"a"',
        "'a'",
        "a\\b",
        "a%b",
        "a_b",
        "a*b",
        "AND",
        "NOT",
        "^ab",
        "a:b",
        "a b",
        "😀😁😀",
        "नमस",
      ],
      ...[
        "abcd",
        "NEAR",
        '""""',
        'a""b',
        "a\\\\b",
        "%_%_",
        "{a}:",
        "-a -",
        "a  b",
        "👩‍👩",
        "ab😀c",
        "東京都庁",
      ],
    ].map(fold);
    const around = (term: string) => [`${term}zzzz`, `zzzz${term}`, `zz ${term} zz`, `zzzz${term}zzzz`];
    const names = [...new Set(terms.flatMap(around))];
    await acme.users(names.map((name, at) => ({ name, email: `@${at}` })));
    for (const term of terms) {
      const expected = names.filter((name) => fold(name).includes(term));
      assert.ok(expected.length >= 4);
      assert.deepEqual(await run(namesFound(storage, acme.id, term)), expected, JSON.stringify(term));
    }
  },

  "spaces are literal": async (storage, acme) => {
    await acme.users([{ name: "ada lovelace" }, { name: "ada  lovelace" }, { name: "adalovelace" }]);
    assert.deepEqual(await run(namesFound(storage, acme.id, "ada lovelace")), ["ada lovelace"]);
    assert.deepEqual(await run(namesFound(storage, acme.id, "  ")), ["ada  lovelace"]);
    assert.deepEqual(await run(namesFound(storage, acme.id, " ada")), []);
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
      const { users: found } = await run(storage.listContacts(acme.id, { ...unlimited, search: term }));
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
      assert.deepEqual(await run(namesFound(storage, acme.id, term)), [], term);
    }
  },

  "a search takes 254 characters": async (storage, acme) => {
    const name = `${"ab😀".repeat(84)}ab`;
    await acme.users([{ name }, { name: `${name.slice(0, -1)}c` }]);
    assert.deepEqual(await run(namesFound(storage, acme.id, name)), [name]);
  },
};
