import { readFileSync } from "node:fs";

/**
 * Paths of the PNG or SVG files for the Apple Wallet and Google Wallet badges. The badges aren't included in this package because
 * redistributing them isn't allowed.
 */
export interface Badges {
  /** Path of the Apple Wallet badge. If omitted, a text link to Apple Wallet is shown. */
  readonly apple?: string;
  /** Path of the Google Wallet badge. If omitted, a text link to Google Wallet is shown. */
  readonly google?: string;
}

/** Badge images as `data:` URLs, keyed by wallet. */
export type BadgeUrls = Readonly<Partial<Record<keyof Badges, string>>>;

/** Maximum size of a badge in bytes. Every page embeds the badges. */
const MAX_BYTES = 65_536;

const PNG_SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");

/**
 * Loads the badge files and converts them to `data:` URLs.
 * @throws {TypeError} if a file can't be read, is larger than 64 KiB, or isn't a PNG or SVG image.
 */
export function loadBadgeUrls({ apple, google }: Badges): BadgeUrls {
  return {
    ...(apple !== undefined && { apple: readBadgeUrl(apple, "Apple's badge") }),
    ...(google !== undefined && { google: readBadgeUrl(google, "Google's badge") }),
  };
}

function readBadgeUrl(file: string, name: string): string {
  const bytes = readContent(file, name);
  if (bytes.byteLength > MAX_BYTES) throw new TypeError(`${name} is larger than 64 KiB`);
  const type = detectType(bytes);
  if (type === null) throw new TypeError(`${name} is neither PNG nor SVG`);
  return `data:${type};base64,${bytes.toString("base64")}`;
}

function readContent(file: string, name: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new TypeError(`the file with ${name} can't be read`, { cause });
  }
}

function detectType(bytes: Buffer): string | null {
  if (bytes.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE)) return "image/png";
  return /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*|<!DOCTYPE[^>]*>\s*)*<svg[\s>]/.test(
    bytes.toString("utf8"),
  )
    ? "image/svg+xml"
    : null;
}
