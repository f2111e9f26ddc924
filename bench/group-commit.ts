import assert from "node:assert/strict";
import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import type { Bench } from "./bench.js";
import { ORGANIZATION } from "./customers.js";
import { HandWritten } from "./hand-written.js";
import { assertSameFiles, inputOf, strangers } from "./new-customers.js";
import { copyOf, ourFile } from "./our-file.js";
import { atLeast, print, rateOf, whole } from "./report.js";
import { timeInTurn } from "./timing.js";

const CALLERS = 64;

/** 64 callers who create users at once, against one after the other, by the library and by hand. */
export const groupCommit: Bench = async ({ shared, folder, users, rounds, sliceMs }) => {
  const filled = await ourFile(shared, users);
  const files = {
    atOnce: copyOf(filled, folder, "at-once"),
    inTurn: copyOf(filled, folder, "in-turn"),
    byHand: copyOf(filled, folder, "by-hand"),
  };
  const services = {
    atOnce: new LoyaltyService({ storage: await sqliteStorage(files.atOnce) }),
    inTurn: new LoyaltyService({ storage: await sqliteStorage(files.inTurn) }),
  };
  const peer = new HandWritten(files.byHand);
  const creates = { atOnce: creator(services.atOnce), inTurn: creator(services.inTurn) };
  const byHand = strangers();
  let calls = 0;
  const works = {
    atOnce: async () => {
      calls += CALLERS;
      await Promise.all(Array.from({ length: CALLERS }, creates.atOnce));
    },
    inTurn: async () => {
      for (let at = 0; at < CALLERS; at += 1) await creates.inTurn();
    },
    byHand: () => {
      for (let at = 0; at < CALLERS; at += 1) peer.createUser(byHand.next().value);
    },
  };
  for (const work of Object.values(works)) await work();
  await assertSameFiles(files.atOnce, files.byHand);
  await assertSameFiles(files.inTurn, files.byHand);

  const timeOf = await timeInTurn(works, { rounds, sliceMs });
  const { totalElements } = await services.atOnce.organization(ORGANIZATION).contacts.list({ size: 1 });
  assert.equal(totalElements, users + calls, "every caller's user is there");
  for (const service of Object.values(services)) await service.close();
  peer.close();
  const against = (name: "inTurn" | "byHand", peerName: string, least: number) => {
    const ratio = timeOf(name) / timeOf("atOnce");
    return {
      what: `users.create by ${CALLERS} callers at once, against ${peerName}`,
      ours: rateOf(CALLERS, timeOf("atOnce")),
      peer: rateOf(CALLERS, timeOf(name)),
      peerName,
      ratio,
      goals: [atLeast(ratio, least)],
    };
  };
  print(`Group commit, ${whole(users)} users (ratio: times the rate)`, [
    against("inTurn", "the library one by one", 2),
    against("byHand", "by hand one by one", 1),
  ]);
};

function creator(service: LoyaltyService) {
  const { users } = service.organization(ORGANIZATION);
  const people = strangers();
  return () => users.create(inputOf(people.next().value));
}
