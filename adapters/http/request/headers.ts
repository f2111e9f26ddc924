import type { HttpRequest } from "./message.js";

/** Every value that was sent for a header, in order. @param name in lower case. */
export function headerValues(headers: HttpRequest["headers"], name: string): string[] {
  const values: string[] = [];
  for (const [candidate, value] of headers) {
    if (candidate.length === name.length && candidate.toLowerCase() === name) values.push(value);
  }
  return values;
}

/** A header as one text, the values of a repeated one joined by commas; `null` when it was not sent. */
export function headerValue(headers: HttpRequest["headers"], name: string): string | null {
  const values = headerValues(headers, name);
  return values.length === 0 ? null : values.join(", ");
}
