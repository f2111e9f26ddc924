import { once } from "node:events";
import type { Worker } from "node:worker_threads";
import { setActiveTimeout } from "../../../../src/base/concurrency/timeout.js";
import { reportMissingThread, startThread } from "../../../setup/threads.js";
import {
  buildRendererCode,
  DrawingFailure,
  DrawingTimeout,
  type RasterizerModule,
  type RenderedPicture,
  type RenderResult,
} from "./drawer.js";

/** The thread's program. It is text rather than a file, so that it works however the adapter is bundled. */
const buildProgram = (script: string) => `
  const { parentPort, workerData } = require("node:worker_threads");
  const { setPriority } = require("node:os");
  const { begin, draw } = ${buildRendererCode(script)};
  // If this fails, the thread ends with the error.
  begin(workerData.module).then(() => {
    // Run at a lower priority than the event loop. On platforms other than Linux, this would affect the whole process.
    try {
      if (process.platform === "linux") setPriority(10);
    } catch {}
    parentPort.postMessage("begun");
  });
  parentPort.on("message", (svg) => parentPort.postMessage(draw(svg)));
`;

/** Limits for a thread's JavaScript heap and stack, in MiB. WebAssembly memory has its own limit. */
const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };

/** Timeout for starting a thread, in milliseconds. It is separate from the drawing's deadline. */
const START_TIMEOUT_MS = 10_000;

/**
 * Runs a rasterizer in its own thread. The rasterizer's WebAssembly code has no access to the system, and the thread can be
 * terminated at any time.
 */
export class RasterizerThread {
  readonly #worker: Worker;
  readonly #started: Promise<unknown>;

  /**
   * Starts the thread.
   * @throws {MissingThreadError} if the thread can't be started.
   */
  constructor({ script, module }: RasterizerModule) {
    this.#worker = startThread("pictures", () => ({
      program: buildProgram(script),
      ...{ execArgv: [], env: {}, workerData: { module }, resourceLimits },
    }));
    this.#worker.unref();
    // If the thread fails before its first drawing, `draw` reports it.
    this.#worker.on("error", () => {});
    this.#started = once(this.#worker, "message", { signal: AbortSignal.timeout(START_TIMEOUT_MS) }).catch(
      (cause: unknown) => {
        // On a busy machine, a later thread may start in time.
        if (isAbort(cause)) throw new Error("a drawing thread can't start", { cause });
        throw reportMissingThread("pictures", cause);
      },
    );
    this.#started.catch(() => {});
  }

  /**
   * Renders an SVG. Only one render can run at a time. If rendering fails, the caller must end the thread.
   * @throws {DrawingFailure} if the content can't be rendered.
   * @throws {DrawingTimeout} if rendering exceeds the deadline, which doesn't include the time to start the thread.
   * @throws {MissingThreadError} if the thread can't be started.
   * @throws {Error} if the thread takes too long to start.
   */
  async draw(svg: string, deadlineMs: number): Promise<RenderedPicture> {
    const worker = this.#worker;
    const timeout = new AbortController();
    let cancel = () => {};
    worker.ref();
    try {
      await this.#started;
      worker.postMessage(svg);
      cancel = setActiveTimeout(deadlineMs, () => timeout.abort());
      const [response]: RenderResult[] = await once(worker, "message", { signal: timeout.signal });
      if (response === undefined || "failure" in response) throw new DrawingFailure(response?.failure);
      return response;
    } catch (cause) {
      if (!isDrawingError(cause)) throw cause;
      const Failure = cause.name === "AbortError" ? DrawingTimeout : DrawingFailure;
      throw new Failure(`no drawing: ${cause.message}`, { cause });
    } finally {
      cancel();
      worker.unref();
    }
  }

  /** Terminates the thread, even if it is rendering. */
  end(): void {
    void this.#worker.terminate();
  }
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}

function isDrawingError(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const isOutOfMemory = "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
  return error instanceof DrawingFailure || isAbort(error) || isOutOfMemory;
}
