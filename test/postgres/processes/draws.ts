import type { CreateUser } from "loyalty-kit";

/** Draws a value with a source of integers from 0 up to a bound, exclusive. */
export type Draw<T> = (number: (bound: number) => number) => T;

/** The number of customers: so few that all processes work on the same ones. */
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

/** Draws an external id. */
export const drawCustomer: Draw<string> = (number) => `${number(CUSTOMERS)}`;

/** Draws one of the same few addresses, in one of many spellings. */
function drawEmail(of: string): Draw<string> {
  return (number) => {
    const address = `customer-${of}@caf\u00e9.example`.normalize(number(2) === 0 ? "NFC" : "NFD");
    return Array.from(address, (letter) => (number(2) === 0 ? letter : letter.toUpperCase())).join("");
  };
}

/** Draws a user. Often another user already has the email, the external id, or both. */
export const drawUser: Draw<CreateUser> = (number) => {
  const externalId = drawCustomer(number);
  return {
    email: drawEmail(number(4) === 0 ? drawCustomer(number) : externalId)(number),
    externalId,
    name: number(2) === 0 ? null : `Customer ${number(CUSTOMERS)}`,
  };
};

/** Draws a number of stamps. Some fill a card more than once. */
export const count: Draw<number> = (number) => 1 + number(8);

export const tagName = drawOne(tags);

export const slug = drawOne(slugs);
