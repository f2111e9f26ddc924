/** Code page encodings. Spreadsheets use one of them unless the user chooses a Unicode encoding. */
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

/** The supported encodings: Unicode and the code pages that spreadsheet programs use when they export a file. */
export const encodings = ["utf-8", "utf-16le", "utf-16be", ...codePages] as const;

export type Encoding = (typeof encodings)[number];

/** Text decoded from bytes, and the encoding that was used. */
export interface Reading {
  readonly encoding: Encoding;
  readonly text: string;
}

/**
 * Finds an encoding by name or alias, such as `cp1250` or `latin1`.
 * @returns the encoding, or `null` if it isn't supported.
 * @throws {RangeError} if there is no encoding with this name.
 */
export function findEncoding(name: string): Encoding | null {
  const { encoding } = new TextDecoder(name);
  return encodings.find((candidate) => candidate === encoding) ?? null;
}

/** Thrown if bytes aren't valid in the chosen or detected encoding. */
export class WrongEncoding extends Error {
  override readonly name = "WrongEncoding";

  constructor(
    readonly encoding: Encoding,
    options?: ErrorOptions,
  ) {
    super(`not ${encoding.toUpperCase()}`, options);
  }
}

/** Decodes a chunk of bytes. Calling it without an argument after the last chunk flushes the decoder. */
export type Decode = (chunk?: Uint8Array) => string;

/**
 * Creates a decoder that throws on bytes that are invalid in the encoding.
 * @throws {WrongEncoding} while decoding, at the first chunk with invalid bytes.
 */
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
    // Bytes without a character in a code page are decoded as control characters.
    if (isCodePage && /[\x80-\x9f]/.test(text)) throw new WrongEncoding(encoding);
    return text;
  };
}

/** Concatenates two byte arrays into a new one. */
export function joinBytes(one: Uint8Array, other: Uint8Array): Uint8Array {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}
