import type { SmtpSession } from "./session.js";

/** A connection is closed after this many milliseconds without an email, or after this many emails. */
const KEPT_MS = 10_000;
const KEPT_MAILS = 100;
/** Maximum number of emails that wait for a connection. */
const MAX_WAITING = 1_000;

/** Thrown if no connection became available in time, if too many emails are waiting for a connection, or if the pool is closed. */
export class NoConnectionError extends Error {
  override readonly name = "NoConnectionError";
}

/** A pool with a limited number of connections to one server. Idle connections stay open for ten seconds. */
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
   * Runs a task with exclusive use of a connection. If all connections are in use, waits for one for up to half of the time that
   * remains until the deadline. If the task fails because an idle connection was already dead, runs the task again on a new
   * connection.
   * @param wasDead a function that returns whether an error means that the connection was already dead.
   * @param until the overall deadline, on the clock of `performance.now()`.
   * @throws {NoConnectionError} if no connection becomes available in time, if too many emails are waiting, or if the pool is
   *   closed.
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

  /** Closes the pool. Resolves when all tasks that hold a connection have finished. */
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
    if (this.isClosed) throw new NoConnectionError("the mail service is closed");
    if (this.free > 0) {
      this.free -= 1;
      return;
    }
    if (this.waiting.size >= MAX_WAITING)
      throw new NoConnectionError("too many emails are waiting for a connection");
    const hasPlace = await new Promise<boolean>((resolve) => {
      const go = (isGiven: boolean) => {
        clearTimeout(timer);
        this.waiting.delete(go);
        resolve(isGiven);
      };
      const timer = setTimeout(() => go(false), ms);
      this.waiting.add(go);
    });
    if (!hasPlace) throw new NoConnectionError("no connection to the mail server became available in time");
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

/** Returns the number of milliseconds until a deadline on the clock of `performance.now()`, but never less than 1. */
export function msLeft(until: number): number {
  return Math.max(until - performance.now(), 1);
}
