import { resolveActor } from "../access/actor-schema.js";
import { yieldIfDue } from "../base/concurrency/event-loop.js";
import { runStep } from "../base/concurrency/step.js";
import type { ErrorListener } from "../kernel/events/event-emitter.js";
import type { BackendParts } from "../kernel/tenant.js";
import { openPointLedger, recordPointChange } from "./points.js";

/** Passes per transaction. On SQLite, other changes wait for a transaction to end. */
const SLICE = 100;

/** Maximum number of organizations whose expired points one call records. */
const MAX_ORGANIZATIONS = 10_000;

/** The actor of changes that no caller made, because points expire by the clock. */
const clockActor = resolveActor({ kind: "worker", id: "points" });

/**
 * Records points that have expired. They stop counting at the moment when they expire, whether or not this runs: it only writes
 * the entries and emits the events.
 */
export class PointBackend {
  constructor(
    private readonly engine: Pick<BackendParts, "storage" | "openTenant" | "clock">,
    readonly onError: ErrorListener,
  ) {}

  /** Returns the IDs of at most `limit` organizations that have expired points to record. */
  queuesWithDueJobs(limit: number): Promise<string[]> {
    return runStep(this.engine.storage.all.organizationsWithExpiredPoints(this.engine.clock(), limit));
  }

  /**
   * Records the expired points of a batch of an organization's passes.
   * @returns whether there may be more.
   */
  advance(organizationId: string): Promise<boolean> {
    const tenant = this.engine.openTenant(organizationId, clockActor);
    return tenant.change(["points.expire"], function* (change) {
      const { tx } = change;
      const passIds = yield* tx.passesWithExpiredPoints(tenant.now(), SLICE);
      for (const passId of passIds) {
        const pass = yield* tx.findPass(passId);
        if (pass === null) continue;
        yield* recordPointChange(change, pass, yield* openPointLedger(tenant, tx, passId));
        yield* yieldIfDue();
      }
      return passIds.length === SLICE;
    });
  }

  /** Never calls the listener, because only time makes points expire. */
  onWork(): () => void {
    return () => {};
  }

  /**
   * Records all expired points in all organizations. Reports errors instead of throwing them.
   * @param signal when aborted, stops the work after the current batch.
   */
  async finish(signal?: AbortSignal): Promise<void> {
    for (const organizationId of await this.queuesWithDueJobs(MAX_ORGANIZATIONS)) {
      try {
        while (!signal?.aborted && (await this.advance(organizationId)));
      } catch (error) {
        this.onError(error);
      }
    }
  }
}
