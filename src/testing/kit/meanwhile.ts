import { awaitInStep, type Step } from "../../concurrency/step.js";

/**
 * Looks twice inside `run` (a transaction or a snapshot), and lets `write` begin in between. The second look waits
 * until the write has ended, or is likely to wait itself for `run` to end: both are allowed.
 */
export async function lookTwice<Reader, Seen>(
  run: (work: (reader: Reader) => Step<[Seen, Seen]>) => Promise<[Seen, Seen]>,
  look: (reader: Reader) => Step<Seen>,
  write: () => Promise<unknown>,
): Promise<[Seen, Seen]> {
  let looked = () => {};
  const writing = new Promise<void>((resolve) => {
    looked = resolve;
  }).then(write);
  const seen = await run(function* (reader) {
    const before = yield* look(reader);
    looked();
    yield* awaitInStep(waitBriefly(writing));
    return [before, yield* look(reader)];
  });
  await writing;
  return seen;
}

/** Gives something that may have to wait for the caller a fair chance to end. Never rejects. */
export async function waitBriefly(something: Promise<unknown>): Promise<void> {
  const aWhile = new Promise((resolve) => {
    setTimeout(resolve, 20);
  });
  await Promise.race([something.catch(() => {}), aWhile]);
}
