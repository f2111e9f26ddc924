const LENGTH = 200;

/** Nothing behind this many characters of an answer is read. */
const READ_LENGTH = 2_000;

/** An `@`, also as programs for mail write it that may not. */
const AT = "(?:@|%40|=40|\\(at\\))";

const anyAddress = new RegExp(`(?:"[^"]{1,64}"|[^\\s<>"(),;:]+) ?${AT} ?[^\\s<>"(),;:]+`, "giu");

/**
 * Returns the beginning of a mail server's answer as one line without addresses. The recipient's address is removed in its quoted, encoded
 * and broken forms too, and so is its local part alone, with or without its tag (`ada+news`) and its dots.
 */
export function shortenReply(answer: string, to: string): string {
  const isCut = answer.length > READ_LENGTH;
  const read = isCut ? answer.slice(0, READ_LENGTH).replace(/\S+$/, "") : answer;
  const line = read.replaceAll(/[\p{Cc}\p{Cs}\s]+/gu, " ").trim();
  const names = listLocalNames(to);
  const patterns = isWithoutNames(line, names) ? [] : ownAddress(to, names);
  const masked = patterns
    .reduce((text, pattern) => text.replaceAll(pattern, "…"), line)
    .replaceAll(anyAddress, "…");
  return [...masked].slice(0, LENGTH).join("");
}

/** The names that servers give the mailbox of an address, the longest first: with its tag and without, with its dots and without. */
function listLocalNames(address: string): string[] {
  const local = address.slice(0, Math.max(0, address.lastIndexOf("@")));
  const tagged = [...local.matchAll(/[+-]/g)].map(({ index }) => local.slice(0, index));
  const dotted = [local, ...tagged].filter((name) => name !== "");
  return [...new Set(dotted.flatMap((name) => [name, name.replaceAll(".", "")]))].sort(
    (a, b) => b.length - a.length,
  );
}

/** Returns whether a text contains none of the mailbox names. It is a quick check, because most answers contain none. */
function isWithoutNames(line: string, names: readonly string[]): boolean {
  if (!isAscii(line) || !names.every(isAscii)) return false;
  const told = line.replaceAll(" ", "").toLowerCase();
  return !names.some((name) => told.includes(name.replaceAll(" ", "").toLowerCase()));
}

function isAscii(text: string): boolean {
  return !/[^ -~]/.test(text);
}

/** Patterns of an address and of the names of its mailbox, in any case, with a space wherever a line may have ended. */
function ownAddress(address: string, names: readonly string[]): RegExp[] {
  const at = address.lastIndexOf("@");
  if (at < 1) return [];
  const domain = breakLongWords(address.slice(at + 1));
  const whole = `"?${breakLongWords(address.slice(0, at))}"? ?${AT} ?(?:${domain}|[^\\s<>"(),;:]+)`;
  // A name of digits is no part of a code such as 5.1.1.
  const alone = names.map(
    (name) => `(?<![\\p{L}\\p{N}]|\\d\\.)${breakLongWords(name)}(?![\\p{L}\\p{N}]|\\.\\d)`,
  );
  return [whole, ...alone].map((pattern) => new RegExp(pattern, "giu"));
}

function breakLongWords(text: string): string {
  return [...text].map((letter) => letter.replace(/[\\^$.*+?()[\]{}|/]/, "\\$&")).join(" ?");
}
