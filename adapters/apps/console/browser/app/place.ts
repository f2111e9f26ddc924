export interface ScreenLocation {
  /** The percent-encoded path relative to the console, such as `/customers/usr_1`. The start page's path is `/`. */
  readonly path: string;
  /** The decoded ID or slug in the path, or an empty string if the path doesn't contain one. */
  readonly id: string;
  /** The decoded part of the path after `id`, such as a purchase's receipt, or an empty string if there is none. */
  readonly subId: string;
  readonly query: URLSearchParams;
}

/**
 * Parses a screen's location.
 * @param path the percent-encoded path relative to the console.
 */
export function parseScreenLocation(path: string, query: string): ScreenLocation {
  const [, , id = "", subId = ""] = path.split("/");
  return {
    path: path || "/",
    id: decodeSegment(id),
    subId: decodeSegment(subId),
    query: new URLSearchParams(query),
  };
}

/** Decodes a path segment. If its percent-encoding is malformed, returns it unchanged, and no resource will match it. */
function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
