import fc from "fast-check";

/* The spellings of an IPv4 address, in a URL or inside an IPv6 address. */

type Octets = readonly [number, number, number, number];

const byte = fc.nat(255);

/** Arbitrary octets. The first ones are fixed. */
export function arbitraryOctets(...first: number[]): fc.Arbitrary<Octets> {
  return fc
    .tuple(byte, byte, byte, byte)
    .map(([a, b, c, d]) => [first[0] ?? a, first[1] ?? b, first[2] ?? c, first[3] ?? d] as const);
}

export function toDotted(address: Octets): string {
  return address.join(".");
}

const numeral = fc.constantFrom(
  (value: number) => `${value}`,
  (value: number) => `0x${value.toString(16)}`,
  (value: number) => `0X000${value.toString(16).toUpperCase()}`,
  (value: number) => `0${value.toString(8)}`,
  (value: number) => `00000${value.toString(8)}`,
);

const digits = fc.constantFrom(
  (text: string) => text,
  (text: string) => shiftDigits(text, 0xff10),
  (text: string) => shiftDigits(text, 0x1d7d8),
  (text: string) => shiftDigits(text, 0x1d7f6),
  (text: string) => text.replaceAll(".", "\u3002"),
  (text: string) => text.replace(/[0-9]/g, (digit) => `%3${digit}`),
  (text: string) => text.replaceAll(".", "%2e"),
  (text: string) => `${text}.`,
);

/** Replaces digits with digits of another Unicode block. */
function shiftDigits(text: string, zero: number): string {
  return text.replace(/[0-9]/g, (digit) => String.fromCodePoint(zero + Number(digit)));
}

/**
 * Spellings of an address as the host of a URL: one to four parts, each decimal, hexadecimal or octal, in any digits.
 */
export function arbitraryHostSpelling(address: Octets): fc.Arbitrary<string> {
  const [a, b, c, d] = address;
  const parts = fc.constantFrom(
    [a, b, c, d],
    [a, b, c * 256 + d],
    [a, (b * 256 + c) * 256 + d],
    [((a * 256 + b) * 256 + c) * 256 + d],
  );
  return fc
    .tuple(parts, fc.array(numeral, { minLength: 4, maxLength: 4 }), digits)
    .map(([values, write, alter]) => alter(values.map((value, at) => write[at]?.(value) ?? value).join(".")));
}

/** IPv6 addresses that stand for an IPv4 address. */
export function arbitraryEmbedded([a, b, c, d]: Octets): fc.Arbitrary<string> {
  const high = (a * 256 + b).toString(16);
  const low = (c * 256 + d).toString(16);
  const ends = fc.constantFrom(`${a}.${b}.${c}.${d}`, `${high}:${low}`);
  return fc.oneof(
    fc
      .tuple(
        fc.constantFrom(
          "::ffff:",
          "::",
          "::ffff:0:",
          "64:ff9b::",
          "64:ff9b:1::",
          "0:0:0:0:0:FFFF:",
          "2001::",
        ),
        ends,
      )
      .map(([start, end]) => start + end),
    fc.constantFrom(`2002:${high}:${low}::`, `2002:${high}:${low}::1`, `2002:${high}:${low}:1:2:3:4:5`),
  );
}
