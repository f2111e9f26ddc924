import { cellText } from "./cells.js";
import { detectDelimiter, headersEnd, type ReadHeader, withoutDelimiterLine } from "./delimiter.js";
import {
  codePages,
  createDecoder,
  type Decode,
  type Encoding,
  joinBytes,
  type Reading,
  WrongEncoding,
} from "./encodings.js";
import type { CsvFault } from "./faults.js";
import { CsvParser, type CsvRecord } from "./parser.js";
import { WrongFile } from "./records.js";

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

/** Maximum number of bytes to show before and after the ambiguous byte. */
const MAX_SHOWN = 40;

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

/** Number of bytes to examine when detecting the encoding. */
const SAMPLE_BYTES = 65_536;

/** Maximum number of characters to read when looking for the end of the headers. */
const MAX_START = 1_048_576;

/** The format of a CSV file. If a field is `null`, its value is detected from the file. */
export interface CsvForm {
  readonly encoding: Encoding | null;
  readonly delimiter: string | null;
}

/**
 * Yields the records in a CSV file, starting with the headers. Skips records that contain only empty cells.
 * @param columnOf a function that maps a header to its column, used to detect the delimiter.
 * @throws {WrongFile} if the file can't be read. All records before the fault are yielded first.
 */
export async function* csvRecords(
  chunks: AsyncIterable<Uint8Array>,
  { encoding, delimiter }: CsvForm,
  columnOf: ReadHeader,
): AsyncGenerator<CsvRecord, void, undefined> {
  const texts = decodeText(withoutWorkbook(chunks), encoding);
  let parser = new CsvParser(",");
  try {
    const start = await readStart(texts);
    const beginning =
      delimiter === null
        ? detectDelimiter(start, columnOf)
        : { delimiter, rest: withoutDelimiterLine(start) };
    parser = new CsvParser(beginning.delimiter);
    yield* filled(parser.read(beginning.rest));
    for await (const text of texts) yield* filled(parser.read(text));
    yield* filled(parser.end());
  } catch (error) {
    const fault = toFault(error, parser.lastLine);
    throw fault === null ? error : new WrongFile(fault, { cause: error });
  }
}

function toFault(error: unknown, line: number): CsvFault | null {
  if (error instanceof UnknownEncoding) return { code: "encoding_unknown", readings: error.readings };
  return error instanceof WrongEncoding ? { code: "encoding_wrong", encoding: error.encoding, line } : null;
}

/**
 * Passes a file's bytes through.
 * @throws {WrongFile} if the file is a workbook.
 */
async function* withoutWorkbook(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  let isFirst = true;
  for await (const chunk of chunks) {
    if (isFirst && isWorkbook(chunk)) throw new WrongFile({ code: "workbook" });
    isFirst = false;
    yield chunk;
  }
}

/** Returns whether a file is an Excel or LibreOffice workbook, based on its first bytes. */
function isWorkbook(start: Uint8Array): boolean {
  const beginsWith = (...bytes: readonly number[]) => bytes.every((byte, at) => start[at] === byte);
  return beginsWith(0x50, 0x4b, 3, 4) || beginsWith(0xd0, 0xcf, 0x11, 0xe0);
}

/** Reads text up to the end of the header line. */
async function readStart(texts: AsyncIterator<string>): Promise<string> {
  let start = "";
  while (start.length < MAX_START && headersEnd(start) === null) {
    const next = await texts.next();
    if (next.done) break;
    start += next.value;
  }
  return start;
}

function* filled(records: Iterable<CsvRecord>): Generator<CsvRecord, void, undefined> {
  for (const record of records) if (record.cells.some((cell) => cellText(cell) !== "")) yield record;
}

/**
 * Decodes bytes to text and removes any byte-order mark.
 * @param encoding the encoding. If it is `null`, the encoding is detected from the first 64 KiB of the file, not counting any plain
 *   ASCII chunks at its start.
 * @throws {WrongEncoding} if the bytes aren't valid in the encoding.
 * @throws {UnknownEncoding} if the encoding can't be detected.
 */
async function* decodeText(
  chunks: AsyncIterable<Uint8Array>,
  encoding: Encoding | null,
): AsyncGenerator<string, void, undefined> {
  let decode = encoding === null ? null : createDecoder(encoding);
  let sample: Uint8Array = new Uint8Array();
  for await (const chunk of chunks) {
    if (decode !== null) {
      yield decode(chunk);
      continue;
    }
    // ASCII reads the same in every encoding but UTF-16, and piped input may arrive line by line.
    if (sample.length === 0 && isPlain(chunk)) {
      yield new TextDecoder().decode(chunk);
      continue;
    }
    sample = joinBytes(sample, chunk);
    if (sample.length < SAMPLE_BYTES) continue;
    decode = pickLikelyDecoder(sample);
    yield decode(sample);
  }
  if (decode === null) {
    decode = pickLikelyDecoder(sample);
    yield decode(sample);
  }
  yield decode();
}

/**
 * Creates a decoder for the most likely encoding. Text with valid UTF-8 sequences is hardly ever anything else. If there are at
 * least as many valid sequences as invalid bytes, it is treated as damaged UTF-8, because reading it in another encoding would hide
 * the damage.
 */
function pickLikelyDecoder(sample: Uint8Array): Decode {
  if (sample[0] === 0xff && sample[1] === 0xfe) return createDecoder("utf-16le");
  if (sample[0] === 0xfe && sample[1] === 0xff) return createDecoder("utf-16be");
  const [even, odd] = countNulls(sample);
  // In UTF-16, every Latin letter has a zero byte.
  if (even + odd > sample.length / 4) return createDecoder(even > odd ? "utf-16be" : "utf-16le");
  const { sequences, misfits } = countUtf8(sample);
  return misfits > sequences ? createLatinDecoder() : createDecoder("utf-8");
}

/** Returns whether the bytes are ASCII without zero bytes; UTF-16 has zero bytes. */
function isPlain(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte > 0 && byte < 0x80);
}

function countNulls(bytes: Uint8Array): [even: number, odd: number] {
  const count: [number, number] = [0, 0];
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] === 0) count[at & 1 ? 1 : 0] += 1;
  return count;
}

/** Counts the complete multi-byte sequences, and the bytes that belong to none. */
function countUtf8(bytes: Uint8Array): { readonly sequences: number; readonly misfits: number } {
  let sequences = 0;
  let misfits = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const lead = bytes[at] ?? 0;
    if (lead < 0x80) continue;
    const following =
      lead >= 0xf0 && lead < 0xf5 ? 3 : lead >= 0xe0 && lead < 0xf0 ? 2 : lead >= 0xc2 && lead < 0xe0 ? 1 : 0;
    const continuation = bytes.subarray(at + 1, at + 1 + following);
    const fits = following > 0 && continuation.every((byte) => (byte & 0xc0) === 0x80);
    // The sample may end in the middle of a sequence.
    if (fits && continuation.length < following) break;
    if (fits) sequences += 1;
    else misfits += 1;
    at += fits ? following : 0;
  }
  return { sequences, misfits };
}

/** Thrown if text contains a word that would read differently in different code pages. */
class UnknownEncoding extends Error {
  override readonly name = "UnknownEncoding";

  /** @param readings an ambiguous word from the file, decoded with each code page that produces a plausible word. */
  constructor(readonly readings: readonly Reading[]) {
    super("not known");
  }
}

/**
 * Creates a decoder for text whose code page is unknown. The decoder accepts only text that reads the same in every code page for
 * Latin scripts.
 * @throws {UnknownEncoding} while decoding, at the first word that would read differently in another code page.
 */
function createLatinDecoder(): Decode {
  // The encoding windows-1252 has a character for every byte. Without `stream`, Node.js would decode it as Latin-1.
  const decoder = new TextDecoder("windows-1252", { fatal: true });
  // A word is examined as a whole, even if it continues in the next chunk.
  let partialWord: Uint8Array = new Uint8Array();
  return (chunk) => {
    const bytes = joinBytes(partialWord, chunk ?? new Uint8Array());
    const text = decoder.decode(bytes, { stream: true });
    const end = chunk === undefined ? bytes.length : bytes.findLastIndex(isOutsideOfWords) + 1;
    const at = doubtful.exec(text.slice(0, end))?.index;
    if (at !== undefined) throw new UnknownEncoding(listReadings(extractWord(bytes, at)));
    const addedText = text.slice(partialWord.length);
    partialWord = bytes.slice(end);
    return addedText;
  };
}

/** Returns the bytes of the word around an offset. */
function extractWord(bytes: Uint8Array, at: number): Uint8Array {
  const precedingBytes = bytes.subarray(Math.max(at - MAX_SHOWN, 0), at);
  const after = bytes.subarray(at, at + MAX_SHOWN);
  const end = after.findIndex(isOutsideOfWords);
  const word = [
    ...precedingBytes.slice(precedingBytes.findLastIndex(isOutsideOfWords) + 1),
    ...after.slice(0, end < 0 ? MAX_SHOWN : end),
  ];
  return Uint8Array.from(word);
}

function isOutsideOfWords(byte: number): boolean {
  return ' \t\r\n,;|"'.includes(String.fromCharCode(byte));
}

/** Decodes a word with each code page in which it looks like a word. Each distinct result is listed once. */
function listReadings(word: Uint8Array): Reading[] {
  const readings = new Map<string, Reading>();
  for (const encoding of codePages) {
    const text = tryDecode(encoding, word);
    if (text !== null && looksLikeWord(text) && !readings.has(text)) readings.set(text, { encoding, text });
  }
  return [...readings.values()];
}

function tryDecode(encoding: Encoding, bytes: Uint8Array): string | null {
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
