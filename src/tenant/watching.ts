import type { Step } from "../concurrency/step.js";
import type { Recording } from "../events/recording.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";

/** What a watch needs to know of a change. */
export interface WatchedChange {
  readonly organizationId: string;
  /** Takes the events of who moves. */
  readonly recording: Recording;
  /** `true` notes who moves, and tells nobody. */
  readonly isSilent: boolean;
}

/** Sees what one change does to customers. */
export interface ChangeWatch {
  /** The transaction of the change, whose writes it sees. */
  readonly tx: StorageTransaction;
  /** Records who moved by the writes since it last looked. To be called before the events so far are written. */
  look(): Step<void>;
}

/** Sees the changes of all organizations. */
export interface Watching {
  begin(tx: StorageTransaction, change: WatchedChange): ChangeWatch;
}
