import type { StoredPicture } from "../../../src/index.js";
import type { CardState, Drawer, Pictures } from "../drawing.js";
import { plainPng } from "../plain-png.js";

/** How wide a picture of each kind is at least, to be that of a scale of 3 and of 2, in pixels. */
const widths = { icon: [87, 58], logo: [480, 320], strip: [1_125, 750] } as const;

type Kind = keyof typeof widths;

const ICON_SIDE = 87;
const DEFAULT_COLOR = "#64748B";
const scales = [1, 2, 3] as const;

/** The pictures of a pass, by the names of their files. The icon is mandatory: without one it is a plain square. */
export async function passPictures(
  state: CardState | null,
  pictures: Pictures,
  drawer: Drawer | null,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const design = state?.design ?? null;
  const files = new Map<string, Uint8Array>();
  const color = design?.backgroundColor ?? DEFAULT_COLOR;
  const icon = (await pngOf(design?.icon, pictures)) ?? (await pngOf(design?.logo, pictures));
  files.set("icon.png", icon?.bytes ?? plainPng(ICON_SIDE, color));
  if (icon !== null) put(files, "icon", icon);
  const logo = await pngOf(design?.logo, pictures);
  if (logo !== null) put(files, "logo", logo);
  if (state === null || state.total === 0) return files;
  const strip = await pngOf(design?.strip, pictures);
  if (drawer !== null) {
    for (const scale of scales) files.set(nameOf("strip", scale), await drawer.strip(state, scale, pictures));
  } else if (strip !== null) {
    put(files, "strip", strip);
  }
  return files;
}

/** Wallet shows PNG alone. */
async function pngOf(hash: string | null | undefined, pictures: Pictures): Promise<StoredPicture | null> {
  const picture = hash == null ? null : await pictures(hash);
  return picture?.type === "image/png" ? picture : null;
}

function put(files: Map<string, Uint8Array>, kind: Kind, { width, bytes }: StoredPicture): void {
  const [thrice, twice] = widths[kind];
  const scale = width >= thrice ? 3 : width >= twice ? 2 : 1;
  files.set(nameOf(kind, scale), bytes);
}

function nameOf(kind: Kind, scale: 1 | 2 | 3): string {
  return scale === 1 ? `${kind}.png` : `${kind}@${scale}x.png`;
}
