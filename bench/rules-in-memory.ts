import { LoyaltyService } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { ORGANIZATION } from "./customers.js";
import { fillStorage } from "./our-file.js";
import { addNewTags } from "./writes.js";

/** The cost of the rules does not depend on how many users are in memory. */
export const USERS_IN_MEMORY = 10_000;

/**
 * The library on a storage in memory, which has little work of its own. Its call, before rows are written by hand, checks the
 * input, creates ids and events, and returns.
 */
export async function openRulesInMemory(): Promise<LoyaltyService> {
  const storage = memoryStorage();
  await fillStorage(storage, [ORGANIZATION], USERS_IN_MEMORY);
  await addNewTags(storage);
  return new LoyaltyService({ storage });
}
