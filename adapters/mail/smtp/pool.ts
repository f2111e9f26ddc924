import type { SmtpSession } from "./session.js";

/** After how many milliseconds without a mail a connection is left, and after how many mails. */
const KEPT_MS = 10_000;
const KEPT_MAILS = 100;
/** The most mails that wait for a connection. */
const MAX_WAITING = 1_000;

/** Says that no connection came free in time, or that too many wait for one, or that all are closed. */
export class NoConnectionError extends Error {
  override readonly name = "NoConnectionError";
}

/** The connections to one server: a limited number, kept open for a while. */
export class SessionPool {
  private free: number;
  private isClosed = false;
  private readonly idle = new Map<SmtpSession, NodeJS.Timeout>();
  private readonly waiting = new Set<(isGiven: boolean) => void>();
  private readonly closing: (() => void)[] = [];

  constructor(
    private readonly open: (ms: number) => Promise<SmtpSession>,
    private readonly size: number,
  ) {
    this.free = size;
  }

  /**
   * Runs a task with a connection that no other task uses. It waits for one for half of the remaining time, and then rejects with
   * `NoConnection`. A task that fails because a kept connection was dead runs again on a new one.
   * @param until the time of `performance.now()` at which everything must have ended.
   */
  async use<T>(
    work: (session: SmtpSession) => Promise<T>,
    wasDead: (error: unknown) => boolean,
    until: number,
  ): Promise<T> {
    await this.acquire(msLeft(until) / 2);
    try {
      const kept = this.takeIdle();
      if (kept === null) return await this.done(work, await this.open(msLeft(until)));
      try {
        return await this.done(work, kept);
      } catch (error) {
        if (!wasDead(error)) throw error;
        this.leaveIdle();
        return await this.done(work, await this.open(msLeft(until)));
      }
    } finally {
      this.release();
    }
  }

  private leaveIdle(): void {
    for (const [session, timer] of this.idle) {
      clearTimeout(timer);
      session.quit();
    }
    this.idle.clear();
  }

  /** Resolves when the mails under way have ended. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const go of this.waiting) go(false);
    this.leaveIdle();
    if (this.free < this.size) await new Promise<void>((resolve) => this.closing.push(resolve));
  }

  private async done<T>(work: (session: SmtpSession) => Promise<T>, session: SmtpSession): Promise<T> {
    try {
      return await work(session);
    } finally {
      this.keep(session);
    }
  }

  private async acquire(ms: number): Promise<void> {
    if (this.isClosed) throw new NoConnectionError("mail is closed");
    if (this.free > 0) {
      this.free -= 1;
      return;
    }
    if (this.waiting.size >= MAX_WAITING) throw new NoConnectionError("too many mails wait for a connection");
    const hasPlace = await new Promise<boolean>((resolve) => {
      const go = (isGiven: boolean) => {
        clearTimeout(timer);
        this.waiting.delete(go);
        resolve(isGiven);
      };
      const timer = setTimeout(() => go(false), ms);
      this.waiting.add(go);
    });
    if (!hasPlace) throw new NoConnectionError("no connection to the mail server came free");
  }

  /** The place goes to the one who has waited longest. */
  private release(): void {
    const [first] = this.waiting;
    if (first !== undefined) {
      first(true);
      return;
    }
    this.free += 1;
    if (this.free === this.size) for (const resolve of this.closing.splice(0)) resolve();
  }

  private takeIdle(): SmtpSession | null {
    for (const [session, timer] of this.idle) {
      clearTimeout(timer);
      this.idle.delete(session);
      if (session.isUsable) return session;
    }
    return null;
  }

  private keep(session: SmtpSession): void {
    if (!session.isUsable) return;
    if (this.isClosed || session.sent >= KEPT_MAILS) {
      session.quit();
      return;
    }
    const end = () => {
      this.idle.delete(session);
      session.quit();
    };
    this.idle.set(session, setTimeout(end, KEPT_MS).unref());
  }
}

/** The milliseconds until a time of `performance.now()`, and one when it has passed. */
export function msLeft(until: number): number {
  return Math.max(until - performance.now(), 1);
}
