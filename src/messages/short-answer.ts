const LENGTH = 200;

/** Nothing behind this many characters of an answer is read. */
const READ_LENGTH = 2_000;

/** A shorter local part may as well be a word of the answer. */
const MIN_LOCAL_PART = 3;

/** An `@`, also as programs for mail write it that may not. */
const AT = "(?:@|%40|=40|\\(at\\))";

const anyAddress = new RegExp(`(?:"[^"]{1,64}"|[^\\s<>"(),;:]+) ?${AT} ?[^\\s<>"(),;:]+`, "giu");

/**
 * Returns the beginning of a server's answer, in one line and without addresses: none at all, and of that which the mail was for
 * no quoted, encoded or broken one, and no local part by itself.
 */
export function shortAnswer(answer: string, to: string): string {
  const isCut = answer.length > READ_LENGTH;
  const read = isCut ? answer.slice(0, READ_LENGTH).replace(/\S+$/, "") : answer;
  const line = read.replaceAll(/[\p{Cc}\p{Cs}\s]+/gu, " ").trim();
  const patterns = isFreeOf(line, to) ? [] : ownAddress(to);
  const masked = patterns
    .reduce((text, pattern) => text.replaceAll(pattern, "…"), line)
    .replaceAll(anyAddress, "…");
  return [...masked].slice(0, LENGTH).join("");
}

/** Says that a text has no local part of an address, in any case, for which no pattern has to be made: most answers are such. */
function isFreeOf(line: string, address: string): boolean {
  if (!isAscii(line) || !isAscii(address)) return false;
  const local = address.slice(0, Math.max(0, address.lastIndexOf("@")));
  return !line.replaceAll(" ", "").toLowerCase().includes(local.replaceAll(" ", "").toLowerCase());
}

function isAscii(text: string): boolean {
  return !/[^ -~]/.test(text);
}

/** Patterns of an address and of its local part, in any case, with a space wherever a line may have ended. */
function ownAddress(address: string): RegExp[] {
  const at = address.lastIndexOf("@");
  if (at < 1) return [];
  const local = address.slice(0, at);
  const domain = broken(address.slice(at + 1));
  const whole = `"?${broken(local)}"? ?${AT} ?(?:${domain}|[^\\s<>"(),;:]+)`;
  const alone = `(?<![\\p{L}\\p{N}])${broken(local)}(?![\\p{L}\\p{N}])`;
  const patterns = local.length < MIN_LOCAL_PART ? [whole] : [whole, alone];
  return patterns.map((pattern) => new RegExp(pattern, "giu"));
}

function broken(text: string): string {
  return [...text].map((letter) => letter.replace(/[\\^$.*+?()[\]{}|/]/, "\\$&")).join(" ?");
}
