/** Code page encodings. Spreadsheets use one of these unless the user chooses UTF-8. */
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

/** The supported encodings, which are all the encodings that spreadsheets write. */
export const encodings = ["utf-8", "utf-16le", "utf-16be", ...codePages] as const;

export type Encoding = (typeof encodings)[number];

/** A string decoded from bytes, with the encoding that was used. */
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
  return encodings.find((known) => known === encoding) ?? null;
}

/** Thrown if bytes aren't valid in the expected encoding. */
export class WrongEncoding extends Error {
  override readonly name = "WrongEncoding";

  constructor(
    readonly encoding: Encoding,
    options?: ErrorOptions,
  ) {
    super(`not ${encoding.toUpperCase()}`, options);
  }
}

/** Decodes bytes chunk by chunk. After the last chunk, call it without an argument to flush the decoder. */
export type Decode = (chunk?: Uint8Array) => string;

/**
 * Creates a decoder that throws if it encounters invalid bytes.
 * @throws {WrongEncoding} while decoding, if bytes aren't valid in the encoding.
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

/** Returns a new array with the bytes of both arrays. */
export function joinBytes(one: Uint8Array, other: Uint8Array): Uint8Array {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}
