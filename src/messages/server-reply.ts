const MAX_REPLY_LENGTH = 200;

/** Maximum number of characters to read from a reply. */
const MAX_READ_LENGTH = 2_000;

/** Matches an `@`, including the notations that some mail programs use instead. */
const AT_SIGN = "(?:@|%40|=40|\\(at\\))";

const addressPattern = new RegExp(`(?:"[^"]{1,64}"|[^\\s<>"(),;:]+) ?${AT_SIGN} ?[^\\s<>"(),;:]+`, "giu");

/**
 * Returns the beginning of a mail server's reply, on one line and with email addresses removed. Removes the recipient's address
 * even if it is quoted, encoded, or broken across lines. Also removes the part before the `@` on its own, including variants
 * without its tag (`ada` for `ada+news`) or without its dots.
 */
export function shortenReply(reply: string, to: string): string {
  const isTruncated = reply.length > MAX_READ_LENGTH;
  const truncatedReply = isTruncated ? reply.slice(0, MAX_READ_LENGTH).replace(/\S+$/, "") : reply;
  const line = truncatedReply.replaceAll(/[\p{Cc}\p{Cs}\s]+/gu, " ").trim();
  const names = listLocalNames(to);
  const patterns = containsNoNames(line, names) ? [] : buildAddressPatterns(to, names);
  const maskedText = patterns
    .reduce((text, pattern) => text.replaceAll(pattern, "…"), line)
    .replaceAll(addressPattern, "…");
  return [...maskedText].slice(0, MAX_REPLY_LENGTH).join("");
}

/**
 * Returns the mailbox names that servers may use for an address, longest first: with and without its tag, and with and without its
 * dots.
 */
function listLocalNames(address: string): string[] {
  const localPart = address.slice(0, Math.max(0, address.lastIndexOf("@")));
  const untagged = [...localPart.matchAll(/[+-]/g)].map(({ index }) => localPart.slice(0, index));
  const candidateNames = [localPart, ...untagged].filter((name) => name !== "");
  return [...new Set(candidateNames.flatMap((name) => [name, name.replaceAll(".", "")]))].sort(
    (a, b) => b.length - a.length,
  );
}

/** Returns whether a line contains none of the mailbox names. This is a quick check, because most replies contain none. */
function containsNoNames(line: string, names: readonly string[]): boolean {
  if (!isAscii(line) || !names.every(isAscii)) return false;
  const compactLine = line.replaceAll(" ", "").toLowerCase();
  return !names.some((name) => compactLine.includes(name.replaceAll(" ", "").toLowerCase()));
}

function isAscii(text: string): boolean {
  return !/[^ -~]/.test(text);
}

/** Builds patterns for an address and its mailbox names that ignore case and allow a space wherever a line may have been broken. */
function buildAddressPatterns(address: string, names: readonly string[]): RegExp[] {
  const at = address.lastIndexOf("@");
  if (at < 1) return [];
  const domain = buildSpacedPattern(address.slice(at + 1));
  const wholeAddress = `"?${buildSpacedPattern(address.slice(0, at))}"? ?${AT_SIGN} ?(?:${domain}|[^\\s<>"(),;:]+)`;
  // A name made of digits must not match part of a status code such as 5.1.1.
  const namePatterns = names.map(
    (name) => `(?<![\\p{L}\\p{N}]|\\d\\.)${buildSpacedPattern(name)}(?![\\p{L}\\p{N}]|\\.\\d)`,
  );
  return [wholeAddress, ...namePatterns].map((pattern) => new RegExp(pattern, "giu"));
}

function buildSpacedPattern(text: string): string {
  return [...text].map((letter) => letter.replace(/[\\^$.*+?()[\]{}|/]/, "\\$&")).join(" ?");
}
