import { InvalidArgumentError } from "commander";

/**
 * The numbers of a list such as "tags=10000,apps=20".
 * @param example one of them, for who gave none.
 * @throws {InvalidArgumentError} when it is no such list, or names others than these, or one twice.
 */
export function namedNumbers<Name extends string>(
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
        `Give names and numbers such as ${example}, of these: ${names.join(", ")}.`,
      );
    }
    if (Object.hasOwn(numbers, name)) throw new InvalidArgumentError(`${name} stands there twice.`);
    numbers[name] = Number(number);
  }
  return numbers;
}
