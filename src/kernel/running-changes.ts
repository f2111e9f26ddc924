import { TaskTracker } from "../base/concurrency/task-tracker.js";
import type { ErrorListener } from "./events/event-emitter.js";

/** The changes that are running in this process. */
export class RunningChanges extends TaskTracker {
  /** The hashed idempotency keys of the calls that are running. */
  readonly keyHashes = new Set<string>();

  constructor(private readonly onError: ErrorListener) {
    super();
  }

  /** Tracks a change that no caller waits for. Its error goes to the error listener. */
  trackInBackground(change: Promise<unknown>): void {
    this.track(change).catch(this.onError);
  }
}
