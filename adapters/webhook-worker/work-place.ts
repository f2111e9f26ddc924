import type { FairSemaphore } from "../../src/concurrency/fair-semaphore.js";
import type { Tracer } from "../../src/tracing.js";
import type { WebhookQueue } from "../../src/webhooks/queue.js";
import type { Outside } from "./client/attempt.js";
import type { Standings } from "./standing.js";

/** The queue as a worker uses it. */
export type Queue = Pick<
  WebhookQueue,
  "clock" | "onError" | "endpointsToServe" | "take" | "settle" | "onGrowth"
>;

/** What the endpoints that one worker serves have in common. */
export interface WorkPlace {
  readonly queue: Queue;
  readonly outside: Outside;
  /** Told of attempts; `null` when nobody is. */
  readonly tracer: Tracer | null;
  readonly attemptsPerEndpoint: number;
  /** For attempts under way. */
  readonly attempts: FairSemaphore;
  /** For those of them that are made at troubled endpoints. */
  readonly troubledAttempts: FairSemaphore;
  /** For those at endpoints of which nothing is known: any of them may turn out to be dead. */
  readonly unknownAttempts: FairSemaphore;
  /** For calls of the storage: more at once would only wait for each other, and for those of others. */
  readonly storageCalls: FairSemaphore;
  readonly standings: Standings;
  /** True when no further attempt is to begin. */
  isClosing(): boolean;
  /** Told how a call of the storage ended, but for reads that succeeded: it may answer those and fail to write. */
  storageAnswered(): void;
  storageFailed(error: unknown): void;
}
