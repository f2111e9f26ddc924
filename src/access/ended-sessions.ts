import { run } from "../concurrency/step.js";
import { putAnswer } from "../idempotency/answer-once.js";
import { fingerprintOf, hashOfKey } from "../secrets/seal.js";
import type { Engine } from "../tenant/engine.js";

/**
 * Sessions of browsers that were ended before they would have been over, as all processes know them. They stand among the
 * answers for idempotency keys, for 24 hours, and make room as those do.
 */
export class EndedSessions {
  constructor(private readonly engine: Engine) {}

  /** Ends a session, by an id that nobody can guess. To end it again does nothing more. */
  async end(organizationId: string, sessionId: string): Promise<void> {
    const { engine } = this;
    const answer = {
      keyHash: keyHashOf(organizationId, sessionId),
      fingerprint: fingerprintOf(["sessions.end", sessionId]),
      sealed: "",
      userId: null,
      createdAt: engine.clock(),
    };
    await engine.storage.transaction((tx) => putAnswer(tx, { organizationId, engine }, answer));
  }

  /** Whether a session was ended, in whichever process. */
  async has(organizationId: string, sessionId: string): Promise<boolean> {
    const { storage } = this.engine;
    return (await run(storage.findAnswer(organizationId, keyHashOf(organizationId, sessionId)))) !== null;
  }
}

/** Longer than the keys of callers may be, so that none of them is the same. */
function keyHashOf(organizationId: string, sessionId: string): string {
  return hashOfKey(organizationId, `ended session ${sessionId}`.padEnd(256));
}
