import { beforeEach, vi } from "vitest";

/*
 * Stands in for `node:worker_threads`, with threads that a test can see and refuse:
 * vi.mock("node:worker_threads", () => import("./threads.js"))
 */

const { Worker: Thread } = await vi.importActual<typeof import("node:worker_threads")>("node:worker_threads");

/** What the test makes of threads; as usual when it begins. */
export const threads = {
  /** Those of transactions, oldest first. */
  started: [] as Worker[],
  areMissing: false,
  /** What else the connections of transactions are to be set to. */
  pragmas: [] as string[],
};

beforeEach(() => {
  threads.started = [];
  threads.areMissing = false;
  threads.pragmas = [];
});

export class Worker extends Thread {
  /** How many answers it gave. */
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
