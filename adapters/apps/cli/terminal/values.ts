import { InvalidArgumentError } from "commander";

/**
 * Creates a parser for an option's value. If `parse` returns `null` or throws, the parser rejects the value with the given message.
 */
export function createParser<Value>(
  parse: (text: string) => Value | null,
  message: string,
): (text: string) => Value {
  return (text) => {
    try {
      const value = parse(text);
      if (value !== null) return value;
    } catch {
      // The message below already describes the error.
    }
    throw new InvalidArgumentError(message);
  };
}

/** Creates a parser for a whole number from 1 to the given maximum. */
export const createNumberParser = (max: number) =>
  createParser(
    (text) => (/^[1-9][0-9]{0,9}$/.test(text) && Number(text) <= max ? Number(text) : null),
    `It must be a number from 1 to ${max}.`,
  );

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Parses a duration such as `90d`, `1h`, `30m`, or `45s`. Returns the duration in milliseconds, or `null` if the text is malformed.
 */
export function parseDuration(text: string): number | null {
  const [, count = "", unit = ""] = /^([1-9][0-9]{0,5})([smhd])$/.exec(text) ?? [];
  const ms = UNIT_MS[unit];
  return ms === undefined ? null : Number(count) * ms;
}

/**
 * Parses a comma-separated list of names and numbers, such as `tags=10000,apps=20`.
 * @param example a valid list to show in error messages.
 * @throws {InvalidArgumentError} if the list is malformed or contains an unknown or duplicate name.
 */
export function parseNamedNumbers<Name extends string>(
  text: string,
  names: readonly Name[],
  example: string,
): { [Each in Name]?: number } {
  const numbers: { [Each in Name]?: number } = {};
  for (const part of text.split(",")) {
    const [, key, number] = /^\s*(\w+)\s*=\s*([0-9]+)\s*$/.exec(part) ?? [];
    const name = names.find((candidate) => candidate === key);
    if (name === undefined) {
      throw new InvalidArgumentError(
        `Use a list of names and numbers, such as ${example}. The names are ${names.join(", ")}.`,
      );
    }
    if (Object.hasOwn(numbers, name)) throw new InvalidArgumentError(`${name} is specified more than once.`);
    numbers[name] = Number(number);
  }
  return numbers;
}

/** Parses the field delimiter of a CSV file: a single character, or `\t` for a tab. */
export const parseDelimiter = createParser((text) => {
  const delimiter = text === "\\t" ? "\t" : text;
  return /^[^"\r\n]$/.test(delimiter) ? delimiter : null;
}, "It must be one character, or \\t for a tab.");
