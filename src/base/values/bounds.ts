/**
 * Asserts that each value, unless it is `undefined`, is an integer within its inclusive bounds.
 * @throws {RangeError} if a value is out of bounds or isn't an integer.
 */
export function assertInBounds<Name extends string>(
  of: string,
  given: Readonly<Partial<Record<Name, number | undefined>>>,
  bounds: Readonly<Record<Name, readonly [from: number, to: number]>>,
): void {
  for (const name in bounds) {
    const number = given[name];
    const [from, to] = bounds[name];
    if (number !== undefined && !(Number.isSafeInteger(number) && number >= from && number <= to)) {
      throw new RangeError(`${of}.${name} must be a whole number from ${from} to ${to}`);
    }
  }
}
