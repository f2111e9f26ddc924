import type { SmtpSession } from "./session.js";

/** A connection is closed after this many milliseconds without an email, or after this many emails. */
const KEPT_MS = 10_000;
const KEPT_MAILS = 100;
/** Maximum number of emails that wait for a connection. */
const MAX_WAITING = 1_000;

/** Thrown if no connection became free in time, if too many emails wait for one, or if the pool is closed. */
export class NoConnectionError extends Error {
  override readonly name = "NoConnectionError";
}

/** A limited pool of connections to one server. Idle connections stay open for a while. */
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
   * Runs a task with a connection that no other task uses. Waits for a connection for at most half of the remaining time. If a task
   * fails because its idle connection was dead, it runs again on a new connection.
   * @param until the deadline for everything, as a time of `performance.now()`.
   * @throws {NoConnectionError} if no connection becomes free in time.
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

  /** Closes the pool. Resolves when the emails in flight have ended. */
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

  /** Passes the free slot to the task that has waited longest. */
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

/** Returns the milliseconds until a time of `performance.now()`, but at least 1. */
export function msLeft(until: number): number {
  return Math.max(until - performance.now(), 1);
}
