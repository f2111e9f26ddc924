/* The subset of DER (ITU-T X.690) that signatures need. */

const INTEGER = 0x02;
const OCTET_STRING = 0x04;
const NULL = 0x05;
const OBJECT_IDENTIFIER = 0x06;
const UTC_TIME = 0x17;
const SEQUENCE = 0x30;
const SET = 0x31;

/** Returns the tag byte for a constructed, context-specific element with the given tag number. */
export function contextTag(number: number): number {
  return 0xa0 + number;
}

export function encodeElement(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag]), encodeLength(content.byteLength), content]);
}

export const encodeSequence = (...contents: readonly Uint8Array[]) => encodeElement(SEQUENCE, ...contents);

export const encodeOctetString = (content: Uint8Array) => encodeElement(OCTET_STRING, content);

export const encodedNull = encodeElement(NULL);

/** Encodes an integer between 0 and 127. */
export const encodeSmallInteger = (value: number) => encodeElement(INTEGER, Buffer.from([value]));

/** Encodes a SET OF, sorting its elements by their encoded bytes (X.690, section 11.6). */
export function encodeSortedSet(tag: number, elements: readonly Buffer[]): Buffer {
  return encodeElement(tag, ...elements.toSorted(Buffer.compare));
}

export const encodeSet = (...elements: readonly Buffer[]) => encodeSortedSet(SET, elements);

/**
 * Encodes an object identifier.
 * @param dotted the identifier in dot notation, such as `1.2.840.113549.1.7.2`.
 */
export function encodeObjectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...otherParts] = dotted.split(".").map(Number);
  const bytes = [40 * first + second, ...otherParts.flatMap(splitIntoSevenBits)];
  return encodeElement(OBJECT_IDENTIFIER, Buffer.from(bytes));
}

/**
 * Encodes a time between 1950 and 2049 as UTCTime, to the second.
 * @param ms milliseconds since the Unix epoch.
 */
export function encodeUtcTime(ms: number): Buffer {
  const text = new Date(ms).toISOString().replace(/^..|[-:T]|\.\d+/g, "");
  return encodeElement(UTC_TIME, Buffer.from(text, "latin1"));
}

/**
 * Splits a constructed element into its children. Each child keeps its tag and length bytes.
 * @throws {TypeError} if the element is truncated.
 */
export function splitElements(bytes: Buffer): Buffer[] {
  const elements: Buffer[] = [];
  const { start, end } = readDerContent(bytes, 0);
  for (let at = start; at < end; ) {
    const { end: next } = readDerContent(bytes, at);
    elements.push(bytes.subarray(at, next));
    at = next;
  }
  return elements;
}

function readDerContent(bytes: Buffer, at: number): { start: number; end: number } {
  const first = bytes[at + 1] ?? 0;
  const lengthBytes = first < 0x80 ? 0 : first - 0x80;
  const start = at + 2 + lengthBytes;
  const length = lengthBytes === 0 ? first : bytes.readUIntBE(at + 2, Math.min(lengthBytes, 6));
  const end = start + length;
  if (end > bytes.byteLength) throw new TypeError("the DER element is truncated");
  return { start, end };
}

function encodeLength(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes = Buffer.from(
    length.toString(16).padStart(2 * Math.ceil(length.toString(16).length / 2), "0"),
    "hex",
  );
  return Buffer.concat([Buffer.from([0x80 + bytes.byteLength]), bytes]);
}

function splitIntoSevenBits(value: number): number[] {
  const bytes = [value % 128];
  for (let remaining = Math.floor(value / 128); remaining > 0; remaining = Math.floor(remaining / 128)) {
    bytes.unshift(128 + (remaining % 128));
  }
  return bytes;
}
