import {
  codePages,
  createDecoder,
  type Decode,
  type Encoding,
  joinBytes,
  type Reading,
  WrongEncoding,
} from "./encodings.js";

/** Bytes of one of several code pages. */
export class UnknownEncoding extends Error {
  override readonly name = "UnknownEncoding";

  /** @param readings a word of the text, on the code pages on which it looks like one. */
  constructor(readonly readings: readonly Reading[]) {
    super("not known");
  }
}

/** Letters that have the same byte on each code page of Latin letters. */
const CAPITALS = "ÄÉÖÜ";
const SMALL = "ßäéöü";
const LETTERS = `A-Za-z${CAPITALS}${SMALL}`;

/** Other characters that this holds for. */
const SIGNS = "€„…“”‘’–—§°·«»";

/** What may be another text on another code page. */
const doubtful = new RegExp(
  [
    `[^\\0-\\x7F\\xA0${LETTERS}${SIGNS}]`,
    // Beside a letter it may be one, as on the code page of a Mac.
    `[${SIGNS}](?=[A-Za-z]|[^\\0-\\x7F])`,
    `(?<=[A-Za-z]|[^\\0-\\x7F])[${SIGNS}]`,
    `(?<=[${LETTERS}])\\xA0(?=[${LETTERS}])`,
    // Words of no other letters may be Greek or Cyrillic.
    `(?<![a-z${SMALL}])[${SMALL}]+(?![a-z${SMALL}])`,
    `(?<![${LETTERS}])[${CAPITALS}]+(?![${LETTERS}])`,
    // It is È on a Mac.
    "(?<![A-Za-z])é",
  ].join("|"),
);

/** Decodes text that reads the same on all code pages of Latin letters. @throws {UnknownEncoding} at the first word that does not. */
export function latinDecoder(): Decode {
  // It has a character for each byte. Node.js reads it as Latin-1 without `stream`.
  const decoder = new TextDecoder("windows-1252", { fatal: true });
  // A word is examined as a whole, including its part in the next chunk.
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

/** The most bytes of a word shown before and after the place in question. */
const MAX_SHOWN = 40;

/** The bytes of the word about a place. */
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

/** Words in letters of one script each. */
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

/** A word on the code pages on which it looks like one: each text once. */
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

/** Returns whether a text has letters of one script, without a capital behind a small one. */
function looksLikeWord(text: string): boolean {
  return !/\p{Ll}\p{Lu}/u.test(text) && scripts.some((script) => script.test(text));
}
