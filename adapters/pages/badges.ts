import { readFileSync } from "node:fs";

/** The badges that Apple and Google give for links to their wallets, by the names of PNG or SVG files. They may not be shipped. */
export interface Badges {
  readonly apple?: string;
  readonly google?: string;
}

/** The badges as `data:` URLs. */
export type BadgeUrls = Readonly<Partial<Record<keyof Badges, string>>>;

/** The most bytes of a badge: every page carries them. */
const MAX_BYTES = 65_536;

const png = Buffer.from("89504e470d0a1a0a", "hex");

/** @throws {TypeError} if a file can't be read, is too large, or is no such picture. */
export function badgeUrls({ apple, google }: Badges): BadgeUrls {
  return {
    ...(apple !== undefined && { apple: readBadgeUrl(apple, "Apple's badge") }),
    ...(google !== undefined && { google: readBadgeUrl(google, "Google's badge") }),
  };
}

function readBadgeUrl(file: string, name: string): string {
  const bytes = readContent(file, name);
  if (bytes.byteLength > MAX_BYTES) throw new TypeError(`${name} has more than 64 KiB`);
  const type = detectType(bytes);
  if (type === null) throw new TypeError(`${name} is neither PNG nor SVG`);
  return `data:${type};base64,${bytes.toString("base64")}`;
}

function readContent(file: string, name: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new TypeError(`the file of ${name} can't be read`, { cause });
  }
}

function detectType(bytes: Buffer): string | null {
  if (bytes.subarray(0, png.length).equals(png)) return "image/png";
  return /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*|<!DOCTYPE[^>]*>\s*)*<svg[\s>]/.test(
    bytes.toString("utf8"),
  )
    ? "image/svg+xml"
    : null;
}
