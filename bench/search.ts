import assert from "node:assert/strict";
import Database from "better-sqlite3";
import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import type { Bench } from "./bench.js";
import { generateCustomers, ORGANIZATION } from "./customers.js";
import { createOurFile } from "./our-file.js";
import { type Finding, findPage, type Sort } from "./plain-contacts.js";
import { createPlainFile } from "./plain-file.js";
import { atLeast, formatMs, formatWhole, type Goal, print, type Row } from "./report.js";
import { findFastest, timeInTurn } from "./timing.js";

const SIZE = 20;

interface Search {
  readonly what: string;
  readonly term: string;
  readonly sort: Sort;
  readonly goals: (ratio: number) => readonly Goal[];
}

const selectiveGoals = (ratio: number) => [atLeast(ratio, 35)];
const commonGoals = (ratio: number) => [atLeast(ratio, 15)];
const shortGoals = (ratio: number) => [atLeast(ratio, 1.25)];
const noGoals = () => [];

/** A page of the users who have a text in their email, name, phone or external id, and their number. */
export const runSearch: Bench = async ({ shared, users, rounds, sliceMs }) => {
  const loyalty = new LoyaltyService({ storage: await sqliteStorage(await createOurFile(shared, users)) });
  const { contacts } = loyalty.organization(ORGANIZATION);
  const db = new Database(createPlainFile(shared, users), { readonly: true });
  const rows: Row[] = [];
  for (const { what, term, sort, goals } of listSearches(users)) {
    const searchOurs = () => contacts.list({ search: term, sort, size: SIZE });
    const scanBy = (by: Finding) => findPage(db, by, term, { sort, offset: 0, size: SIZE });
    const scans = { LIKE: scanBy("LIKE"), instr: scanBy("instr") };
    const { totalElements: total, content } = await searchOurs();
    for (const [name, plan] of Object.entries(scans)) {
      assert.deepEqual(plan(), { total, users: content }, `${what}: ${name} finds the same`);
    }
    const timeOf = await timeInTurn({ ours: searchOurs, ...scans }, { rounds, sliceMs });
    const peer = findFastest(Object.keys(scans), timeOf);
    const ratio = timeOf(peer) / timeOf("ours");
    rows.push({
      what: `${what}: ${formatWhole(total)} found`,
      ours: formatMs(timeOf("ours")),
      peer: formatMs(timeOf(peer)),
      peerName: peer,
      ratio,
      goals: goals(ratio),
    });
  }
  await loyalty.close();
  db.close();
  print(
    `Search with total and first page of ${SIZE}, ${formatWhole(users)} users (ratio: times faster)`,
    rows,
  );
};

function listSearches(users: number): readonly Search[] {
  const [someone] = takeFirst(generateCustomers(users), 1_000).slice(-1);
  const [given = "", family = ""] = someone?.name.toLowerCase().split(" ") ?? [];
  const newest = "createdAt,desc";
  return [
    { what: "a family name", term: family, sort: newest, goals: selectiveGoals },
    { what: "a family name, by name", term: family, sort: "name,asc", goals: selectiveGoals },
    { what: "a whole email", term: someone?.email ?? "", sort: newest, goals: selectiveGoals },
    {
      what: "end of a phone number",
      term: someone?.phone.slice(-6) ?? "",
      sort: newest,
      goals: selectiveGoals,
    },
    { what: "nobody has it", term: "xyzzy", sort: newest, goals: selectiveGoals },
    { what: "a given name", term: given, sort: newest, goals: commonGoals },
    { what: "a given name, by name", term: given, sort: "name,asc", goals: commonGoals },
    { what: "a piece of 0.2 % of the names", term: "enkel", sort: newest, goals: selectiveGoals },
    { what: "digits in 0.2 % of the phones", term: "5123", sort: newest, goals: selectiveGoals },
    { what: "half have it", term: "example.org", sort: newest, goals: noGoals },
    { what: "half have it, by name", term: "example.org", sort: "name,asc", goals: noGoals },
    { what: "everybody has it", term: "example", sort: newest, goals: noGoals },
    { what: "one character", term: "z", sort: newest, goals: shortGoals },
    { what: "two characters", term: "zo", sort: newest, goals: shortGoals },
    { what: "two characters, by name", term: "zo", sort: "name,asc", goals: shortGoals },
    { what: "a character that nobody has", term: "ß", sort: newest, goals: shortGoals },
  ];
}

function takeFirst<T>(all: Iterable<T>, count: number): T[] {
  const found: T[] = [];
  for (const one of all) if (found.push(one) === count) break;
  return found;
}
