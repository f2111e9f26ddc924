import { runStep } from "../concurrency/step.js";
import { startCooldown, tryStartCooldown } from "../tenant/cooldowns.js";
import { nameOfSession, nameOfSessionsOf, REMEMBERED_MS } from "../tenant/credential.js";
import type { Engine } from "../tenant/engine.js";

/** Sessions of browsers that were ended early. All processes know them, for 24 hours. */
export class EndedSessions {
  constructor(private readonly engine: Engine) {}

  /** Ends a session, by an id that can't be guessed. A repeat does nothing. */
  async end(organizationId: string, sessionId: string): Promise<void> {
    const { storage, clock } = this.engine;
    const now = clock();
    const name = nameOfSession(organizationId, sessionId);
    const until = now + REMEMBERED_MS;
    await storage.transaction((tx) => tryStartCooldown(tx, organizationId, name, { now, until }), {
      organizationId,
    });
  }

  /** Ends all sessions that began by a token until now. Those that begin later count. */
  async endAllOf(organizationId: string, tokenId: string): Promise<void> {
    const { storage, clock } = this.engine;
    const now = clock();
    const name = nameOfSessionsOf(organizationId, tokenId);
    const until = now + REMEMBERED_MS;
    await storage.transaction((tx) => startCooldown(tx, organizationId, name, { now, until }), {
      organizationId,
    });
  }

  /**
   * True when the sessions of a token that began at a time, in milliseconds since the Unix epoch, were ended by {@link endAllOf}
   * within the last 24 hours, in whichever process.
   */
  async hasAllOf(organizationId: string, tokenId: string, begunAt: number): Promise<boolean> {
    const { storage, clock } = this.engine;
    const ended = await runStep(
      storage.findCooldown(organizationId, nameOfSessionsOf(organizationId, tokenId)),
    );
    return ended !== null && ended.until > clock() && begunAt <= ended.until - REMEMBERED_MS;
  }

  /** True when the session was ended within the last 24 hours, in whichever process. */
  async has(organizationId: string, sessionId: string): Promise<boolean> {
    const { storage, clock } = this.engine;
    const ended = await runStep(
      storage.findCooldown(organizationId, nameOfSession(organizationId, sessionId)),
    );
    return ended !== null && ended.until > clock();
  }
}
