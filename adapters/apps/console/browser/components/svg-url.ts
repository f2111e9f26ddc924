/** Converts an SVG document to a `data:` URL for use in an image. There, it can't run scripts or load other resources. */
export function svgUrl(svg: string): string {
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
