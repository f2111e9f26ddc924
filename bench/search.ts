import assert from "node:assert/strict";
import Database from "better-sqlite3";
import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import type { Bench } from "./bench.js";
import { customers, ORGANIZATION } from "./customers.js";
import { ourFile } from "./our-file.js";
import { type Finding, pageOfFound, type Sort } from "./plain-contacts.js";
import { plainFile } from "./plain-file.js";
import { atLeast, type Goal, inMs, print, type Row, whole } from "./report.js";
import { fastest, timeInTurn } from "./timing.js";

const SIZE = 20;

interface Search {
  readonly what: string;
  readonly term: string;
  readonly sort: Sort;
  readonly goals: (ratio: number) => readonly Goal[];
}

const selective = (ratio: number) => [atLeast(ratio, 35)];
const common = (ratio: number) => [atLeast(ratio, 15)];
const short = (ratio: number) => [atLeast(ratio, 1.25)];
const none = () => [];

/** A page of the users who have a text in their email, name, phone or external id, and their number. */
export const search: Bench = async ({ shared, users, rounds, sliceMs }) => {
  const loyalty = new LoyaltyService({ storage: await sqliteStorage(await ourFile(shared, users)) });
  const { contacts } = loyalty.organization(ORGANIZATION);
  const db = new Database(plainFile(shared, users), { readonly: true });
  const rows: Row[] = [];
  for (const { what, term, sort, goals } of searches(users)) {
    const ours = () => contacts.list({ search: term, sort, size: SIZE });
    const scan = (by: Finding) => pageOfFound(db, by, term, { sort, offset: 0, size: SIZE });
    const scans = { LIKE: scan("LIKE"), instr: scan("instr") };
    const { totalElements: total, content } = await ours();
    for (const [name, plan] of Object.entries(scans)) {
      assert.deepEqual(plan(), { total, users: content }, `${what}: ${name} finds the same`);
    }
    const timeOf = await timeInTurn({ ours, ...scans }, { rounds, sliceMs });
    const peer = fastest(Object.keys(scans), timeOf);
    const ratio = timeOf(peer) / timeOf("ours");
    rows.push({
      what: `${what}: ${whole(total)} found`,
      ours: inMs(timeOf("ours")),
      peer: inMs(timeOf(peer)),
      peerName: peer,
      ratio,
      goals: goals(ratio),
    });
  }
  await loyalty.close();
  db.close();
  print(`Search with total and first page of ${SIZE}, ${whole(users)} users (ratio: times faster)`, rows);
};

function searches(users: number): readonly Search[] {
  const [someone] = firstOf(customers(users), 1_000).slice(-1);
  const [given = "", family = ""] = someone?.name.toLowerCase().split(" ") ?? [];
  const newest = "createdAt,desc";
  return [
    { what: "a family name", term: family, sort: newest, goals: selective },
    { what: "a family name, by name", term: family, sort: "name,asc", goals: selective },
    { what: "a whole email", term: someone?.email ?? "", sort: newest, goals: selective },
    { what: "end of a phone number", term: someone?.phone.slice(-6) ?? "", sort: newest, goals: selective },
    { what: "nobody has it", term: "xyzzy", sort: newest, goals: selective },
    { what: "a given name", term: given, sort: newest, goals: common },
    { what: "a given name, by name", term: given, sort: "name,asc", goals: common },
    { what: "a piece of 0.2 % of the names", term: "enkel", sort: newest, goals: selective },
    { what: "digits in 0.2 % of the phones", term: "5123", sort: newest, goals: selective },
    { what: "half have it", term: "example.org", sort: newest, goals: none },
    { what: "half have it, by name", term: "example.org", sort: "name,asc", goals: none },
    { what: "everybody has it", term: "example", sort: newest, goals: none },
    { what: "one character", term: "z", sort: newest, goals: short },
    { what: "two characters", term: "zo", sort: newest, goals: short },
    { what: "two characters, by name", term: "zo", sort: "name,asc", goals: short },
    { what: "a character that nobody has", term: "ß", sort: newest, goals: short },
  ];
}

function firstOf<T>(all: Iterable<T>, count: number): T[] {
  const found: T[] = [];
  for (const one of all) if (found.push(one) === count) break;
  return found;
}
