/** Converts an SVG to a `data:` URL. Images loaded from one can't run scripts or load other resources. */
export function svgUrl(svg: string): string {
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
