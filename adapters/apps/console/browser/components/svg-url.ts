/** Converts an SVG document to a `data:` URL for an image element, in which the SVG can't run scripts or load other resources. */
export function svgUrl(svg: string): string {
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
