import { runInThisContext } from "node:vm";
import { waitForLoopIteration } from "../../../src/concurrency/event-loop.js";

/** `@resvg/resvg-wasm`. */
export interface Driver {
  /** Its CommonJS module, as text: a thread may not find the file, which may be in an archive. */
  readonly script: string;
  readonly module: WebAssembly.Module;
}

export interface RenderedPicture {
  readonly png: Uint8Array;
  /** Every pixel is transparent. */
  readonly isBlank: boolean;
}

export type Answer = RenderedPicture | { readonly failure: string };

interface Drawer {
  begin(module: WebAssembly.Module): Promise<void>;
  draw(svg: string): Answer;
}

/** The drawing fails by its content, which is damaged, or takes too long or too much memory. */
export class DrawingFailure extends Error {
  override readonly name: string = "DrawingFailure";
}

/** The drawing takes too long: by its content, or because the machine is busy. */
export class DrawingTimeout extends DrawingFailure {
  override readonly name = "DrawingTimeout";
}

/** The picture is larger than what the event loop draws. */
export class PictureTooLarge extends Error {
  override readonly name = "PictureTooLarge";
}

/** Returns the code of an expression that gives a {@link Drawer}, of an instance that nothing else uses. */
export function drawerCode(script: string): string {
  return `(() => {
    const resvg = ((module, exports) => {
      ${script}
      return module.exports;
    })({}, {});
    // Drawings contain no texts, so no fonts are loaded.
    const withoutFonts = { font: { loadSystemFonts: false } };
    return {
      begin: (module) => resvg.initWasm(module),
      draw(svg) {
        try {
          const drawing = new resvg.Resvg(svg, withoutFonts);
          const image = drawing.render();
          const { pixels } = image;
          const isBlank = new Uint32Array(pixels.buffer, pixels.byteOffset, pixels.byteLength / 4).every((pixel) => pixel === 0);
          const png = image.asPng();
          image.free();
          drawing.free();
          return { png, isBlank };
        } catch (error) {
          return { failure: String(error) };
        }
      },
    };
  })()`;
}

/** Pictures with more pixels would hold up the event loop for longer than a tenth of a second. */
const MAX_PIXELS = 1_048_576;

/** Draws on the event loop, where no thread can start. */
export class LocalDrawer {
  #drawer: Promise<Drawer> | null = null;

  constructor(private readonly driver: Driver) {}

  /**
   * @param pixels of the picture in the drawing.
   * @throws {PictureTooLarge} if it has too many.
   * @throws {DrawingFailure}
   */
  async draw(svg: string, pixels: number): Promise<RenderedPicture> {
    if (pixels > MAX_PIXELS)
      throw new PictureTooLarge("the picture is too large to be drawn without a thread");
    this.#drawer ??= this.#begin();
    const drawer = await this.#drawer;
    await waitForLoopIteration();
    const answer = drawer.draw(svg);
    if (!("failure" in answer)) return answer;
    // A failure may leave its memory in disorder.
    this.#drawer = null;
    throw new DrawingFailure(answer.failure);
  }

  async #begin(): Promise<Drawer> {
    const drawer: Drawer = runInThisContext(drawerCode(this.driver.script));
    await drawer.begin(this.driver.module);
    return drawer;
  }
}
