import { fold } from "../../../../src/base/values/text.js";
import { buildUserFolds } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";
import { assertSearchResults, listSubstrings } from "./contact-search.js";

type ExpectedMatches = Readonly<Record<string, readonly string[]>>;

const expectNoMatches = (...terms: string[]): ExpectedMatches =>
  Object.fromEntries(terms.map((term) => [term, []]));

const expressions = ["a OR b", "NEAR(a b)", "name:ada", '"ada" AND', "ada*", "-ada", "100%_off\\"];
const longName = `${"ab😀".repeat(84)}ab`;

/** For each statement, users' names, and the names that each search term finds. */
const expectedByNames: Readonly<Record<string, readonly [names: readonly string[], found: ExpectedMatches]>> =
  {
    "a search term isn't interpreted as an expression": [
      ["ada", ...expressions, "ada' OR 1=1 --"],
      Object.fromEntries([...expressions, "ada' OR 1=1 --"].map((name) => [name, [name]])),
    ],
    "a match is contiguous: it isn't enough that the contact contains all short parts of the term": [
      ["abcd xbcde", "bcde abcd", "abc bcd cde", "aaab abaa", "ababab", "anna banna"],
      {
        bcde: ["abcd xbcde", "bcde abcd"],
        abcd: ["abcd xbcde", "bcde abcd"],
        "bcd cde": ["abc bcd cde"],
        abab: ["ababab"],
        babab: ["ababab"],
        "nna ban": ["anna banna"],
        ...expectNoMatches("abcde", "abc bcde", "bababa", "aaabaa", "annabanna", "banna anna"),
      },
    ],
    "spaces are literal": [
      ["ada lovelace", "ada  lovelace", "adalovelace"],
      { "ada lovelace": ["ada lovelace"], "  ": ["ada  lovelace"], " ada": [] },
    ],
    "a search folds letter by letter, and nothing else": [
      ["ſchön", "οδός", "cafés", "ﬁne", "größe", "ılgın"],
      {
        schön: ["ſchön"],
        δόσ: ["οδός"],
        ilgin: ["ılgın"],
        ...expectNoMatches(..."schon cafes fes fine fi gross grosse".split(" ")),
      },
    ],
    "a search accepts 254 characters": [[longName, `${longName.slice(0, -1)}c`], { [longName]: [longName] }],
  };

const lengths: readonly (readonly string[])[] = [
  [..."a%_\\\"'*^:-😀é東"],
  ['""', "''", " a", "a ", ..."ab \\\\ %% __ 😀😁 e\u0327 OR ** ^a a: 東京".split(" ")],
  ["a b", ..."abc \"a\" 'a' a\\b a%b a_b a*b AND NOT ^ab a:b 😀😁😀 नमस".split(" ")],
  ["-a -", "a  b", ...'abcd NEAR """" a""b a\\\\b %_%_ {a}: 👩‍👩 ab😀c 東京都庁'.split(" ")],
];

const scripts = [
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

export const contactTerms: Statements = {
  ...Object.fromEntries(
    Object.entries(expectedByNames).map(([sentence, [names, found]]) => [
      sentence,
      async (storage, acme) => {
        await acme.users(names.map((name, at) => ({ name, email: `user${at}` })));
        await assertSearchResults(storage, acme, Object.entries(found));
      },
    ]),
  ),

  "a match never spans two fields": async (storage, acme) => {
    await acme.users([{ email: "aab@bcc", name: "cdd", phone: "dee", externalId: "eff" }]);
    const terms = "ccc ccd cccdd ddd cdddee eee deeeff effaab".split(" ");
    await assertSearchResults(storage, acme, Object.entries(expectNoMatches(...terms, "cc cd", "cdd\ndee")));
  },

  "short parts of a term in several fields are not a match": async (storage, acme) => {
    await acme.users([
      { email: "xabcx", name: "xbcdx", phone: "xcdex", externalId: "xdefx" },
      { email: "abcde", name: "cdefgh", phone: "efghij", externalId: "ghijkl" },
      { email: "abcdefx", name: "other" },
    ]);
    const matches = { abcdef: ["other"], abcd: ["cdefgh", "other"] };
    const terms = expectNoMatches("bcdefg", "abcdefgh", "cdefghi", "xabcdex");
    await assertSearchResults(storage, acme, Object.entries({ ...matches, ...terms }));
  },

  "every character of a search is literal": async (storage, acme) => {
    const characters = [..."%_\\'\"`*?[]^-+(){}|~.,:;!#$&/<=>@\t\n\u0001\u007f\u00a0\u200b\ufeff"];
    const names = ["xy", "xzy", "xzzzy", ...characters.map((character) => `x${character}y`)];
    await acme.users(names.map((name, at) => ({ name, email: `user${at}` })));
    for (const character of characters) {
      const matches = [character, `x${character}`, `x${character}y`].map(
        (term) => [term, [`x${character}y`]] as const,
      );
      await assertSearchResults(storage, acme, [...matches, [`x${character}${character}y`, []]]);
    }
  },

  "terms of one to four characters are found anywhere in a text": async (storage, acme) => {
    const terms = lengths.flat().map(fold);
    const listVariants = (term: string) => [`${term}zzzz`, `zzzz${term}`, `zz ${term} zz`, `zzzz${term}zzzz`];
    const names = [...new Set(terms.flatMap(listVariants))];
    await acme.users(names.map((name, at) => ({ name, email: `@${at}` })));
    const withTerm = (term: string) => [term, names.filter((name) => fold(name).includes(term))] as const;
    await assertSearchResults(storage, acme, terms.map(withTerm));
  },

  "a search finds every part of every Unicode text, and nothing else": async (storage, acme) => {
    const users = await acme.users(scripts.map((name) => ({ name })));
    const terms = new Set(scripts.flatMap((name) => listSubstrings(fold(name), 4)));
    const has = (term: string) => (user: (typeof users)[number]) =>
      Object.values(buildUserFolds(user)).some((text) => text?.includes(term));
    const withTerm = (term: string) => [term, users.filter(has(term)).map(({ name }) => name)] as const;
    await assertSearchResults(storage, acme, [...terms].map(withTerm));
  },
};
