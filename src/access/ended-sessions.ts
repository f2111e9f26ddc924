import { run } from "../concurrency/step.js";
import { hashOfKey } from "../secrets/seal.js";
import type { Engine } from "../tenant/engine.js";
import { mark } from "../tenant/marks.js";

const REMEMBERED_MS = 24 * 3_600_000;

/** Sessions of browsers that were ended early. All processes know them, for 24 hours. */
export class EndedSessions {
  constructor(private readonly engine: Engine) {}

  /** Ends a session, by an id that nobody can guess. To end it again does nothing more. */
  async end(organizationId: string, sessionId: string): Promise<void> {
    const { storage, clock } = this.engine;
    const now = clock();
    const name = nameOf(organizationId, sessionId);
    const until = now + REMEMBERED_MS;
    await storage.transaction((tx) => mark(tx, organizationId, name, { now, until }), { organizationId });
  }

  /** True when the session was ended within the last 24 hours, in whichever process. */
  async has(organizationId: string, sessionId: string): Promise<boolean> {
    const { storage, clock } = this.engine;
    const ended = await run(storage.findMark(organizationId, nameOf(organizationId, sessionId)));
    return ended !== null && ended.until > clock();
  }
}

/** Tables of version 20 had this hash among those of the callers' keys, which are shorter. */
function nameOf(organizationId: string, sessionId: string): string {
  return hashOfKey(organizationId, `ended session ${sessionId}`.padEnd(256));
}
