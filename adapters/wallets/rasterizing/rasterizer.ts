import { readFile } from "node:fs/promises";
import { MissingThreadError } from "../../../src/signals.js";
import { findInstalledFile } from "../../setup/installed-file.js";
import { type Driver, LocalDrawer, type RenderedPicture } from "./drawer.js";
import { RasterizerThread } from "./rasterizer-thread.js";
import { withMemoryLimit } from "./wasm-memory-limit.js";

/**
 * Makes a PNG of an SVG, as large as the SVG says. `pixels` is the size of a stranger's picture in it, 0 by default.
 * Throws `DrawingFailure` when the SVG can't be drawn; without threads, `PictureTooLarge` for a large picture.
 */
export type Rasterizer = (svg: string, pixels?: number) => Promise<RenderedPicture>;

/** One drawing may take about ten times the time, and twice the memory, of the largest. Pages have 64 KiB. */
const DEADLINE_MS = 5_000;
const MAX_PAGES = 2_560;

/** A thread without work ends after this time. */
const KEPT_MS = 10_000;

const PACKAGE = "@resvg/resvg-wasm";

/** `WebAssembly.compile`, which the types of Node leave out. What it gives is shared by all threads. */
const compile: (code: Uint8Array) => Promise<WebAssembly.Module> = Reflect.get(WebAssembly, "compile");

export function isRasterizerInstalled(): boolean {
  return whereIs(PACKAGE) !== null;
}

/** Finds the package and its code when they are needed. */
export interface RasterizerPackage {
  /** The file of its CommonJS module; `null` if it is not installed. */
  file(): string | null;
  code(): Promise<Uint8Array>;
}

const installed: RasterizerPackage = {
  file: () => whereIs(PACKAGE),
  code: async () => readFile(whereIs(`${PACKAGE}/index_bg.wasm`) ?? ""),
};

let loading: Promise<Rasterizer> | null = null;

/** Returns the rasterizer of this process, which the first call loads. @throws as {@link loadRasterizer}; then it is tried again. */
export async function getRasterizer(): Promise<Rasterizer> {
  loading ??= loadRasterizer();
  try {
    return await loading;
  } catch (error) {
    loading = null;
    throw error;
  }
}

/**
 * The rasterizer of `@resvg/resvg-wasm`, in threads: as many as there are drawings at the same time. Where none can start, it
 * draws on the event loop.
 * @throws if it can't be loaded.
 */
export async function loadRasterizer(
  from: RasterizerPackage = installed,
  deadlineMs = DEADLINE_MS,
): Promise<Rasterizer> {
  const file = from.file();
  if (file === null) throw new Error(`${PACKAGE} is not installed`);
  const script = await readFile(file, "utf8");
  const driver = { script, module: await compile(withMemoryLimit(await from.code(), MAX_PAGES)) };
  const threads = new Threads(driver);
  const local = new LocalDrawer(driver);
  return async (svg, pixels = 0) => {
    try {
      return await threads.draw(svg, deadlineMs);
    } catch (error) {
      if (error instanceof MissingThreadError) return local.draw(svg, pixels);
      throw error;
    }
  };
}

/** Threads of one driver. Those that have nothing to do end after a while. */
class Threads {
  readonly #idle = new Map<RasterizerThread, NodeJS.Timeout>();

  constructor(private readonly driver: Driver) {}

  async draw(svg: string, deadlineMs: number): Promise<RenderedPicture> {
    const thread = this.#takeIdle() ?? new RasterizerThread(this.driver);
    try {
      const drawn = await thread.draw(svg, deadlineMs);
      this.#keep(thread);
      return drawn;
    } catch (error) {
      thread.end();
      throw error;
    }
  }

  #takeIdle(): RasterizerThread | null {
    for (const [thread, timer] of this.#idle) {
      clearTimeout(timer);
      this.#idle.delete(thread);
      return thread;
    }
    return null;
  }

  #keep(thread: RasterizerThread): void {
    const end = () => {
      this.#idle.delete(thread);
      thread.end();
    };
    this.#idle.set(thread, setTimeout(end, KEPT_MS).unref());
  }
}

function whereIs(module: string): string | null {
  try {
    return findInstalledFile(module);
  } catch {
    return null;
  }
}
