import { readFile } from "node:fs/promises";
import { MissingThreadError } from "../../../../src/base/signals.js";
import { findInstalledFile } from "../../../setup/installed-file.js";
import { type Driver, LocalDrawer, type RenderedPicture } from "./drawer.js";
import { RasterizerThread } from "./rasterizer-thread.js";
import { withMemoryLimit } from "./wasm-memory-limit.js";

/**
 * Renders an SVG as a PNG with the SVG's dimensions. `pixels` is the number of pixels in the uploaded picture that the SVG embeds,
 * or 0 (the default) if it embeds none. Rejects with `DrawingFailure` if the SVG can't be rendered, or with `PictureTooLarge` if no
 * threads are available and the picture is too large for the event loop.
 */
export type Rasterizer = (svg: string, pixels?: number) => Promise<RenderedPicture>;

/**
 * Limits for one drawing, about ten times the time (in milliseconds) and twice the memory that the largest drawing needs. A memory
 * page has 64 KiB.
 */
const DEADLINE_MS = 5_000;
const MAX_PAGES = 2_560;

/** How long an idle thread is kept, in milliseconds. */
const KEPT_MS = 10_000;

const PACKAGE = "@resvg/resvg-wasm";

/** `WebAssembly.compile`, which Node's types leave out. All threads share the compiled module. */
const compile: (code: Uint8Array) => Promise<WebAssembly.Module> = Reflect.get(WebAssembly, "compile");

export function isRasterizerInstalled(): boolean {
  return whereIs(PACKAGE) !== null;
}

/** Locates and loads the rasterizer package and its WebAssembly code. */
export interface RasterizerPackage {
  /** Returns the path to the package's CommonJS module, or `null` if the package isn't installed. */
  file(): string | null;
  code(): Promise<Uint8Array>;
}

const installed: RasterizerPackage = {
  file: () => whereIs(PACKAGE),
  code: async () => readFile(whereIs(`${PACKAGE}/index_bg.wasm`) ?? ""),
};

let loading: Promise<Rasterizer> | null = null;

/**
 * Returns this process's shared rasterizer, loading it on first use. If loading fails, the next call tries again.
 * @throws the same errors as {@link loadRasterizer}.
 */
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
 * Creates a rasterizer that runs `@resvg/resvg-wasm` in threads, using one thread per concurrent drawing. If no thread can be
 * started, drawings are rendered on the event loop.
 * @throws an error if the package isn't installed or can't be loaded.
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

/** The threads for one driver. Idle threads end after a while. */
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
