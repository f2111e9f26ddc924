/** The address of a screen. */
export interface ScreenLocation {
  /** The path below the console, as the browser writes it: `/customers/usr_1`; `/` for its own address. */
  readonly path: string;
  /** The id or slug in the path; empty where it has none. */
  readonly id: string;
  readonly query: URLSearchParams;
}

/** @param path below the console, still percent-encoded. */
export function placeAt(path: string, query: string): ScreenLocation {
  return { path: path || "/", id: decoded(path.split("/")[2] ?? ""), query: new URLSearchParams(query) };
}

/** A typed percent sign may encode nothing; such a name doesn't exist. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
