/** A non-negative fraction of integers. It's never rounded, and it isn't reduced either. */
export interface Fraction {
  readonly top: bigint;
  readonly bottom: bigint;
}

export function createFraction(top: number | bigint, bottom: number | bigint = 1n): Fraction {
  return { top: BigInt(top), bottom: BigInt(bottom) };
}

export function multiply(one: Fraction, other: Fraction): Fraction {
  return { top: one.top * other.top, bottom: one.bottom * other.bottom };
}

export function addUp(fractions: readonly Fraction[]): Fraction {
  return fractions.reduce(
    (sum, { top, bottom }) => ({ top: sum.top * bottom + top * sum.bottom, bottom: sum.bottom * bottom }),
    createFraction(0),
  );
}

export function isLess(one: Fraction, other: Fraction): boolean {
  return one.top * other.bottom < other.top * one.bottom;
}

export function roundDown({ top, bottom }: Fraction): bigint {
  return top / bottom;
}
