import { failure } from "../errors.js";
import type { Tenant } from "../tenant/tenant.js";
import { type Answer, failureOf } from "./answer.js";
import { AnsweredMeanwhile, Answering } from "./answering.js";
import type { IdempotentCall } from "./idempotent-call.js";

/** An answer, and whether it is that of an earlier call. */
export interface Answered<T> {
  readonly answer: Answer<T>;
  readonly isReplayed: boolean;
}

/**
 * Makes a call that has one effect for its key, however often and wherever it is made at the same time. The answer is
 * written in the transaction of the effect, so after a crash a repeat finds both or neither. A failure other than 404
 * and 409 is not kept: it had no effect, and the call may be made again.
 * @param work makes one change at most.
 * @throws {LoyaltyError} `idempotency_key_in_use` while another call with the key is under way in this process;
 *   `idempotency_key_reused`.
 * @throws what `work` throws, but for the failures that are kept.
 */
export async function answerOnce<T>(
  tenant: Tenant,
  call: IdempotentCall,
  work: (tenant: Tenant) => Promise<T>,
): Promise<Answered<T>> {
  const { answersUnderWay } = tenant.engine;
  if (answersUnderWay.has(call.keyHash)) throw failure("idempotency_key_in_use");
  answersUnderWay.add(call.keyHash);
  const answering = new Answering(tenant, call);
  try {
    // A transaction of a host may not begin with a read: on SQLite it could not write after it.
    const earlier = tenant.isJoining ? null : await answering.find<T>(tenant.storage);
    if (earlier !== null) return { answer: earlier, isReplayed: true };
    const answer = await answerOf(() => work(tenant.answering(answering)));
    await answering.keepAlone(answer);
    return { answer, isReplayed: false };
  } catch (error) {
    const earlier = error instanceof AnsweredMeanwhile ? await answering.find<T>(tenant.storage) : null;
    if (earlier === null) throw error;
    return { answer: earlier, isReplayed: true };
  } finally {
    answersUnderWay.delete(call.keyHash);
  }
}

async function answerOf<T>(work: () => Promise<T>): Promise<Answer<T>> {
  try {
    return { kind: "result", result: await work() };
  } catch (error) {
    const kept = failureOf(error);
    if (kept === null) throw error;
    return kept;
  }
}
