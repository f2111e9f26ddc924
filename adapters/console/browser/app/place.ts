/** A screen's location. */
export interface ScreenLocation {
  /** Path relative to the console, percent-encoded, such as `/customers/usr_1`; `/` for the start page. */
  readonly path: string;
  /** The ID or slug in the path; empty if there is none. */
  readonly id: string;
  readonly query: URLSearchParams;
}

/** @param path relative to the console and still percent-encoded. */
export function placeAt(path: string, query: string): ScreenLocation {
  return { path: path || "/", id: decoded(path.split("/")[2] ?? ""), query: new URLSearchParams(query) };
}

/** Decodes a path segment. Malformed percent-encoding is kept as it is; no resource will match it. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
