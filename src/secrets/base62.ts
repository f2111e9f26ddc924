import { randomInt } from "node:crypto";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Random base62 text, each character drawn evenly from a secure source. */
export function randomBase62(length: number): string {
  let text = "";
  for (let at = 0; at < length; at += 1) text += ALPHABET[randomInt(ALPHABET.length)];
  return text;
}

/** Writes an integer of up to 32 bits in base62, padded with zeros to `length`. */
export function base62Of(value: number, length: number): string {
  let text = "";
  for (let left = value; left > 0; left = Math.floor(left / ALPHABET.length)) {
    text = ALPHABET[left % ALPHABET.length] + text;
  }
  return text.padStart(length, "0");
}
