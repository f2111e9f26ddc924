import { runStep } from "../base/concurrency/step.js";
import {
  buildAllSessionsCooldownName,
  buildSessionCooldownName,
  ENDED_SESSION_RETENTION_MS,
} from "../kernel/caller-rights.js";
import { startCooldown, tryStartCooldown } from "../kernel/cooldowns.js";
import type { Engine } from "../kernel/engine.js";

/** Records which browser sessions were ended before they expired. All processes see the records, which are kept for 24 hours. */
export class EndedSessions {
  constructor(private readonly engine: Pick<Engine, "storage" | "clock" | "changes">) {}

  /** Ends the session with the given ID, which must be unguessable. Does nothing if the session has already been ended. */
  async end(organizationId: string, sessionId: string): Promise<void> {
    const { changes, clock } = this.engine;
    const now = clock();
    const name = buildSessionCooldownName(organizationId, sessionId);
    const until = now + ENDED_SESSION_RETENTION_MS;
    await changes.run(organizationId, (tx) => tryStartCooldown(tx, name, { now, until }));
  }

  /** Ends all sessions that were started with an API token, in all processes. Sessions that start later are not affected. */
  async endAllOfToken(organizationId: string, tokenId: string): Promise<void> {
    const { changes, clock } = this.engine;
    const now = clock();
    const name = buildAllSessionsCooldownName(organizationId, tokenId);
    const until = now + ENDED_SESSION_RETENTION_MS;
    await changes.run(organizationId, (tx) => startCooldown(tx, name, { now, until }));
  }

  /**
   * Returns whether a call to {@link endAllOfToken} in any process ended a session within the last 24 hours.
   * @param tokenId the ID of the token that the session was started with.
   * @param startedAt the time the session began, in milliseconds since the Unix epoch.
   */
  async wasEndedWithToken(organizationId: string, tokenId: string, startedAt: number): Promise<boolean> {
    const { storage, clock } = this.engine;
    const cooldown = await runStep(
      storage.reader(organizationId).findCooldown(buildAllSessionsCooldownName(organizationId, tokenId)),
    );
    return (
      cooldown !== null &&
      cooldown.until > clock() &&
      startedAt <= cooldown.until - ENDED_SESSION_RETENTION_MS
    );
  }

  /** Returns whether the session was ended within the last 24 hours, in any process. */
  async wasEnded(organizationId: string, sessionId: string): Promise<boolean> {
    const { storage, clock } = this.engine;
    const cooldown = await runStep(
      storage.reader(organizationId).findCooldown(buildSessionCooldownName(organizationId, sessionId)),
    );
    return cooldown !== null && cooldown.until > clock();
  }
}
