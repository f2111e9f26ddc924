import { readFile } from "node:fs/promises";
import { MissingThreadError } from "../../../../src/base/signals.js";
import { findInstalledFile } from "../../../setup/installed-file.js";
import { LocalRenderer, type RasterizerModule, type RenderedPicture } from "./drawer.js";
import { RasterizerThread } from "./rasterizer-thread.js";

/** Length of a WebAssembly module's header: its magic number and version. */
const HEADER_BYTES = 8;

/** The ID of the section that declares a module's memory (WebAssembly 1.0, section 5.5.8). */
const MEMORY_SECTION = 5;

/** Flags for a memory without a maximum, and with a maximum. */
const UNLIMITED_MEMORY = 0;

const LIMITED_MEMORY = 1;

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
const DRAWING_TIMEOUT_MS = 5_000;
const MAX_PAGES = 2_560;

/** How long an idle thread is kept, in milliseconds. */
const IDLE_TIMEOUT_MS = 10_000;

const PACKAGE_NAME = "@resvg/resvg-wasm";

/** `WebAssembly.compile`, which Node's types leave out. All threads share the compiled module. */
const compile: (code: Uint8Array) => Promise<WebAssembly.Module> = Reflect.get(WebAssembly, "compile");

export function isRasterizerInstalled(): boolean {
  return findModule(PACKAGE_NAME) !== null;
}

/** Locates and loads the rasterizer package and its WebAssembly code. */
export interface RasterizerPackage {
  /** Returns the path to the package's CommonJS module, or `null` if the package isn't installed. */
  findFile(): string | null;
  readCode(): Promise<Uint8Array>;
}

const installedPackage: RasterizerPackage = {
  findFile: () => findModule(PACKAGE_NAME),
  readCode: async () => readFile(findModule(`${PACKAGE_NAME}/index_bg.wasm`) ?? ""),
};

let rasterizerPromise: Promise<Rasterizer> | null = null;

/**
 * Returns this process's shared rasterizer, loading it on first use. If loading fails, the next call tries again.
 * @throws the same errors as {@link loadRasterizer}.
 */
export async function getRasterizer(): Promise<Rasterizer> {
  rasterizerPromise ??= loadRasterizer();
  try {
    return await rasterizerPromise;
  } catch (error) {
    rasterizerPromise = null;
    throw error;
  }
}

/**
 * Creates a rasterizer that runs `@resvg/resvg-wasm` in threads, using one thread per concurrent drawing. If no thread can be
 * started, drawings are rendered on the event loop.
 * @throws an error if the package isn't installed or can't be loaded.
 */
export async function loadRasterizer(
  rasterizerPackage: RasterizerPackage = installedPackage,
  deadlineMs = DRAWING_TIMEOUT_MS,
): Promise<Rasterizer> {
  const file = rasterizerPackage.findFile();
  if (file === null) throw new Error(`${PACKAGE_NAME} is not installed`);
  const script = await readFile(file, "utf8");
  const rasterizerModule = {
    script,
    module: await compile(withMemoryLimit(await rasterizerPackage.readCode(), MAX_PAGES)),
  };
  const threads = new ThreadPool(rasterizerModule);
  const local = new LocalRenderer(rasterizerModule);
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
class ThreadPool {
  readonly #idle = new Map<RasterizerThread, NodeJS.Timeout>();

  constructor(private readonly rasterizerModule: RasterizerModule) {}

  async draw(svg: string, deadlineMs: number): Promise<RenderedPicture> {
    const thread = this.#takeIdle() ?? new RasterizerThread(this.rasterizerModule);
    try {
      const image = await thread.draw(svg, deadlineMs);
      this.#returnThread(thread);
      return image;
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

  #returnThread(thread: RasterizerThread): void {
    const end = () => {
      this.#idle.delete(thread);
      thread.end();
    };
    this.#idle.set(thread, setTimeout(end, IDLE_TIMEOUT_MS).unref());
  }
}

function findModule(module: string): string | null {
  try {
    return findInstalledFile(module);
  } catch {
    return null;
  }
}

/**
 * Returns a copy of a WebAssembly module with its memory limited to the given number of 64 KiB pages. This is necessary because a
 * thread's resource limits don't apply to WebAssembly memory. A module that needs more memory than the limit fails.
 * @throws {TypeError} if the module doesn't declare exactly one memory.
 */
export function withMemoryLimit(module: Uint8Array, maxPages: number): Uint8Array<ArrayBuffer> {
  for (let at = HEADER_BYTES; at < module.byteLength; ) {
    const id = module[at];
    const size = readNumber(module, at + 1);
    const end = size.end + size.value;
    if (id === MEMORY_SECTION) {
      const count = readNumber(module, size.end);
      const [flags] = module.subarray(count.end);
      const minPages = readNumber(module, count.end + 1);
      if (count.value !== 1 || flags !== UNLIMITED_MEMORY || minPages.end !== end) break;
      const limits = [1, LIMITED_MEMORY, ...encodeNumber(minPages.value), ...encodeNumber(maxPages)];
      const section = Uint8Array.from([MEMORY_SECTION, ...encodeNumber(limits.length), ...limits]);
      return concatBytes(module.subarray(0, at), section, module.subarray(end));
    }
    at = end;
  }
  throw new TypeError("the memory of the rasterizer can't be limited");
}

function concatBytes(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.concat(parts));
}

/**
 * Decodes an unsigned LEB128 number.
 * @returns its value, and the offset after it.
 */
function readNumber(bytes: Uint8Array, start: number): { readonly value: number; readonly end: number } {
  let value = 0;
  for (let at = start, unit = 1; at < bytes.byteLength; at += 1, unit *= 128) {
    const byte = bytes[at] ?? 0;
    value += (byte % 128) * unit;
    if (byte < 128) return { value, end: at + 1 };
  }
  return { value, end: bytes.byteLength };
}

function encodeNumber(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...encodeNumber(Math.floor(value / 128))];
}
