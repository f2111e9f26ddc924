import type { StampShape } from "../../../../src/cards/design-schema.js";
import type { CardState } from "../drawing.js";
import { isDark, mixColors, pickReadableInk } from "./colors.js";
import { type Area, type Canvas, computeStampLayout } from "./stamp-layout.js";

/** URLs of the design's pictures that appear in a drawing. Each is `null` if the design doesn't have that picture. */
export interface DrawnPictures {
  readonly strip: string | null;
  readonly filled: string | null;
  readonly empty: string | null;
}

/**
 * The shapes on a stamp, as paths around the origin, about 50 wide on a stamp of 100. They are paths, because the drawing must not
 * depend on a machine's fonts.
 */
const shapePaths: Readonly<Record<StampShape, string>> = {
  CIRCLE: "",
  STAR: "M0.0,-30.5 L8.5,-10.2 30.4,-8.4 13.8,6.0 18.8,27.4 0.0,16.0 -18.8,27.4 -13.8,6.0 -30.4,-8.4 -8.5,-10.2Z",
  HEART:
    "M0,25 C-9,18 -27,6 -27,-9 C-27,-18 -20.5,-24 -13,-24 C-7.5,-24 -2.6,-21 0,-16.5 C2.6,-21 7.5,-24 13,-24 C20.5,-24 27,-18 27,-9 C27,6 9,18 0,25Z",
  CUP: "M-24,-12 H14 V-8 H17 C23.5,-8 28,-3.8 28,2 C28,7.8 23.5,12 17,12 H13 C11,19.5 5,23 -5,23 C-18,23 -24,17 -24,4Z M14,-2 V4 C14,5 13.9,5.6 13.8,6 H17 C20,6 22,4.4 22,2 C22,-0.4 20,-2 17,-2Z M-15,-17 C-18,-21 -12,-23 -15,-28 H-11.5 C-8.5,-23 -14,-21 -11.5,-17Z M-5,-17 C-8,-21 -2,-23 -5,-28 H-1.5 C1.5,-23 -4,-21 -1.5,-17Z M5,-17 C2,-21 8,-23 5,-28 H8.5 C11.5,-23 6,-21 8.5,-17Z",
  CHECK: "M-27,2 L-18.5,-6.5 -7,5 18.5,-20.5 27,-12 -7,22Z",
};

/** The shape on the stamp that fills the card. */
const giftPath =
  "M-24,-11 H-3 V-1 H-24Z M3,-11 H24 V-1 H3Z M-21,4 H-3 V24 H-21Z M3,4 H21 V24 H3Z M-1,-14 C-8,-14 -19,-15 -19,-21.5 C-19,-25 -16,-28 -12,-28 C-5.5,-28 -2,-20 -1,-14Z M-5.5,-18 C-7,-22 -9.5,-24 -12,-24 C-13.6,-24 -15,-23 -15,-21.5 C-15,-19 -10,-18.3 -5.5,-18Z M1,-14 C8,-14 19,-15 19,-21.5 C19,-25 16,-28 12,-28 C5.5,-28 2,-20 1,-14Z M5.5,-18 C10,-18.3 15,-19 15,-21.5 C15,-23 13.6,-24 12,-24 C9.5,-24 7,-22 5.5,-18Z";

/** The opacity of a missing stamp, and of the last stamp, which stands for the reward. */
const EMPTY_OPACITY = 0.3;
const LAST_OPACITY = 0.5;

/** Padding of the panel around the stamps, in points. */
const PADDING = 6;

/**
 * Draws a card's stamps as an SVG, including the missing stamps and the last stamp, which completes the card.
 * @param scale the number of pixels per point.
 * @param fit how to fit the strip picture to the canvas: `cut` if the picture has already been cropped to the canvas, or `slice` to
 *   crop it while drawing.
 */
export function renderStampsSvg(
  { look, filled, total }: CardState,
  canvas: Canvas,
  scale: number,
  pictures: DrawnPictures,
  fit: "cut" | "slice" = "cut",
): string {
  const { width, height } = canvas;
  const size = `width="${Math.round(width * scale)}" height="${Math.round(height * scale)}"`;
  const { backgroundColor, foregroundColor } = look;
  const ink = pickReadableInk(backgroundColor, foregroundColor);
  const paper = mixColors(backgroundColor, ink, isDark(backgroundColor) ? 0.07 : 0.05);
  const { diameter, centers } = computeStampLayout(total, canvas.stamps);
  const glyph = shapePaths[look.stamps.shape];
  const marks = {
    filled: pictures.filled === null ? renderFilledStamp(ink, paper, glyph) : renderImage(pictures.filled, 1),
    empty: pickEmptyImage(pictures, renderEmptyStamp(ink, paper, glyph, EMPTY_OPACITY)),
    last: pickEmptyImage(pictures, renderEmptyStamp(ink, paper, giftPath, LAST_OPACITY)),
  };
  const stampUses = centers.map(([x, y], at) => {
    const mark = at < filled ? "filled" : at === total - 1 ? "last" : "empty";
    return `<use href="#stamp-${mark}" transform="translate(${formatShort(x)} ${formatShort(y)}) scale(${formatShort(diameter / 100)})"/>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} viewBox="0 0 ${width} ${height}">`,
    pictures.strip === null
      ? renderRect({ left: 0, top: 0, width, height }, 0, paper)
      : renderBackdrop(pictures.strip, canvas, paper, fit),
    "<defs>",
    ...Object.entries(marks).map(([mark, svg]) => `<g id="stamp-${mark}">${svg}</g>`),
    "</defs>",
    ...stampUses,
    "</svg>",
  ].join("");
}

/** Draws a picture behind the stamps, and a panel on it, so that the stamps are visible on any picture. */
function renderBackdrop(
  strip: string,
  { width, height, stamps }: Canvas,
  paper: string,
  fit: "cut" | "slice",
): string {
  const ratio = fit === "cut" ? "none" : "xMidYMid slice";
  const picture = `<image width="${width}" height="${height}" preserveAspectRatio="${ratio}" href="${strip}"/>`;
  const panel = {
    left: stamps.left - PADDING,
    top: stamps.top - PADDING,
    width: stamps.width + 2 * PADDING,
    height: stamps.height + 2 * PADDING,
  };
  return picture + renderRect(panel, 14, paper, 0.88);
}

function renderRect({ left, top, width, height }: Area, radius: number, color: string, opacity = 1): string {
  return `<rect x="${left}" y="${top}" width="${width}" height="${height}" rx="${radius}" fill="${color}" fill-opacity="${opacity}"/>`;
}

function renderFilledStamp(ink: string, paper: string, glyph: string): string {
  const inside =
    glyph === ""
      ? `<circle r="38" fill="none" stroke="${paper}" stroke-width="4" stroke-opacity="0.55"/>`
      : `<path d="${glyph}" fill="${paper}" fill-rule="evenodd"/>`;
  return `<circle r="50" fill="${ink}"/>${inside}`;
}

/**
 * Draws a missing stamp.
 * @param strength how strong the ink is in the ring, 0 to 1.
 */
function renderEmptyStamp(ink: string, paper: string, glyph: string, strength: number): string {
  const proportion = isDark(paper) ? strength * 1.3 : strength;
  const ring = `<circle r="48" fill="${mixColors(paper, ink, proportion * 0.18)}" stroke="${mixColors(paper, ink, proportion)}" stroke-width="3.5"/>`;
  return glyph === ""
    ? ring
    : `${ring}<path d="${glyph}" fill="${mixColors(paper, ink, proportion)}" fill-rule="evenodd"/>`;
}

function pickEmptyImage({ filled, empty }: DrawnPictures, drawing: string): string {
  if (empty !== null) return renderImage(empty, 1);
  return filled === null ? drawing : renderImage(filled, 0.25);
}

function renderImage(href: string, opacity: number): string {
  return `<image x="-50" y="-50" width="100" height="100" opacity="${opacity}" href="${href}"/>`;
}

function formatShort(value: number): string {
  return String(Math.round(value * 1_000) / 1_000);
}
