import { readFile } from "node:fs/promises";
import nodeModule from "node:module";

/** Makes a PNG of an SVG, as large as the SVG says. */
export type Rasterizer = (svg: string) => Promise<Uint8Array>;

/** The packages that make one, each loaded when it is needed. */
export interface RasterizerPackages {
  native(): Promise<Pick<typeof import("@resvg/resvg-js"), "renderAsync">>;
  wasm(): Promise<Pick<typeof import("@resvg/resvg-wasm"), "initWasm" | "Resvg">>;
}

const packages: RasterizerPackages = {
  native: () => import("@resvg/resvg-js"),
  wasm: () => import("@resvg/resvg-wasm"),
};

/** There are no texts in what is drawn, so no font is ever looked for. */
const withoutFonts = { font: { loadSystemFonts: false } };

/** Whether one of the packages is installed. */
export function isRasterizerInstalled(): boolean {
  return whereIs("@resvg/resvg-js") !== null || whereIs("@resvg/resvg-wasm/index_bg.wasm") !== null;
}

/**
 * The rasterizer of `@resvg/resvg-js`, which draws beside the event loop. Where that is not installed, or not for this
 * machine, the one of `@resvg/resvg-wasm`, which runs wherever Node does and holds the event loop up while it draws.
 * @throws when neither can be loaded.
 */
export async function loadRasterizer(from: RasterizerPackages = packages): Promise<Rasterizer> {
  try {
    const { renderAsync } = await from.native();
    return async (svg) => (await renderAsync(svg, { ...withoutFonts, logLevel: "off" })).asPng();
  } catch (cause) {
    if (whereIs("@resvg/resvg-wasm/index_bg.wasm") === null) throw cause;
    return wasmRasterizer(from);
  }
}

async function wasmRasterizer(from: RasterizerPackages): Promise<Rasterizer> {
  const { initWasm, Resvg } = await from.wasm();
  const file = whereIs("@resvg/resvg-wasm/index_bg.wasm");
  await initWasm(await readFile(file ?? "")).catch(async (error: unknown) => {
    // A host may have begun it for itself.
    if (!String(error).includes("Already initialized")) throw error;
  });
  return async (svg) => {
    const drawing = new Resvg(svg, withoutFonts);
    const image = drawing.render();
    const png = image.asPng();
    image.free();
    drawing.free();
    return png;
  };
}

function whereIs(module: string): string | null {
  try {
    return nodeModule.createRequire(import.meta.url).resolve(module);
  } catch {
    return null;
  }
}
