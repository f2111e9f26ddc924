import type { CardState } from "../drawing.js";
import type { Canvas } from "./canvases.js";
import { inkOn, isDark, mixed } from "./shades.js";
import { type Area, stampLayout } from "./stamp-layout.js";
import { giftPath, shapePaths } from "./stamp-shapes.js";

/** The pictures of a design that are drawn, as `data:` URLs, cut to the size that they are drawn at. */
export interface DrawnPictures {
  readonly strip: string | null;
  readonly filled: string | null;
  readonly empty: string | null;
}

/** How strong a missing stamp is beside one that is there; the last one says what all are for. */
const EMPTY = 0.3;
const LAST = 0.5;

/** How far the panel goes around the stamps, in points. */
const PADDING = 6;

/**
 * How the stamps of a card look: those that it has, those that are missing, and the last one, which fills it.
 * @param scale how many pixels a point has.
 */
export function stampsSvg(
  { look, filled, total }: CardState,
  canvas: Canvas,
  scale: number,
  pictures: DrawnPictures,
): string {
  const { width, height } = canvas;
  const size = `width="${Math.round(width * scale)}" height="${Math.round(height * scale)}"`;
  const { backgroundColor, foregroundColor } = look;
  const ink = inkOn(backgroundColor, foregroundColor);
  const paper = mixed(backgroundColor, ink, isDark(backgroundColor) ? 0.07 : 0.05);
  const { diameter, centers } = stampLayout(total, canvas.stamps);
  const glyph = shapePaths[look.stamps.shape];
  const marks = {
    filled: pictures.filled === null ? filledStamp(ink, paper, glyph) : image(pictures.filled, 1),
    empty: emptyOf(pictures, emptyStamp(ink, paper, glyph, EMPTY)),
    last: emptyOf(pictures, emptyStamp(ink, paper, giftPath, LAST)),
  };
  const places = centers.map(([x, y], at) => {
    const mark = at < filled ? marks.filled : at === total - 1 ? marks.last : marks.empty;
    return `<g transform="translate(${short(x)} ${short(y)}) scale(${short(diameter / 100)})">${mark}</g>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} viewBox="0 0 ${width} ${height}">`,
    pictures.strip === null
      ? rect({ left: 0, top: 0, width, height }, 0, paper)
      : backdrop(pictures.strip, canvas, paper),
    ...places,
    "</svg>",
  ].join("");
}

/** A picture behind the stamps, which are on a panel, so that they are seen on whatever it shows. */
function backdrop(strip: string, { width, height, stamps }: Canvas, paper: string): string {
  const picture = `<image width="${width}" height="${height}" preserveAspectRatio="none" href="${strip}"/>`;
  const panel = {
    left: stamps.left - PADDING,
    top: stamps.top - PADDING,
    width: stamps.width + 2 * PADDING,
    height: stamps.height + 2 * PADDING,
  };
  return picture + rect(panel, 14, paper, 0.88);
}

function rect({ left, top, width, height }: Area, radius: number, color: string, opacity = 1): string {
  return `<rect x="${left}" y="${top}" width="${width}" height="${height}" rx="${radius}" fill="${color}" fill-opacity="${opacity}"/>`;
}

function filledStamp(ink: string, paper: string, glyph: string): string {
  const inside =
    glyph === ""
      ? `<circle r="38" fill="none" stroke="${paper}" stroke-width="4" stroke-opacity="0.55"/>`
      : `<path d="${glyph}" fill="${paper}" fill-rule="evenodd"/>`;
  return `<circle r="50" fill="${ink}"/>${inside}`;
}

/** @param strength how much of the ink there is in the ring, 0 to 1. */
function emptyStamp(ink: string, paper: string, glyph: string, strength: number): string {
  const part = isDark(paper) ? strength * 1.3 : strength;
  const ring = `<circle r="48" fill="${mixed(paper, ink, part * 0.18)}" stroke="${mixed(paper, ink, part)}" stroke-width="3.5"/>`;
  return glyph === ""
    ? ring
    : `${ring}<path d="${glyph}" fill="${mixed(paper, ink, part)}" fill-rule="evenodd"/>`;
}

function emptyOf({ filled, empty }: DrawnPictures, drawn: string): string {
  if (empty !== null) return image(empty, 1);
  return filled === null ? drawn : image(filled, 0.25);
}

function image(href: string, opacity: number): string {
  return `<image x="-50" y="-50" width="100" height="100" opacity="${opacity}" href="${href}"/>`;
}

function short(value: number): string {
  return String(Math.round(value * 1_000) / 1_000);
}
