import { once } from "node:events";
import type { Worker } from "node:worker_threads";
import { afterRunning } from "../../../src/concurrency/after-running.js";
import { reportMissingThread, startThread } from "../../setup/threads.js";
import {
  type Answer,
  DrawingFailure,
  DrawingTimeout,
  type Driver,
  drawerCode,
  type RenderedPicture,
} from "./drawer.js";

/** Text, not a file: so it is there wherever the adapter was bundled to. */
const buildProgram = (script: string) => `
  const { parentPort, workerData } = require("node:worker_threads");
  const { setPriority } = require("node:os");
  const { begin, draw } = ${drawerCode(script)};
  // A thread that can't begin ends with this error.
  begin(workerData.module).then(() => {
    // Behind the event loop, where more is to be done than there are processors. Elsewhere this would be the whole process's.
    try {
      if (process.platform === "linux") setPriority(10);
    } catch {}
    parentPort.postMessage("begun");
  });
  parentPort.on("message", (svg) => parentPort.postMessage(draw(svg)));
`;

/** The heap of JavaScript in a thread, and its stack, in MiB. The memory of WebAssembly has its own limit. */
const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };

/** The time in which a thread begins, which is no fault of what it draws. */
const BEGINNING_MS = 10_000;

/** A rasterizer in a thread of its own: code in WebAssembly, which has no way out and can be ended in the middle. */
export class RasterizerThread {
  readonly #worker: Worker;
  readonly #begun: Promise<unknown>;

  /** @throws {MissingThreadError} if no thread can start. */
  constructor({ script, module }: Driver) {
    this.#worker = startThread("pictures", () => ({
      program: buildProgram(script),
      ...{ execArgv: [], env: {}, workerData: { module }, resourceLimits },
    }));
    this.#worker.unref();
    // One that fails before it is asked is found out then.
    this.#worker.on("error", () => {});
    this.#begun = once(this.#worker, "message", { signal: AbortSignal.timeout(BEGINNING_MS) }).catch(
      (cause: unknown) => {
        // A busy machine begins the next one in time.
        if (isAbort(cause)) throw new Error("a thread that draws can't begin", { cause });
        throw reportMissingThread("pictures", cause);
      },
    );
    this.#begun.catch(() => {});
  }

  /**
   * Draws one at a time. After a failure the thread is to be ended.
   * @throws {DrawingFailure}
   * @throws {DrawingTimeout} if it takes longer than the deadline, from when the thread has begun.
   * @throws {MissingThreadError} if the thread can't start; an Error when it doesn't begin in time.
   */
  async draw(svg: string, deadlineMs: number): Promise<RenderedPicture> {
    const worker = this.#worker;
    const late = new AbortController();
    let cancel = () => {};
    worker.ref();
    try {
      await this.#begun;
      worker.postMessage(svg);
      cancel = afterRunning(deadlineMs, () => late.abort());
      const [answer]: Answer[] = await once(worker, "message", { signal: late.signal });
      if (answer === undefined || "failure" in answer) throw new DrawingFailure(answer?.failure);
      return answer;
    } catch (cause) {
      if (!isOfDrawing(cause)) throw cause;
      const Failure = cause.name === "AbortError" ? DrawingTimeout : DrawingFailure;
      throw new Failure(`no drawing: ${cause.message}`, { cause });
    } finally {
      cancel();
      worker.unref();
    }
  }

  /** Ends the thread, whatever it does. */
  end(): void {
    void this.#worker.terminate();
  }
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}

function isOfDrawing(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const isTooMuch = "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
  return error instanceof DrawingFailure || isAbort(error) || isTooMuch;
}
