/*
 * Moves the guests of another program over with their cards: printed codes stay valid, and so do stamps and
 * rewards, as balances or as dated visits.
 * Run it: npx tsx examples/moving/move.ts
 *
 * It keeps everything in the SQLite file DATABASE (cafe.db). CSV needs no program: see newsletter.sh in examples/marketing.
 */
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { checkStorage } from "loyalty-kit/storage";

const storage = await sqliteStorage(process.env.DATABASE ?? "cafe.db");
const loyalty = new LoyaltyService({ storage, shortLinkBase: "https://cafe.example/card" });
const cafe = loyalty.organization("cafe");
const { id: templateId } = await cafe.templates.ensure("coffee", {
  name: "Coffee card",
  type: "STAMP_CARD",
  maxStamps: 10,
});

/** A line of what the other program gives: oldest members first, as they have to come. */
interface Member {
  readonly member: number;
  readonly mail: string;
  readonly name: string;
  readonly since: string;
  readonly card: string;
  /** Stamps on the card, how often it was full, and rewards that are still to be had; or the days of visits. */
  readonly points?: number;
  readonly full?: number;
  readonly open?: number;
  readonly visits?: readonly string[];
}

/** Reads line by line, so that a million members need as little memory as four. */
async function* readMembers() {
  const lines = createInterface({ input: createReadStream(new URL("members.ndjson", import.meta.url)) });
  for await (const line of lines) yield toRow(JSON.parse(line));
}

function toRow({ member, mail, name, since, card, points = 0, full = 0, open = 0, visits }: Member) {
  const balance = { stamps: points, completions: full, rewards: open };
  const history = visits?.map((at) => ({ type: "added" as const, count: 1, at }));
  const pass = { templateId, code: card, ...(history === undefined ? balance : { history }) };
  return { externalId: String(member), email: mail, name, createdAt: since, passes: [pass] };
}

// Past visits send no mails and no webhooks, and don't fill a card a second time. A second run, as after a power cut, does the rest
// and duplicates nothing.
for (const run of ["first", "again"]) {
  const { created, failed } = await cafe.passes.import(readMembers(), { emit: "none" });
  console.log(`${run}: ${created} created, ${failed.length} failed`);
  for (const { row, errors } of failed) console.log(`row ${row}: email ${errors.email}`);
}
console.log(`events: ${(await cafe.events.list({ types: ["user.created"] })).content.length}`);

// The first guest comes with a printed card.
const card = await cafe.passes.lookup("4006381333931");
const { currentStamps, rewardsAvailable } = await cafe.stamps.add(card.id);
console.log(`Ada: ${currentStamps} stamps, ${rewardsAvailable} reward`);
for (const { type, delta, note } of (await cafe.stamps.history(card.id)).content) {
  console.log(`  ${type} ${delta}${note === null ? "" : ` (${note})`}`);
}
const emmy = await cafe.passes.lookup("4006381333962");
const [latest] = (await cafe.stamps.history(emmy.id)).content;
console.log(`Emmy: last here on ${latest?.createdAt.slice(0, 10)}`);

// Every sum holds from there on.
const problems = await checkStorage(storage);
console.log(`problems: ${problems.length}`);
await loyalty.close();

/* Output, where there is no cafe.db yet:

first: 3 created, 1 failed
row 3: email must be a valid email address
again: 0 created, 1 failed
row 3: email must be a valid email address
events: 0
Ada: 8 stamps, 1 reward
  added 1
  redeemed 0 (Opening balance)
  redeemed 0 (Opening balance)
  added 37 (Opening balance)
Emmy: last here on 2025-11-02
problems: 0
*/
