import type { Encoding } from "../../adapters/apps/csv/encodings.js";

const tables = new Map<Encoding, ReadonlyMap<string, number>>();

/** Maps the characters of a single-byte code page to their bytes. */
function readCodePage(encoding: Encoding): ReadonlyMap<string, number> {
  const cachedTable = tables.get(encoding);
  if (cachedTable !== undefined) return cachedTable;
  const table = new Map<string, number>();
  for (let byte = 0; byte < 256; byte += 1) {
    try {
      const character = new TextDecoder(encoding, { fatal: true }).decode(Uint8Array.of(byte), {
        stream: true,
      });
      if (byte < 0x80 || !/[\x80-\x9F]/.test(character)) table.set(character, byte);
    } catch {
      // The code page has no such byte.
    }
  }
  tables.set(encoding, table);
  return table;
}

/** Encodes a text in a code page; `null` if the code page lacks a character. */
export function encodeText(encoding: Encoding, text: string): Uint8Array | null {
  const bytes: number[] = [];
  for (const character of text) {
    const byte = readCodePage(encoding).get(character);
    if (byte === undefined) return null;
    bytes.push(byte);
  }
  return Uint8Array.from(bytes);
}

/** Lists the letters of a code page that occur in names, except for ASCII. */
export function listLetters(encoding: Encoding): string[] {
  return [...readCodePage(encoding).keys()].filter(
    (letter) => /^[\p{Lu}\p{Ll}\p{Lo}]$/u.test(letter) && letter > "\x7F" && !"ƒﬁﬂªºµ".includes(letter),
  );
}
