import assert from "node:assert/strict";
import Database from "better-sqlite3";
import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import type { Bench } from "./bench.js";
import { generateCustomers, ORGANIZATION } from "./customers.js";
import { createOurFile } from "./our-file.js";
import { type FindField, findPage, type Sort } from "./plain-contacts.js";
import { createPlainFile } from "./plain-file.js";
import { atLeast, formatMs, formatWhole, type Goal, print, type Row } from "./report.js";
import { findFastest, timeInTurn } from "./timing.js";

const SIZE = 20;

interface Search {
  readonly label: string;
  readonly term: string;
  readonly sort: Sort;
  readonly goals: (ratio: number) => readonly Goal[];
}

const selectiveGoals = (ratio: number) => [atLeast(ratio, 35)];
const commonGoals = (ratio: number) => [atLeast(ratio, 15)];
const shortGoals = (ratio: number) => [atLeast(ratio, 1.25)];
const noGoals = () => [];

/** A page of the users who have a text in their email, name, phone or external id, and their number. */
export const runSearch: Bench = async ({ sharedFolder, users, rounds, sliceMs }) => {
  const loyalty = new LoyaltyService({
    storage: await sqliteStorage(await createOurFile(sharedFolder, users)),
  });
  const { contacts } = loyalty.organization(ORGANIZATION);
  const db = new Database(createPlainFile(sharedFolder, users), { readonly: true });
  const rows: Row[] = [];
  for (const { label, term, sort, goals } of listSearches(users)) {
    const searchOurs = () => contacts.list({ search: term, sort, size: SIZE });
    const scanBy = (field: FindField) => findPage(db, field, term, { sort, offset: 0, size: SIZE });
    const scans = { LIKE: scanBy("LIKE"), instr: scanBy("instr") };
    const { totalElements: total, content } = await searchOurs();
    for (const [name, plan] of Object.entries(scans)) {
      assert.deepEqual(plan(), { total, users: content }, `${label}: ${name} finds the same`);
    }
    const getTime = await timeInTurn({ ours: searchOurs, ...scans }, { rounds, sliceMs });
    const peer = findFastest(Object.keys(scans), getTime);
    const ratio = getTime(peer) / getTime("ours");
    rows.push({
      label: `${label}: ${formatWhole(total)} found`,
      ours: formatMs(getTime("ours")),
      peer: formatMs(getTime(peer)),
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
  const [firstName = "", family = ""] = someone?.name.toLowerCase().split(" ") ?? [];
  const newest = "createdAt,desc";
  return [
    { label: "a family name", term: family, sort: newest, goals: selectiveGoals },
    { label: "a family name, by name", term: family, sort: "name,asc", goals: selectiveGoals },
    { label: "a whole email", term: someone?.email ?? "", sort: newest, goals: selectiveGoals },
    {
      label: "end of a phone number",
      term: someone?.phone.slice(-6) ?? "",
      sort: newest,
      goals: selectiveGoals,
    },
    { label: "nobody has it", term: "xyzzy", sort: newest, goals: selectiveGoals },
    { label: "a given name", term: firstName, sort: newest, goals: commonGoals },
    { label: "a given name, by name", term: firstName, sort: "name,asc", goals: commonGoals },
    { label: "a piece of 0.2 % of the names", term: "enkel", sort: newest, goals: selectiveGoals },
    { label: "digits in 0.2 % of the phones", term: "5123", sort: newest, goals: selectiveGoals },
    { label: "half have it", term: "example.org", sort: newest, goals: noGoals },
    { label: "half have it, by name", term: "example.org", sort: "name,asc", goals: noGoals },
    { label: "everybody has it", term: "example", sort: newest, goals: noGoals },
    { label: "one character", term: "z", sort: newest, goals: shortGoals },
    { label: "two characters", term: "zo", sort: newest, goals: shortGoals },
    { label: "two characters, by name", term: "zo", sort: "name,asc", goals: shortGoals },
    { label: "a character that nobody has", term: "ß", sort: newest, goals: shortGoals },
  ];
}

function takeFirst<T>(all: Iterable<T>, count: number): T[] {
  const found: T[] = [];
  for (const item of all) if (found.push(item) === count) break;
  return found;
}
