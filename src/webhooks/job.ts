/** One attempt for a worker to make. */
export interface DeliveryJob {
  readonly organizationId: string;
  readonly endpointId: string;
  /** The claim that it is under. */
  readonly lease: string;
  readonly deliveryId: string;
  readonly eventId: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  readonly url: string;
  /** The exact text to send. */
  readonly body: string;
  /** Each of them signs; newest first. */
  readonly secrets: readonly string[];
}

/** What came of an attempt. */
export interface AttemptResult {
  readonly startedAt: number;
  /** In milliseconds. */
  readonly duration: number;
  /** The HTTP status of the answer; `null` when there was none. */
  readonly status: number | null;
  /** How long the answer asks to wait, in milliseconds; `null` when it does not. */
  readonly retryAfter: number | null;
  /** The first characters of the answer's body. */
  readonly answer: string | null;
  /** Why there was no answer, in words; `null` when there was one. */
  readonly error: string | null;
}

/** An attempt that a worker has made. */
export interface SettledAttempt {
  readonly job: DeliveryJob;
  readonly result: AttemptResult;
}
