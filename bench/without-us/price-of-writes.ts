import assert from "node:assert/strict";
import { LoyaltyService, type Organization } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { AnsweredAsSafely } from "../answered-as-safely.js";
import type { Bench } from "../bench.js";
import { hasPass, ORGANIZATION, passId, scattered } from "../customers.js";
import { HandWritten, type NewCustomer } from "../hand-written.js";
import { inputOf, strangers, toldBy } from "../new-customers.js";
import { copyOf, ourFile } from "../our-file.js";
import { atLeast, inMs, print, type Row, whole } from "../report.js";
import { rulesInMemory, USERS_IN_MEMORY } from "../rules-in-memory.js";
import { timeInTurn, type Work } from "../timing.js";
import { addNewTags, atOnce, CALLERS, NEW_TAGS, newPairs } from "../writes.js";
import { ownFile } from "./own-file.js";
import { OwnProgram } from "./own-program.js";

const PASSES = 1_000;
/** How often both sides do each piece of work before what they have told is compared. */
const TRIALS = 5;

/**
 * Writes, each on the disk before it is answered, against a program that does without the library on tables of its own:
 * one by one, and by many callers at once against as many grouped by hand into one transaction. What the library's rows
 * take when they are written by hand stands beside it: more than that can't be had with what these rows are for. So does
 * what they take when each commit is answered as safely: seen in the log, and with a turn of the event loop for others.
 * The last limit is that with the rules before it: the same call on a storage in memory checks what is given, makes ids and
 * events, and answers; the rows are then written by hand.
 */
export const priceOfWrites: Bench = async ({ shared, folder, users, rounds, sliceMs }) => {
  const file = copyOf(await ourFile(shared, users), folder, "ours");
  const storage = await sqliteStorage(file);
  await addNewTags(storage);
  await storage.close();
  const sameFile = copyOf(file, folder, "same-rows");
  const sameRows = new HandWritten(sameFile);
  const safely = new AnsweredAsSafely(sameFile);
  const loyalty = new LoyaltyService({ storage: await sqliteStorage(file) });
  const organization = loyalty.organization(ORGANIZATION);
  const inMemory = await rulesInMemory();
  const rules = inMemory.organization(ORGANIZATION);
  const own = new OwnProgram(copyOf(ownFile(shared, users), folder, "own"));
  for (let tag = 0; tag < NEW_TAGS; tag += 1) own.createTag(`new-${tag}`);
  const pieces = piecesOf({ organization, rules, own, sameRows }, users);
  for (const { ours, byHand, grouped } of pieces) {
    for (let at = 0; at < TRIALS; at += 1) {
      await ours();
      byHand();
    }
    await atOnce(ours)();
    grouped();
  }
  await assertSameTold(organization, own);

  const rows: Row[] = [];
  for (const { what, ours, rules, byHand, same, grouped, sameGrouped, least } of pieces) {
    const asSafe = () => safely.after(same);
    const ruled = async () => {
      await rules();
      await asSafe();
    };
    const ruledAtOnce = async () => {
      await atOnce(rules)();
      await sameGrouped();
    };
    const works = {
      ours,
      byHand,
      same,
      asSafe,
      ruled,
      atOnce: atOnce(ours),
      grouped,
      sameGrouped,
      ruledAtOnce,
    };
    const timeOf = await timeInTurn(works, { rounds, sliceMs });
    const alone = `${what}, one by one`;
    rows.push(rowOf(alone, timeOf("ours"), timeOf("byHand"), "own tables", least));
    rows.push(rowOf(`${alone}: the same rows by hand`, timeOf("same"), timeOf("byHand"), "own tables"));
    rows.push(
      rowOf(`${alone}: by hand, answered as safely`, timeOf("asSafe"), timeOf("byHand"), "own tables"),
    );
    rows.push(rowOf(`${alone}: by hand, with our rules`, timeOf("ruled"), timeOf("byHand"), "own tables"));
    const together = `${what}, ${CALLERS} callers`;
    const peerName = `own tables, ${CALLERS} a transaction`;
    const inOne = timeOf("grouped") / CALLERS;
    rows.push(rowOf(together, timeOf("atOnce") / CALLERS, inOne, peerName, 0.8));
    const sameInOne = timeOf("sameGrouped") / CALLERS;
    rows.push(rowOf(`${together}: the same rows by hand`, sameInOne, inOne, peerName));
    const ruledInOne = timeOf("ruledAtOnce") / CALLERS;
    rows.push(rowOf(`${together}: by hand, with our rules`, ruledInOne, inOne, peerName));
  }
  await loyalty.close();
  await inMemory.close();
  safely.close();
  sameRows.close();
  own.close();
  print(`The price of a write, ${whole(users)} users (ratio: share of the rate without the library)`, rows);
};

interface Piece {
  readonly what: string;
  readonly ours: Work;
  /** The same on a storage in memory. */
  readonly rules: Work;
  readonly byHand: Work;
  /** By hand too, in the tables of the library. */
  readonly same: Work;
  readonly grouped: Work;
  readonly sameGrouped: Work;
  readonly least: number;
}

/** Where the same is done. */
interface Places {
  readonly organization: Organization;
  /** On a storage in memory. */
  readonly rules: Organization;
  readonly own: OwnProgram;
  readonly sameRows: HandWritten;
}

function piecesOf({ organization, rules, own, sameRows }: Places, size: number): readonly Piece[] {
  const ids = passIds(size);
  const ours = callsOf(organization, inputsOf(size, ids));
  const onRules = callsOf(rules, inputsOf(USERS_IN_MEMORY, passIds(USERS_IN_MEMORY)));
  const byHand = inputsOf(size, ids);
  const same = inputsOf(size, ids);
  const untagged = () => ({ ...same.strangers(), tags: [] });
  return [
    {
      what: "users.create",
      ours: ours.create,
      rules: onRules.create,
      byHand: () => own.createUser(byHand.strangers()),
      same: () => sameRows.createUser(same.strangers()),
      grouped: () => own.createUsers(many(byHand.strangers)),
      sameGrouped: () => sameRows.createUsers(many(untagged)),
      least: 1,
    },
    {
      what: "tags.assign",
      ours: ours.assign,
      rules: onRules.assign,
      byHand: () => own.assign(...byHand.pairs()),
      same: () => sameRows.assign(...same.pairs()),
      grouped: () => own.assignAll(many(byHand.pairs)),
      sameGrouped: () => sameRows.assignAll(many(same.pairs)),
      least: 0.8,
    },
    {
      what: "stamps.add",
      ours: ours.stamp,
      rules: onRules.stamp,
      byHand: () => own.addStamp(byHand.passes()),
      same: () => sameRows.addStamp(same.passes()),
      grouped: () => own.addStamps(many(byHand.passes)),
      sameGrouped: () => sameRows.addStamps(many(same.passes)),
      least: 0.8,
    },
  ];
}

function callsOf({ users, tags, stamps }: Organization, inputs: ReturnType<typeof inputsOf>) {
  return {
    create: () => users.create(inputOf(inputs.strangers())),
    assign: () => tags.assign(...inputs.pairs()),
    stamp: () => stamps.add(inputs.passes()),
  };
}

function passIds(users: number): readonly string[] {
  return Array.from({ length: users }, (_, ordinal) => ordinal)
    .filter(hasPass)
    .slice(0, PASSES)
    .map(passId);
}

/** What is written: the same for both sides. */
function inputsOf(users: number, passIds: readonly string[]) {
  const [people, pairs, passes] = [strangers(), newPairs(users), scattered(passIds)];
  return {
    strangers: (): NewCustomer => people.next().value,
    pairs: () => pairs.next().value,
    passes: () => passes.next().value,
  };
}

function many<T>(next: () => T): T[] {
  return Array.from({ length: CALLERS }, next);
}

/** @param least what the ratio is to be at least, where it is to be anything. */
function rowOf(what: string, ours: number, peer: number, peerName: string, least?: number): Row {
  const ratio = peer / ours;
  const goals = least === undefined ? [] : [atLeast(ratio, least)];
  return { what, ours: inMs(ours), peer: inMs(peer), peerName, ratio, goals };
}

/** @throws when the two sides have told of other changes, but for the new tags. */
async function assertSameTold(organization: Organization, own: OwnProgram): Promise<void> {
  const { "user_tag.created": _, ...told } = await toldBy(organization);
  const numbers = Object.fromEntries(Object.entries(told).map(([type, { number }]) => [type, number]));
  assert.deepEqual(own.told(), numbers);
}
