import {
  codePages,
  createDecoder,
  type Decode,
  type Encoding,
  joinBytes,
  type Reading,
  WrongEncoding,
} from "./encodings.js";

/** Thrown if text contains a word that would read differently in different code pages. */
export class UnknownEncoding extends Error {
  override readonly name = "UnknownEncoding";

  /** @param readings an ambiguous word from the file, decoded with each code page that produces a plausible word. */
  constructor(readonly readings: readonly Reading[]) {
    super("not known");
  }
}

/** Letters that have the same byte in every code page for Latin letters. */
const CAPITALS = "ÄÉÖÜ";
const SMALL = "ßäéöü";
const LETTERS = `A-Za-z${CAPITALS}${SMALL}`;

/** Other characters that have the same byte in every code page for Latin letters. */
const SIGNS = "€„…“”‘’–—§°·«»";

/** Matches characters that another code page might read differently. */
const doubtful = new RegExp(
  [
    `[^\\0-\\x7F\\xA0${LETTERS}${SIGNS}]`,
    // Next to a letter the byte may be a letter too, as in the Mac code page.
    `[${SIGNS}](?=[A-Za-z]|[^\\0-\\x7F])`,
    `(?<=[A-Za-z]|[^\\0-\\x7F])[${SIGNS}]`,
    `(?<=[${LETTERS}])\\xA0(?=[${LETTERS}])`,
    // A word made up of these letters only may be Greek or Cyrillic.
    `(?<![a-z${SMALL}])[${SMALL}]+(?![a-z${SMALL}])`,
    `(?<![${LETTERS}])[${CAPITALS}]+(?![${LETTERS}])`,
    // In the Mac code page the byte is È.
    "(?<![A-Za-z])é",
  ].join("|"),
);

/**
 * Creates a decoder for text whose code page is unknown. The decoder accepts only text that reads the same in every code page for
 * Latin scripts.
 * @throws {UnknownEncoding} while decoding, at the first word that would read differently in another code page.
 */
export function latinDecoder(): Decode {
  // The encoding windows-1252 has a character for every byte. Without `stream`, Node.js would decode it as Latin-1.
  const decoder = new TextDecoder("windows-1252", { fatal: true });
  // A word is examined as a whole, even if it continues in the next chunk.
  let begun: Uint8Array = new Uint8Array();
  return (chunk) => {
    const bytes = joinBytes(begun, chunk ?? new Uint8Array());
    const text = decoder.decode(bytes, { stream: true });
    const end = chunk === undefined ? bytes.length : bytes.findLastIndex(isOutsideOfWords) + 1;
    const at = doubtful.exec(text.slice(0, end))?.index;
    if (at !== undefined) throw new UnknownEncoding(listReadings(wordAt(bytes, at)));
    const added = text.slice(begun.length);
    begun = bytes.slice(end);
    return added;
  };
}

/** Maximum number of bytes to show before and after the ambiguous byte. */
const MAX_SHOWN = 40;

/** Returns the bytes of the word around an offset. */
function wordAt(bytes: Uint8Array, at: number): Uint8Array {
  const before = bytes.subarray(Math.max(at - MAX_SHOWN, 0), at);
  const after = bytes.subarray(at, at + MAX_SHOWN);
  const end = after.findIndex(isOutsideOfWords);
  const word = [
    ...before.slice(before.findLastIndex(isOutsideOfWords) + 1),
    ...after.slice(0, end < 0 ? MAX_SHOWN : end),
  ];
  return Uint8Array.from(word);
}

function isOutsideOfWords(byte: number): boolean {
  return ' \t\r\n,;|"'.includes(String.fromCharCode(byte));
}

/** Patterns for words whose letters are all from one script. */
const scripts = [
  "Latin",
  "Greek",
  "Cyrillic",
  "Hebrew",
  "Arabic",
  "Thai",
  "Hangul",
  "Han}\\p{Script=Hiragana}\\p{Script=Katakana",
].map((script) => new RegExp(`^[\\p{Script=${script}}\\p{M}\\p{Nd}.'’@_-]+$`, "u"));

/** Decodes a word with each code page in which it looks like a word. Each distinct result is listed once. */
function listReadings(word: Uint8Array): Reading[] {
  const readings = new Map<string, Reading>();
  for (const encoding of codePages) {
    const text = textIn(encoding, word);
    if (text !== null && looksLikeWord(text) && !readings.has(text)) readings.set(text, { encoding, text });
  }
  return [...readings.values()];
}

function textIn(encoding: Encoding, bytes: Uint8Array): string | null {
  const decode = createDecoder(encoding);
  try {
    return decode(bytes) + decode();
  } catch (error) {
    if (error instanceof WrongEncoding) return null;
    throw error;
  }
}

/** Returns whether the text's letters are all from one script, and no uppercase letter follows a lowercase letter. */
function looksLikeWord(text: string): boolean {
  return !/\p{Ll}\p{Lu}/u.test(text) && scripts.some((script) => script.test(text));
}
