import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** How many stamps are given one after the other, or at once. */
export type Way = "in turn" | "at once";

interface Given {
  readonly users: number;
  /** Stamps that the file has got already. */
  readonly given: number;
  /** Stamps that are given before it begins. */
  readonly before: number;
  readonly way: Way;
}

/** The library in a process of its own, as that of a user: what another one does there with the same code is not felt here. */
export class Stamping {
  private constructor(private readonly child: ChildProcess) {}

  static async begun(file: string, { users, given, before, way }: Given): Promise<Stamping> {
    const program = join(import.meta.dirname, "stamping-process.ts");
    const stamping = new Stamping(fork(program, [file, ...[users, given, before].map(String), way]));
    await once(stamping.child, "message");
    return stamping;
  }

  /** Gives 64 stamps. */
  stamp(): Promise<void> {
    return this.#told("stamp");
  }

  async close(): Promise<void> {
    const ended = once(this.child, "exit");
    await this.#told("close");
    await ended;
  }

  async #told(message: "stamp" | "close"): Promise<void> {
    this.child.send(message);
    await once(this.child, "message");
  }
}
