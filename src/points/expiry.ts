import { resolveActor } from "../access/actor-schema.js";
import { yieldIfDue } from "../base/concurrency/event-loop.js";
import { runStep, type Step } from "../base/concurrency/step.js";
import type { ErrorListener } from "../kernel/events/event-emitter.js";
import type { BackendParts } from "../kernel/tenant.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import { openPointLedger, recordPointChange } from "./points.js";

/** Passes per transaction. On SQLite, other changes wait for a transaction to end. */
const BATCH_SIZE = 100;

/** Maximum number of organizations whose points one call records. */
const MAX_ORGANIZATIONS = 10_000;

/** The actor of changes that no caller made, because the clock changes points. */
const clockActor = resolveActor({ kind: "worker", id: "points" });

/**
 * Marks the wallet cards of up to 1,000 passes as changed. The transaction must already have locked the organization.
 * @param now the current time, in milliseconds since the Unix epoch.
 */
export type RefreshCards = (tx: StorageTransaction, passIds: readonly string[], now: number) => Step<void>;

/**
 * Records how time alone has changed points. Reading counts by the clock, whether or not this runs: it only writes the entries of
 * points that have expired, emits their events, and updates the wallet cards of points that have become usable.
 */
export class PointBackend {
  /** @param refreshCards updates wallet cards. Points that have become usable have no event that the cards could follow. */
  constructor(
    private readonly engine: Pick<BackendParts, "storage" | "openTenant" | "clock">,
    private readonly refreshCards: RefreshCards,
    readonly onError: ErrorListener,
  ) {}

  /** Returns the IDs of at most `limit` organizations whose points time has changed. */
  queuesWithDueJobs(limit: number): Promise<string[]> {
    return runStep(this.engine.storage.all.organizationsWithDuePoints(this.engine.clock(), limit));
  }

  /**
   * Records the points of a batch of an organization's passes.
   * @returns whether there may be more.
   */
  advance(organizationId: string): Promise<boolean> {
    const tenant = this.engine.openTenant(organizationId, clockActor);
    const { refreshCards } = this;
    return tenant.change(["points.expire"], function* (change) {
      const { tx } = change;
      const passIds = yield* tx.passesWithDuePoints(tenant.now(), BATCH_SIZE);
      const passIdsWithoutEvent: string[] = [];
      for (const passId of passIds) {
        const pass = yield* tx.findPass(passId);
        if (pass === null) continue;
        const ledger = yield* openPointLedger(tenant, tx, passId);
        if (ledger.entries.length === 0) passIdsWithoutEvent.push(passId);
        yield* recordPointChange(change, pass, ledger);
        yield* yieldIfDue();
      }
      yield* refreshCards(tx, passIdsWithoutEvent, tenant.now());
      return passIds.length === BATCH_SIZE;
    });
  }

  /** Never calls the listener, because only the clock makes this work. */
  onWork(): () => void {
    return () => {};
  }

  /**
   * Records how time has changed points in all organizations. Reports errors instead of throwing them.
   * @param signal when aborted, stops the work after the current batch.
   */
  async advanceAll(signal?: AbortSignal): Promise<void> {
    for (const organizationId of await this.queuesWithDueJobs(MAX_ORGANIZATIONS)) {
      try {
        while (!signal?.aborted && (await this.advance(organizationId)));
      } catch (error) {
        this.onError(error);
      }
    }
  }
}
