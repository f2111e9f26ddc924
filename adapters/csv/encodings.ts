/** The encodings of code pages: what spreadsheets write unless UTF-8 is chosen. */
export const codePages = [
  "windows-1252",
  "windows-1250",
  "windows-1251",
  "windows-1253",
  "windows-1254",
  "windows-1255",
  "windows-1256",
  "windows-1257",
  "windows-1258",
  "windows-874",
  "macintosh",
  "iso-8859-2",
  "ibm866",
  "shift_jis",
  "gbk",
  "big5",
  "euc-kr",
] as const;

/** The encodings that spreadsheets write. */
export const encodings = ["utf-8", "utf-16le", "utf-16be", ...codePages] as const;

export type Encoding = (typeof encodings)[number];

/** A text as it reads in an encoding. */
export interface Reading {
  readonly encoding: Encoding;
  readonly text: string;
}

/** Returns the encoding of a name such as `cp1250` or `latin1`; `null` for another one. @throws {RangeError} */
export function findEncoding(name: string): Encoding | null {
  const { encoding } = new TextDecoder(name);
  return encodings.find((known) => known === encoding) ?? null;
}

/** Bytes that are not text of their encoding. */
export class WrongEncoding extends Error {
  override readonly name = "WrongEncoding";

  constructor(
    readonly encoding: Encoding,
    options?: ErrorOptions,
  ) {
    super(`not ${encoding.toUpperCase()}`, options);
  }
}

/** Decodes chunk by chunk; without one it is the end. */
export type Decode = (chunk?: Uint8Array) => string;

/** @throws {WrongEncoding} at bytes that the encoding does not have. */
export function createDecoder(encoding: Encoding): Decode {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const isCodePage = codePages.some((page) => page === encoding);
  const textOf: Decode = (chunk) => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
    } catch (cause) {
      throw new WrongEncoding(encoding, { cause });
    }
  };
  return (chunk) => {
    const text = textOf(chunk);
    // Bytes that a code page has no character for are read as controls.
    if (isCodePage && /[\x80-\x9f]/.test(text)) throw new WrongEncoding(encoding);
    return text;
  };
}

/** Puts bytes behind others. */
export function joinBytes(one: Uint8Array, other: Uint8Array): Uint8Array {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}
