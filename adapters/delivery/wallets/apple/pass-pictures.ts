import type { Design } from "../../../../src/index.js";
import type { StoredPicture } from "../../../../src/storage/wallets.js";
import type { CardState, Drawings, Scale } from "../drawing.js";
import type { FindPicture } from "../picture-cache.js";
import { createSolidPng } from "../solid-png.js";

/** Minimum widths of pictures in pixels, at a scale of 3 and of 2. */
const widths = { icon: [87, 58], logo: [480, 320], strip: [1_125, 750] } as const;

type Kind = keyof typeof widths;

const ICON_SIDE = 87;
const DEFAULT_COLOR = "#64748B";
const scales: readonly Scale[] = [1, 2, 3];

export interface PassPictureSource {
  readonly organizationId: string;
  /** The card's design, or `null` if the template has none. */
  readonly design: Design | null;
  /** The state of the card's stamps, or `null` if the card doesn't collect stamps. */
  readonly state: CardState | null;
}

/**
 * Renders a pass's pictures, keyed by file name. Every pass must have an icon. If the design has no icon, the logo serves as the
 * icon, or a plain square if the design has no logo either.
 */
export async function renderPassPictures(
  { organizationId, design, state }: PassPictureSource,
  pictures: FindPicture,
  drawings: Drawings | null,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  const color = design?.backgroundColor ?? DEFAULT_COLOR;
  const logo = await findPng(design?.logo, pictures);
  const icon = (await findPng(design?.icon, pictures)) ?? logo;
  files.set("icon.png", icon?.bytes ?? createSolidPng(ICON_SIDE, color));
  if (icon !== null) put(files, "icon", icon);
  if (logo !== null) put(files, "logo", logo);
  if (state === null) return files;
  const drawn =
    drawings === null
      ? []
      : await drawnStrips((scale) => drawings.strip(organizationId, state, scale, pictures));
  for (const [scale, strip] of drawn) files.set(formatFileName("strip", scale), strip);
  const strip = drawn.length > 0 ? null : await findPng(design?.strip, pictures);
  if (strip !== null) put(files, "strip", strip);
  return files;
}

async function drawnStrips(
  draw: (scale: Scale) => Promise<Uint8Array | null>,
): Promise<(readonly [Scale, Uint8Array])[]> {
  const strips = await Promise.all(scales.map(draw));
  return scales.flatMap((scale, at) => {
    const strip = strips[at];
    return strip == null ? [] : [[scale, strip] as const];
  });
}

/** Finds a picture that is a PNG, because Wallet shows no other format. */
async function findPng(
  hash: string | null | undefined,
  pictures: FindPicture,
): Promise<StoredPicture | null> {
  const picture = hash == null ? null : await pictures(hash);
  return picture?.type === "image/png" ? picture : null;
}

function put(files: Map<string, Uint8Array>, kind: Kind, { width, bytes }: StoredPicture): void {
  const [thrice, twice] = widths[kind];
  const scale = width >= thrice ? 3 : width >= twice ? 2 : 1;
  files.set(formatFileName(kind, scale), bytes);
}

function formatFileName(kind: Kind, scale: Scale): string {
  return scale === 1 ? `${kind}.png` : `${kind}@${scale}x.png`;
}
