import { InvalidArgumentError } from "commander";

/** Reads the value of an option, which is refused with the message where `read` returns `null` or throws. */
export function reader<Value>(
  read: (text: string) => Value | null,
  message: string,
): (text: string) => Value {
  return (text) => {
    try {
      const value = read(text);
      if (value !== null) return value;
    } catch {
      // The message describes the error.
    }
    throw new InvalidArgumentError(message);
  };
}

/** Reads a whole number from 1 up to the most. */
export const numberUpTo = (most: number) =>
  reader(
    (text) => (/^[1-9][0-9]{0,9}$/.test(text) && Number(text) <= most ? Number(text) : null),
    `It must be a number from 1 to ${most}.`,
  );

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The milliseconds of a duration such as `90d`, `1h`, `30m` or `45s`; `null` if the text is none. */
export function parseDuration(text: string): number | null {
  const [, count = "", unit = ""] = /^([1-9][0-9]{0,5})([smhd])$/.exec(text) ?? [];
  const ms = UNIT_MS[unit];
  return ms === undefined ? null : Number(count) * ms;
}

/**
 * The numbers of a list such as "tags=10000,apps=20".
 * @param example one of them, for who gave none.
 * @throws {InvalidArgumentError} if it is no such list, or names others than these, or one twice.
 */
export function parseNamedNumbers<Name extends string>(
  text: string,
  names: readonly Name[],
  example: string,
): { [Each in Name]?: number } {
  const numbers: { [Each in Name]?: number } = {};
  for (const part of text.split(",")) {
    const [, given, number] = /^\s*(\w+)\s*=\s*([0-9]+)\s*$/.exec(part) ?? [];
    const name = names.find((known) => known === given);
    if (name === undefined) {
      throw new InvalidArgumentError(
        `Give names and numbers such as ${example}. Names: ${names.join(", ")}.`,
      );
    }
    if (Object.hasOwn(numbers, name)) throw new InvalidArgumentError(`${name} is given twice.`);
    numbers[name] = Number(number);
  }
  return numbers;
}

/** Reads what separates the fields of a CSV text. */
export const parseDelimiter = reader((text) => {
  const delimiter = text === "\\t" ? "\t" : text;
  return /^[^"\r\n]$/.test(delimiter) ? delimiter : null;
}, "Give one character, or \\t for a tab.");
