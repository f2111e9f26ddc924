import assert from "node:assert/strict";
import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import type { Bench } from "./bench.js";
import { callNames, callsOf } from "./calls.js";
import { ORGANIZATION } from "./customers.js";
import { copyOf, organizationsFile, ourFile } from "./our-file.js";
import { atMost, inMs, print, type Row, whole } from "./report.js";
import { timeInTurn } from "./timing.js";

const ORGANIZATIONS = 50;
const all = Array.from({ length: ORGANIZATIONS }, (_, at) =>
  at === ORGANIZATIONS / 2 ? ORGANIZATION : `company-${at}`,
);

/** One organization among fifty, whose users came in turn, against the same organization alone in a file. */
export const organizations: Bench = async ({ shared, folder, users, rounds, sliceMs }) => {
  const each = Math.round(users / ORGANIZATIONS);
  const among = await opened(copyOf(await organizationsFile(shared, all, each), folder, "among"));
  const alone = await opened(copyOf(await ourFile(shared, each), folder, "alone"));
  const newest = (service: LoyaltyService) => service.organization(ORGANIZATION).contacts.list({ size: 100 });
  assert.deepEqual(await newest(among), await newest(alone));
  const ours = await callsOf(among.organization(ORGANIZATION), each);
  const peer = await callsOf(alone.organization(ORGANIZATION), each);
  const rows: Row[] = [];
  for (const what of callNames) {
    const timeOf = await timeInTurn({ ours: ours[what], peer: peer[what] }, { rounds, sliceMs });
    const ratio = timeOf("ours") / timeOf("peer");
    rows.push({
      what,
      ours: inMs(timeOf("ours")),
      peer: inMs(timeOf("peer")),
      peerName: "alone in a file",
      ratio,
      isLessBetter: true,
      goals: [atMost(ratio, what.startsWith("search") ? 2 : 1.3)],
    });
  }
  await among.close();
  await alone.close();
  print(
    `One of ${ORGANIZATIONS} organizations of ${whole(each)} users each (ratio: times its cost alone)`,
    rows,
  );
};

async function opened(file: string): Promise<LoyaltyService> {
  return new LoyaltyService({ storage: await sqliteStorage(file) });
}
