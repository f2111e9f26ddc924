import { assertInBounds } from "../values/bounds.js";

/** For how long is kept what calls and deliveries leave behind. `outbox` says it of events. */
export interface RetentionOptions {
  /**
   * For how many hours answers to calls with idempotency keys are kept, 12 to 720; 24 unless given. Later a call with such a
   * key is made again.
   */
  readonly answerHours?: number;
  /**
   * For how many days deliveries of webhooks, with what receivers answered, are kept once they are not pending, 1 to 3,650; as
   * long as events unless given.
   */
  readonly deliveryDays?: number;
}

/** The retention, complete. */
export interface Retention {
  readonly answerMs: number;
  readonly deliveryMs: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** From and to which number each may go. An ended session of 12 hours stands among the answers. */
export const retentionBounds: Readonly<Record<keyof RetentionOptions, readonly [from: number, to: number]>> =
  {
    answerHours: [12, 720],
    deliveryDays: [1, 3_650],
  };

/** @param eventMs for how long events are kept. @throws {RangeError} for a number that is out of its bounds. */
export function retentionOf(given: RetentionOptions = {}, eventMs: number = 30 * DAY_MS): Retention {
  assertInBounds("retention", given, retentionBounds);
  const { answerHours = 24, deliveryDays } = given;
  return {
    answerMs: answerHours * HOUR_MS,
    deliveryMs: deliveryDays === undefined ? eventMs : deliveryDays * DAY_MS,
  };
}
