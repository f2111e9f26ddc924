/**
 * Converts an SVG document to a `data:` URL for an image element. The browser doesn't run scripts or load other resources for an
 * SVG that is shown this way.
 */
export function toSvgUrl(svg: string): string {
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
