import { awaitInStep, type Step } from "../../../../src/base/concurrency/step.js";

/**
 * Reads twice within `run`, which is a transaction or a snapshot, and starts `write` between the two reads. The second read waits
 * for the write to finish, but only briefly, because some storage adapters make the write wait until `run` ends.
 * @returns the results of both reads.
 */
export async function readTwice<Reader, Seen>(
  run: (work: (reader: Reader) => Step<[Seen, Seen]>) => Promise<[Seen, Seen]>,
  read: (reader: Reader) => Step<Seen>,
  write: () => Promise<unknown>,
): Promise<[Seen, Seen]> {
  let startWriting = () => {};
  const writing = new Promise<void>((resolve) => {
    startWriting = resolve;
  }).then(write);
  const seenStates = await run(function* (reader) {
    const first = yield* read(reader);
    startWriting();
    yield* awaitInStep(waitBriefly(writing));
    return [first, yield* read(reader)];
  });
  await writing;
  return seenStates;
}

/**
 * Waits briefly for a promise to settle. The wait is limited because the promise itself might be waiting for the caller. Never
 * rejects.
 */
export async function waitBriefly(promise: Promise<unknown>): Promise<void> {
  const timeout = new Promise((resolve) => {
    setTimeout(resolve, 20);
  });
  await Promise.race([promise.catch(() => {}), timeout]);
}
