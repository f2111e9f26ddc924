import { runInThisContext } from "node:vm";
import { waitForLoopIteration } from "../../../../src/base/concurrency/event-loop.js";

/** The `@resvg/resvg-wasm` package, loaded into memory. */
export interface RasterizerModule {
  /**
   * The source code of the package's CommonJS module. Threads receive the source instead of a path because they might not be able
   * to find the file, for example if it is inside an archive.
   */
  readonly script: string;
  readonly module: WebAssembly.Module;
}

export interface RenderedPicture {
  readonly png: Uint8Array;
  /** Whether every pixel is fully transparent. */
  readonly isBlank: boolean;
}

export type RenderResult = RenderedPicture | { readonly failure: string };

interface Renderer {
  begin(module: WebAssembly.Module): Promise<void>;
  draw(svg: string): RenderResult;
}

/**
 * Thrown when a drawing can't be rendered, either because its content is damaged or because rendering it takes too much time or
 * memory.
 */
export class DrawingFailure extends Error {
  override readonly name: string = "DrawingFailure";
}

/** Thrown when a drawing takes too long to render, either because of its content or because the machine is busy. */
export class DrawingTimeout extends DrawingFailure {
  override readonly name = "DrawingTimeout";
}

/** Thrown when a picture is too large to render on the event loop. */
export class PictureTooLarge extends Error {
  override readonly name = "PictureTooLarge";
}

/** Builds the source code of an expression that evaluates to a {@link Renderer} with its own instance of the package. */
export function buildRendererCode(script: string): string {
  return `(() => {
    const resvg = ((module, exports) => {
      ${script}
      return module.exports;
    })({}, {});
    // Drawings contain no text, so no fonts are loaded.
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

/** Maximum number of pixels in a picture. More would block the event loop for over a tenth of a second. */
const MAX_PIXELS = 1_048_576;

/** Renders drawings on the event loop, for processes that can't start threads. */
export class LocalRenderer {
  #renderer: Promise<Renderer> | null = null;

  constructor(private readonly rasterizerModule: RasterizerModule) {}

  /**
   * Renders an SVG.
   * @param pixels the pixel count of the picture embedded in the SVG.
   * @throws {PictureTooLarge} if the picture has too many pixels to render on the event loop.
   * @throws {DrawingFailure} if the content can't be rendered.
   */
  async draw(svg: string, pixels: number): Promise<RenderedPicture> {
    if (pixels > MAX_PIXELS)
      throw new PictureTooLarge("the picture is too large to draw without a worker thread");
    this.#renderer ??= this.#begin();
    const renderer = await this.#renderer;
    await waitForLoopIteration();
    const image = renderer.draw(svg);
    if (!("failure" in image)) return image;
    // A failure may leave the instance's memory in a bad state.
    this.#renderer = null;
    throw new DrawingFailure(image.failure);
  }

  async #begin(): Promise<Renderer> {
    const renderer: Renderer = runInThisContext(buildRendererCode(this.rasterizerModule.script));
    await renderer.begin(this.rasterizerModule.module);
    return renderer;
  }
}
