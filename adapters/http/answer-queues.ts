import type { FairSemaphore } from "../../src/base/concurrency/fair-semaphore.js";
import { createQueue } from "../../src/kernel/queues.js";

/**
 * Creates the queue for building lists and pages. A response's size isn't known until the response has been built, so each response
 * holds a slot until then. The slot count thus limits the memory used by responses that are being built.
 */
export function lists(): FairSemaphore {
  return createQueue("lists", { concurrency: 128, maxShare: 1 / 2, length: 10_000, patience: 30_000 });
}

/**
 * Creates the queue for building long pages. Each organization can build one long page at a time. A page holds its slot from the
 * time its data is read until the page is serialized. If several long pages were built at the same time, their memory would survive
 * V8's minor garbage collections and be freed only by a major one.
 */
export function longPages(): FairSemaphore {
  return createQueue("long pages", { concurrency: 4, maxShare: 1 / 4, length: 100, patience: 10_000 });
}
