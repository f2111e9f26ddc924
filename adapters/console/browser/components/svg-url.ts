/** Returns a drawing as a URL. Drawings that pages show by one run no scripts, and load nothing. */
export function svgUrl(svg: string): string {
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
