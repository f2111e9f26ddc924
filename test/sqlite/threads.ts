import { beforeEach, vi } from "vitest";

/*
 * Replaces `node:worker_threads` with threads that a test can observe and refuse:
 * vi.mock("node:worker_threads", () => import("./threads.js"))
 */

const { Worker: Thread } = await vi.importActual<typeof import("node:worker_threads")>("node:worker_threads");

/** Controls and records the threads. It is reset before each test. */
export const threads = {
  /** The threads of transactions, oldest first. */
  started: [] as Worker[],
  areMissing: false,
  /** Additional pragmas for the connections of transactions. */
  pragmas: [] as string[],
};

beforeEach(() => {
  threads.started = [];
  threads.areMissing = false;
  threads.pragmas = [];
});

export class Worker extends Thread {
  /** The number of replies that it sent. */
  answers = 0;

  constructor(...[program, options]: ConstructorParameters<typeof Thread>) {
    if (threads.areMissing)
      throw Object.assign(new Error("there are no threads"), { code: "ERR_WORKER_INIT_FAILED" });
    const data: unknown = options?.workerData;
    super(program, { ...options, workerData: isOfTransaction(data) ? addPragmas(data) : data });
    if (!isOfTransaction(data)) return;
    threads.started.push(this);
    this.on("message", () => {
      this.answers += 1;
    });
  }

  get hasEnded(): boolean {
    return this.threadId === -1;
  }
}

interface TransactionData {
  readonly pragmas: readonly string[];
}

function isOfTransaction(data: unknown): data is TransactionData {
  return typeof data === "object" && data !== null && "pragmas" in data;
}

function addPragmas(data: TransactionData): TransactionData {
  return { ...data, pragmas: [...data.pragmas, ...threads.pragmas] };
}
