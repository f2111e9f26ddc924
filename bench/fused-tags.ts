import assert from "node:assert/strict";
import { LoyaltyService } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import type { Bench } from "./bench.js";
import { type Customer, generateCustomers, ORGANIZATION, type TagName, tagNumber } from "./customers.js";
import { fillStorage } from "./our-file.js";
import { toWireUser } from "./plain-file.js";
import { atMost, formatMs, formatWhole, print } from "./report.js";
import { tagFilters } from "./tag-filters.js";
import { timeInTurn } from "./timing.js";

const SIZE = 20;

/** The nested tag query in memory, against one loop written for this one filter, over the bits of its six tags. */
export const runFusedTags: Bench = async ({ users, rounds, sliceMs }) => {
  const [nestedFilter] = tagFilters;
  assert(nestedFilter);
  const storage = memoryStorage();
  await fillStorage(storage, [ORGANIZATION], users);
  const loyalty = new LoyaltyService({ storage });
  const { tags } = loyalty.organization(ORGANIZATION);
  const queryOurs = () => tags.query({ filter: nestedFilter.filter, size: SIZE });
  const byHand = createFusedLoop(users);
  const { totalElements: total, content } = await queryOurs();
  assert.deepEqual(byHand(), { total, users: content });
  const getTime = await timeInTurn({ ours: queryOurs, byHand }, { rounds, sliceMs });
  await loyalty.close();
  const ratio = getTime("ours") / getTime("byHand");
  print(`Tag query in memory, ${formatWhole(users)} users (ratio: times the loop by hand)`, [
    {
      label: "nested, six leaves",
      ours: formatMs(getTime("ours")),
      peer: formatMs(getTime("byHand")),
      peerName: "one loop over the bits",
      ratio,
      isLessBetter: true,
      goals: [atMost(ratio, 2)],
    },
  ]);
};

/** `most and (many or some) and not few and (tenth or twentieth)`, with the total and the first users. */
function createFusedLoop(users: number) {
  const all = [...generateCustomers(users)];
  const words = Math.ceil(users / 32);
  const buildBits = (tag: TagName) => {
    const bits = new Uint32Array(words);
    for (const { ordinal, tags } of all) {
      if (tags.includes(tagNumber(tag)))
        bits[ordinal >>> 5] = (bits[ordinal >>> 5] ?? 0) | (1 << (ordinal & 31));
    }
    return bits;
  };
  const [mostBits, manyBits, someBits, fewBits] = [
    buildBits("most"),
    buildBits("many"),
    buildBits("some"),
    buildBits("few"),
  ];
  const [tenth, twentieth] = [buildBits("tenth"), buildBits("twentieth")];
  return () => {
    let total = 0;
    const found: number[] = [];
    for (let at = 0; at < words; at += 1) {
      const word =
        (mostBits[at] ?? 0) &
        ((manyBits[at] ?? 0) | (someBits[at] ?? 0)) &
        ~(fewBits[at] ?? 0) &
        ((tenth[at] ?? 0) | (twentieth[at] ?? 0));
      let bits = word - ((word >>> 1) & 0x55555555);
      bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
      total += Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
      for (let remaining = word; remaining !== 0 && found.length < SIZE; remaining &= remaining - 1) {
        found.push(at * 32 + 31 - Math.clz32(remaining & -remaining));
      }
    }
    return { total, users: found.flatMap((ordinal) => all.slice(ordinal, ordinal + 1).map(toWireCustomer)) };
  };
}

function toWireCustomer({ externalId, createdAt, ...customer }: Customer) {
  return toWireUser({
    ...customer,
    external_id: externalId,
    metadata: "{}",
    created_at: createdAt,
    updated_at: createdAt,
  });
}
