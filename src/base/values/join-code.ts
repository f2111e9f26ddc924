/** The 62 digits of a code, in ascending order. */
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const BASE = BigInt(DIGITS.length);

/** Number of digits for 122 bits: a version 7 UUID without its version and variant. */
const LENGTH = 21;

const idForm = /^tpl_([0-9a-f]{8})-([0-9a-f]{4})-7([0-9a-f]{3})-([89ab][0-9a-f]{3})-([0-9a-f]{12})$/;

/**
 * Encodes a template's ID as the 21-character alphanumeric code used in short links. Returns `null` if the ID isn't a version 7
 * UUID.
 */
export function encodeJoinCode(templateId: string): string | null {
  const [, high, middle, counted, marked, low] = idForm.exec(templateId) ?? [];
  if (marked === undefined) return null;
  const rest = (BigInt(`0x${marked}`) & 0x3fffn).toString(16).padStart(4, "0");
  let value = (BigInt(`0x${high}${middle}${counted}`) << 62n) | BigInt(`0x${rest}${low}`);
  let code = "";
  for (let at = 0; at < LENGTH; at += 1) {
    code = (DIGITS[Number(value % BASE)] ?? "") + code;
    value /= BASE;
  }
  return code;
}

/** Decodes a join code to its template's ID. Returns `null` if the code is invalid. */
export function decodeJoinCode(code: string): string | null {
  if (!/^[0-9A-Za-z]{21}$/.test(code)) return null;
  let value = 0n;
  for (const digit of code) value = value * BASE + BigInt(DIGITS.indexOf(digit));
  if (value >> 122n !== 0n) return null;
  const head = (value >> 62n).toString(16).padStart(15, "0");
  const tail = ((value & ((1n << 62n) - 1n)) | (1n << 63n)).toString(16).padStart(16, "0");
  const groups = [head.slice(0, 8), head.slice(8, 12), `7${head.slice(12)}`, tail.slice(0, 4), tail.slice(4)];
  return `tpl_${groups.join("-")}`;
}
