import type { CreateUser } from "loyalty-kit";

/** Draws a value with whole numbers from 0 to below a bound. */
export type Draw<T> = (number: (bound: number) => number) => T;

/** So few that every process works on the same ones. */
const CUSTOMERS = 12;
const tags = ["VIP", "Gold", "High value"];
const slugs = ["vip", "gold", "high-value"];

export function drawOne<T>(values: readonly T[]): Draw<T> {
  return (number) => {
    const value = values[number(values.length)];
    if (value === undefined) throw new Error("there is nothing to draw from");
    return value;
  };
}

export function drawPair<A, B>(a: Draw<A>, b: Draw<B>): Draw<[A, B]> {
  return (number) => [a(number), b(number)];
}

export function drawSeveral<T>(one: Draw<T>): Draw<T[]> {
  return (number) => Array.from({ length: 1 + number(3) }, () => one(number));
}

/** An external id. */
export const drawCustomer: Draw<string> = (number) => `${number(CUSTOMERS)}`;

/** The same few addresses, each written in many ways. */
function drawEmail(of: string): Draw<string> {
  return (number) => {
    const address = `customer-${of}@caf\u00e9.example`.normalize(number(2) === 0 ? "NFC" : "NFD");
    return Array.from(address, (letter) => (number(2) === 0 ? letter : letter.toUpperCase())).join("");
  };
}

/** Often one whose email or external id, or both, somebody has. */
export const drawUser: Draw<CreateUser> = (number) => {
  const externalId = drawCustomer(number);
  return {
    email: drawEmail(number(4) === 0 ? drawCustomer(number) : externalId)(number),
    externalId,
    name: number(2) === 0 ? null : `Customer ${number(CUSTOMERS)}`,
  };
};

/** How many stamps: some fill a card more than once. */
export const count: Draw<number> = (number) => 1 + number(8);

export const tagName = drawOne(tags);

export const slug = drawOne(slugs);
