import assert from "node:assert/strict";
import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import type { Bench } from "./bench.js";
import { callNames, createCalls } from "./calls.js";
import { ORGANIZATION } from "./customers.js";
import { copyFile, createOrganizationsFile, createOurFile } from "./our-file.js";
import { atMost, formatMs, formatWhole, print, type Row } from "./report.js";
import { timeInTurn } from "./timing.js";

const ORGANIZATIONS = 50;
const all = Array.from({ length: ORGANIZATIONS }, (_, at) =>
  at === ORGANIZATIONS / 2 ? ORGANIZATION : `company-${at}`,
);

/** One organization among fifty, whose users were created in turn, against the same organization alone in a file. */
export const runOrganizations: Bench = async ({ sharedFolder, folder, users, rounds, sliceMs }) => {
  const each = Math.round(users / ORGANIZATIONS);
  const among = await openService(
    copyFile(await createOrganizationsFile(sharedFolder, all, each), folder, "among"),
  );
  const aloneService = await openService(copyFile(await createOurFile(sharedFolder, each), folder, "alone"));
  const listNewest = (service: LoyaltyService) =>
    service.organization(ORGANIZATION).contacts.list({ size: 100 });
  assert.deepEqual(await listNewest(among), await listNewest(aloneService));
  const ours = await createCalls(among.organization(ORGANIZATION), each);
  const peer = await createCalls(aloneService.organization(ORGANIZATION), each);
  const rows: Row[] = [];
  for (const label of callNames) {
    const getTime = await timeInTurn({ ours: ours[label], peer: peer[label] }, { rounds, sliceMs });
    const ratio = getTime("ours") / getTime("peer");
    rows.push({
      label,
      ours: formatMs(getTime("ours")),
      peer: formatMs(getTime("peer")),
      peerName: "alone in a file",
      ratio,
      isLessBetter: true,
      goals: [atMost(ratio, label.startsWith("search") ? 2 : 1.3)],
    });
  }
  await among.close();
  await aloneService.close();
  print(
    `One of ${ORGANIZATIONS} organizations of ${formatWhole(each)} users each (ratio: times its cost alone)`,
    rows,
  );
};

async function openService(file: string): Promise<LoyaltyService> {
  return new LoyaltyService({ storage: await sqliteStorage(file) });
}
