import type { RetentionOptions, StorageAdapter } from "loyalty-kit";
import { onTestFinished } from "vitest";
import { runStep } from "../../src/base/concurrency/step.js";
import { openAcme } from "./acme.js";
import { interceptCalls } from "./intercept-calls.js";
import { ManualClock } from "./manual-clock.js";

interface OutboxOptions {
  readonly count: number;
  /** Returns the age in milliseconds of the event at an index. Default: 0, so that events are new. */
  readonly ageOf?: (at: number) => number;
  readonly retention?: RetentionOptions;
  readonly onError?: (error: unknown) => void;
  /** Wraps the storage that the service gets. */
  readonly wrapStorage?: (storage: StorageAdapter) => StorageAdapter;
}

/** Opens an organization "acme" whose outbox already contains this many events. */
export async function fillOutbox(open: () => Promise<StorageAdapter>, filling: OutboxOptions) {
  const { count, ageOf = () => 0, wrapStorage = (each) => each, ...options } = filling;
  const storage = await open();
  onTestFinished(() => storage.close());
  const clock = new ManualClock();
  await appendEvents(storage, "acme", count, (at) => clock.now - ageOf(at));
  const unclosed = interceptCalls(wrapStorage(storage), function* (method, proceed) {
    if (method !== "close") return yield* proceed();
  });
  const { acme, loyalty } = openAcme({ storage: unclosed, clock: clock.read, ...options });
  const createChanges = async (times = 1) => {
    for (let time = 0; time < times; time += 1)
      await acme.templates.create({ name: "T", type: "LOYALTY_CARD" });
  };
  const listKeptPositions = async (organizationId: string) =>
    (await runStep(storage.reader(organizationId).listEvents(null, 0, 10_000))).map(
      ({ position }) => position,
    );
  /** Waits until the removal of events ends, closes the service, and returns the positions that remain. */
  const listPositions = async (organizationId = "acme") => {
    let now = await listKeptPositions(organizationId);
    for (let looks = 0; looks < 3; looks += 1) {
      await new Promise((resolve) => setTimeout(resolve, 30));
      const later = await listKeptPositions(organizationId);
      if (later.length !== now.length) looks = 0;
      now = later;
    }
    await loyalty.close();
    return listKeptPositions(organizationId);
  };
  return { acme, loyalty, storage, change: createChanges, positions: listPositions };
}

/** Appends events through the port, in batches that every storage accepts. */
export async function appendEvents(
  storage: StorageAdapter,
  organizationId: string,
  count: number,
  createdAt: (at: number) => number,
): Promise<void> {
  for (let from = 0; from < count; from += 1_000) {
    const events = Array.from({ length: Math.min(1_000, count - from) }, (_, at) => ({
      id: `evt_${from + at}`,
      type: "user.created",
      createdAt: createdAt(from + at),
      data: "{}",
      actor: null,
      subject: null,
    }));
    await storage.transaction(organizationId, (tx) => tx.appendEvents(events));
  }
}
