import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** How stamps are given: one after the other, or many at the same time. */
export type Way = "in turn" | "at once";

interface StampingOptions {
  readonly users: number;
  /** Stamps that are given before it begins. */
  readonly before: number;
  readonly way: Way;
  /** True runs the worker of segments in the same process. */
  readonly follows: boolean;
}

/** The library in its own process, as in a user's: another one there with the same code does not affect it. */
export class Stamping {
  private constructor(
    readonly file: string,
    private readonly child: ChildProcess,
  ) {}

  static start(file: string, { users, before, way, follows }: StampingOptions): Promise<Stamping> {
    return Stamping.fork(file, [String(users), String(before), way, follows ? "follows" : ""]);
  }

  /** Only runs the worker of segments. */
  static startFollower(file: string): Promise<Stamping> {
    return Stamping.fork(file, ["0", "0", "in turn", "follows"]);
  }

  private static async fork(file: string, args: readonly string[]): Promise<Stamping> {
    const program = join(import.meta.dirname, "stamping-process.ts");
    const child = new Stamping(file, fork(program, [file, ...args]));
    await once(child.child, "message");
    return child;
  }

  /** Gives stamps for some time. @returns the milliseconds for each. */
  async stamp(ms: number): Promise<number> {
    return Number(await this.request({ stamp: ms }));
  }

  /** Resolves when the worker of segments has read everything. */
  async waitUntilIdle(): Promise<void> {
    await this.request({ idle: true });
  }

  async close(): Promise<void> {
    const exit = once(this.child, "exit");
    await this.request({ close: true });
    await exit;
  }

  private async request(message: Record<string, unknown>): Promise<unknown> {
    this.child.send(message);
    const [reply] = await once(this.child, "message");
    return reply;
  }
}
