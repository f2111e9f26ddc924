import assert from "node:assert/strict";
import { LoyaltyService, type Organization } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import type { Bench } from "../bench.js";
import { hasPass, ORGANIZATION, passId, scattered } from "../customers.js";
import type { NewCustomer } from "../hand-written.js";
import { inputOf, strangers, toldBy } from "../new-customers.js";
import { copyOf, ourFile } from "../our-file.js";
import { atLeast, inMs, print, type Row, whole } from "../report.js";
import { timeInTurn, type Work } from "../timing.js";
import { atOnce, CALLERS, NEW_TAGS, newPairs } from "../writes.js";
import { ownFile } from "./own-file.js";
import { OwnProgram } from "./own-program.js";

const PASSES = 1_000;
/** How often both sides do each piece of work before what they have told is compared. */
const TRIALS = 5;

/**
 * Writes, each on the disk before it is answered, against a program that does without the library on tables of its own:
 * one by one, and by many callers at once against as many grouped by hand into one transaction.
 */
export const priceOfWrites: Bench = async ({ shared, folder, users, rounds, sliceMs }) => {
  const loyalty = new LoyaltyService({
    storage: await sqliteStorage(copyOf(await ourFile(shared, users), folder, "ours")),
  });
  const organization = loyalty.organization(ORGANIZATION);
  const own = new OwnProgram(copyOf(ownFile(shared, users), folder, "own"));
  for (let tag = 0; tag < NEW_TAGS; tag += 1) {
    await organization.tags.create({ name: `new-${tag}` });
    own.createTag(`new-${tag}`);
  }
  const pieces = piecesOf(organization, own, users);
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
  for (const { what, ours, byHand, grouped, least } of pieces) {
    const timeOf = await timeInTurn({ ours, byHand, atOnce: atOnce(ours), grouped }, { rounds, sliceMs });
    rows.push(rowOf(`${what}, one by one`, timeOf("ours"), timeOf("byHand"), "own tables", least));
    const [together, inOne] = [timeOf("atOnce") / CALLERS, timeOf("grouped") / CALLERS];
    rows.push(
      rowOf(`${what}, ${CALLERS} callers`, together, inOne, `own tables, ${CALLERS} a transaction`, 0.8),
    );
  }
  await loyalty.close();
  own.close();
  print(`The price of a write, ${whole(users)} users (ratio: share of the rate without the library)`, rows);
};

interface Piece {
  readonly what: string;
  readonly ours: Work;
  readonly byHand: Work;
  readonly grouped: Work;
  readonly least: number;
}

function piecesOf({ users, tags, stamps }: Organization, own: OwnProgram, size: number): readonly Piece[] {
  const ids = Array.from({ length: size }, (_, ordinal) => ordinal)
    .filter(hasPass)
    .slice(0, PASSES)
    .map(passId);
  const ours = inputsOf(size, ids);
  const byHand = inputsOf(size, ids);
  return [
    {
      what: "users.create",
      ours: () => users.create(inputOf(ours.strangers())),
      byHand: () => own.createUser(byHand.strangers()),
      grouped: () => own.createUsers(many(byHand.strangers)),
      least: 1,
    },
    {
      what: "tags.assign",
      ours: () => tags.assign(...ours.pairs()),
      byHand: () => own.assign(...byHand.pairs()),
      grouped: () => own.assignAll(many(byHand.pairs)),
      least: 0.8,
    },
    {
      what: "stamps.add",
      ours: () => stamps.add(ours.passes()),
      byHand: () => own.addStamp(byHand.passes()),
      grouped: () => own.addStamps(many(byHand.passes)),
      least: 0.8,
    },
  ];
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

function rowOf(what: string, ours: number, peer: number, peerName: string, least: number): Row {
  const ratio = peer / ours;
  return { what, ours: inMs(ours), peer: inMs(peer), peerName, ratio, goals: [atLeast(ratio, least)] };
}

/** @throws when the two sides have told of other changes, but for the new tags. */
async function assertSameTold(organization: Organization, own: OwnProgram): Promise<void> {
  const { "user_tag.created": _, ...told } = await toldBy(organization);
  const numbers = Object.fromEntries(Object.entries(told).map(([type, { number }]) => [type, number]));
  assert.deepEqual(own.told(), numbers);
}
