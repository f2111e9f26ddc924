import { failure } from "../../../src/errors.js";
import type { LentTransaction } from "../../../src/storage/storage-adapter.js";
import { callsOn } from "./calls-on-host.js";

/**
 * Runs a host's work in a transaction that is lent to it, and waits for the joined calls that it has begun.
 * @throws what `work` throws; `storage_unavailable` when it takes longer.
 */
export async function lentTo<Client, T>(
  tx: LentTransaction<Client>,
  work: (tx: LentTransaction<Client>) => Promise<T>,
  timeoutMs: number,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    const tooLong = () => new Error(`the lent transaction was still in use after ${timeoutMs} ms`);
    timer = setTimeout(() => {
      reject(failure("storage_unavailable", null, { cause: tooLong() }));
    }, timeoutMs);
  });
  try {
    return await Promise.race([worked(tx, work), over]);
  } finally {
    clearTimeout(timer);
  }
}

async function worked<Client, T>(
  tx: LentTransaction<Client>,
  work: (tx: LentTransaction<Client>) => Promise<T>,
): Promise<T> {
  try {
    return await work(tx);
  } finally {
    // A call that nobody waited for must not be cut in two.
    await callsOn(tx);
  }
}
