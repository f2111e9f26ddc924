import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { afterRunning } from "../../../src/concurrency/after-running.js";

/** Text, not a file: so it is there wherever the adapter was bundled to. */
const program = `
  const { parentPort, workerData } = require("node:worker_threads");
  const { setPriority } = require("node:os");
  const { initWasm, Resvg } = require(workerData.driver);
  // A thread that can't begin ends with this error.
  initWasm(workerData.module).then(() => {
    // Behind the event loop, where more is to be done than there are processors. Elsewhere this would be the whole process's.
    try {
      if (process.platform === "linux") setPriority(10);
    } catch {}
    parentPort.postMessage("begun");
  });
  // There are no texts in what is drawn, so no font is ever looked for.
  const withoutFonts = { font: { loadSystemFonts: false } };
  parentPort.on("message", (svg) => {
    try {
      const drawing = new Resvg(svg, withoutFonts);
      const image = drawing.render();
      const { pixels } = image;
      const isBlank = new Uint32Array(pixels.buffer, pixels.byteOffset, pixels.byteLength / 4).every((pixel) => pixel === 0);
      const png = image.asPng();
      image.free();
      drawing.free();
      parentPort.postMessage({ png, isBlank });
    } catch (error) {
      parentPort.postMessage({ failure: String(error) });
    }
  });
`;

/** The heap of JavaScript in a thread, and its stack, in MiB. The memory of WebAssembly has its own limit. */
const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };

/** The time in which a thread begins, which is no fault of what it draws. */
const BEGINNING_MS = 10_000;

export interface Driver {
  /** The file of `@resvg/resvg-wasm`. */
  readonly file: string;
  readonly module: WebAssembly.Module;
}

export interface Drawn {
  readonly png: Uint8Array;
  /** Every pixel is transparent. */
  readonly isBlank: boolean;
}

type Answer = Drawn | { readonly failure: string };

/** The drawing fails by its content, which is damaged, or takes too long or too much memory. */
export class DrawingFailure extends Error {
  override readonly name: string = "DrawingFailure";
}

/** The drawing takes too long: by its content, or because the machine is busy. */
export class DrawingTimeout extends DrawingFailure {
  override readonly name = "DrawingTimeout";
}

/** A rasterizer in a thread of its own: code in WebAssembly, which has no way out and can be ended in the middle. */
export class RasterizerThread {
  readonly #worker: Worker;
  readonly #begun: Promise<unknown>;

  /** @throws when the system has no room for a thread. */
  constructor({ file, module }: Driver) {
    const workerData = { driver: file, module };
    this.#worker = new Worker(program, { eval: true, execArgv: [], env: {}, workerData, resourceLimits });
    this.#worker.unref();
    // One that fails before it is asked is found out then.
    this.#worker.on("error", () => {});
    this.#begun = once(this.#worker, "message", { signal: AbortSignal.timeout(BEGINNING_MS) }).catch(
      (cause: unknown) => {
        throw new Error("a thread that draws can't begin", { cause });
      },
    );
    this.#begun.catch(() => {});
  }

  /**
   * Draws one at a time. After a failure the thread is to be ended.
   * @throws {DrawingFailure}
   * @throws {DrawingTimeout} when it takes longer than the deadline, from when the thread has begun.
   * @throws when there is no such thread, or it can't begin.
   */
  async draw(svg: string, deadlineMs: number): Promise<Drawn> {
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

function isOfDrawing(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const isTooMuch = "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
  return error instanceof DrawingFailure || error.name === "AbortError" || isTooMuch;
}
