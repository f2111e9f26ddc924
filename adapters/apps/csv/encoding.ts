import { latinDecoder } from "./code-page.js";
import { createDecoder, type Decode, type Encoding, joinBytes } from "./encodings.js";

/** Number of bytes to examine when detecting the encoding. */
const SAMPLE_BYTES = 65_536;

/**
 * Decodes bytes to text and removes any byte-order mark.
 * @param encoding the encoding. If it is `null`, the encoding is detected from the first 64 KiB of the file, not counting any plain
 *   ASCII chunks at its start.
 * @throws {WrongEncoding} if the bytes aren't valid in the encoding.
 * @throws {UnknownEncoding} if the encoding can't be detected.
 */
export async function* decodeText(
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
    decode = likelyDecoder(sample);
    yield decode(sample);
  }
  if (decode === null) {
    decode = likelyDecoder(sample);
    yield decode(sample);
  }
  yield decode();
}

/**
 * Creates a decoder for the most likely encoding. Text with valid UTF-8 sequences is hardly ever anything else. If there are at
 * least as many valid sequences as invalid bytes, it is treated as damaged UTF-8, because reading it in another encoding would hide
 * the damage.
 */
function likelyDecoder(sample: Uint8Array): Decode {
  if (sample[0] === 0xff && sample[1] === 0xfe) return createDecoder("utf-16le");
  if (sample[0] === 0xfe && sample[1] === 0xff) return createDecoder("utf-16be");
  const [even, odd] = nulls(sample);
  // In UTF-16, every Latin letter has a zero byte.
  if (even + odd > sample.length / 4) return createDecoder(even > odd ? "utf-16be" : "utf-16le");
  const { sequences, misfits } = countUtf8(sample);
  return misfits > sequences ? latinDecoder() : createDecoder("utf-8");
}

/** Returns whether the bytes are ASCII without zero bytes; UTF-16 has zero bytes. */
function isPlain(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte > 0 && byte < 0x80);
}

function nulls(bytes: Uint8Array): [even: number, odd: number] {
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
    const rest = bytes.subarray(at + 1, at + 1 + following);
    const fits = following > 0 && rest.every((byte) => (byte & 0xc0) === 0x80);
    // The sample may end in the middle of a sequence.
    if (fits && rest.length < following) break;
    if (fits) sequences += 1;
    else misfits += 1;
    at += fits ? following : 0;
  }
  return { sequences, misfits };
}
