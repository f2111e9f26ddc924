import { expect, it } from "vitest";
import { hashOfToken, newToken, readToken } from "../../src/base/secrets/token-format.js";

it("parsing a token gives the same result again, and at most 1,000 results are cached", () => {
  const token = newToken("api");
  const tokenParts = readToken(token);
  expect(tokenParts).toEqual({ kind: "api", hash: hashOfToken(token) });
  expect(readToken(token)).toBe(tokenParts);
  for (let at = 0; at < 1_000; at += 1) readToken(newToken("access"));
  const repeatedParts = readToken(token);
  expect(repeatedParts).toEqual(tokenParts);
  expect(repeatedParts).not.toBe(tokenParts);
});

it("text that can't be a token is never cached", () => {
  const token = newToken("api");
  const tokenParts = readToken(token);
  for (let at = 0; at < 2_000; at += 1) expect(readToken(`${token.slice(0, -4)}${at}`)).toBeNull();
  expect(readToken(token)).toBe(tokenParts);
});
