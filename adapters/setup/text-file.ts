import { readFileSync } from "node:fs";

/**
 * Reads a UTF-8 text file, with or without a byte-order mark.
 * @param file the file's path, or an open file descriptor. Error messages don't contain it, because a caller might have passed a
 *   secret as the path by mistake.
 * @param name the phrase that error messages use for the file, such as "the DKIM key file".
 * @throws {TypeError} if the file can't be read or isn't UTF-8.
 */
export function readTextFile(file: string | number, name: string): string {
  const bytes = readBytes(file, name);
  if (isUtf16(bytes)) throw new TypeError(`${name} can't be read because it is UTF-16; save it as UTF-8`);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    // No cause is attached, because it may quote the secret.
    throw new TypeError(`${name} can't be read because it isn't UTF-8; save it as UTF-8`);
  }
}

/**
 * Reads a secret from the first line of a file.
 * @param secret the secret's name for error messages, such as "password of the mail server".
 * @throws {TypeError} if the file can't be read, isn't UTF-8, or has an empty first line.
 */
export function readSecretFile(file: string, secret: string): string {
  const name = `the ${secret} file`;
  const [line = ""] = readTextFile(file, name).split(/[\r\n]/, 1);
  if (line === "") throw new TypeError(`the first line of ${name} is empty`);
  return line;
}

/** Removes the byte-order mark, if any, from the beginning of a file's text. */
export function stripByteOrderMark(text: string): string {
  return text.replace(/^\uFEFF/, "");
}

function readBytes(file: string | number, name: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
    const reason = reasons[code];
    throw new TypeError(`${name} can't be read${reason === undefined ? "" : `: ${reason}`}`, { cause });
  }
}

/** Explanations of the errors that an operator can fix. */
const reasons: Readonly<Record<string, string>> = {
  ENOENT: "it doesn't exist",
  EACCES: "this process doesn't have permission to read it",
  EISDIR: "it's a folder",
};

/** Returns whether the bytes look like UTF-16: they begin with its byte-order mark, or many are zero, as in Latin letters. */
function isUtf16(bytes: Buffer): boolean {
  const prefix = bytes.subarray(0, 2).toString("hex");
  if (prefix === "fffe" || prefix === "feff") return true;
  return bytes.filter((byte) => byte === 0).length > bytes.length / 4;
}
