import type { HttpRequest } from "./message.js";

/** The headers of a request of `node:http`, whose names and values take turns in one list. */
export class RawHeaders implements Iterable<readonly [name: string, value: string]> {
  constructor(private readonly list: readonly string[]) {}

  *[Symbol.iterator](): Generator<readonly [name: string, value: string]> {
    for (let at = 0; at + 1 < this.list.length; at += 2) yield [this.list[at] ?? "", this.list[at + 1] ?? ""];
  }

  /** Without making pairs of all of them. @param name in lower case. */
  valuesOf(name: string): string[] {
    const values: string[] = [];
    for (let at = 0; at + 1 < this.list.length; at += 2) {
      if (isNamed(this.list[at] ?? "", name)) values.push(this.list[at + 1] ?? "");
    }
    return values;
  }
}

/** Every value that was sent for a header, in order. @param name in lower case. */
export function headerValues(headers: HttpRequest["headers"], name: string): string[] {
  if (headers instanceof RawHeaders) return headers.valuesOf(name);
  const values: string[] = [];
  for (const [candidate, value] of headers) if (isNamed(candidate, name)) values.push(value);
  return values;
}

function isNamed(candidate: string, name: string): boolean {
  return candidate.length === name.length && candidate.toLowerCase() === name;
}

/** A header as one text, the values of a repeated one joined by commas; `null` when it was not sent. */
export function headerValue(headers: HttpRequest["headers"], name: string): string | null {
  const values = headerValues(headers, name);
  return values.length === 0 ? null : values.join(", ");
}
