import * as fc from "fast-check";
import { Client } from "pg";
import { describe, expect, it } from "vitest";
import { redactUrl } from "../../adapters/apps/cli/database/postgres-database.js";
import { parseConnectionUrl } from "../../adapters/storage/postgres/pool.js";
import { runs } from "../properties/runs.js";

const piece = fc.constantFrom(..."ab1@:,[]&= .;".split(""), "%40", "%3A", "%2C", "%2F", "%25");
const text = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(""));
const host = fc.constantFrom(
  "db.example",
  "db.example:5433",
  "[::1]:5433",
  "127.0.0.1",
  "a.example:1,b.example:2",
);
const query = fc.constantFrom(
  ...[
    "",
    "?sslmode=disable",
    "?application_name=x&password=SECRET",
    "?p%61ssword=SECRET",
    "?application_name=x;password=SECRET",
  ],
  ...["?target_session_attrs=read-write", "?x=1&target%5Fsession_attrs=read%2Dwrite&y=2"],
);
const urls = fc
  .record({
    user: fc.constantFrom("shop", "a%40b", "x,y"),
    password: text.map((part) => `SECRET${part}`),
    host,
    query,
  })
  .map(({ user, password, host, query }) => ({
    url: `postgres://${user}:${password}@${host}/loyalty${query}`,
    password,
    query,
  }));

describe("the URL of a database", () => {
  it("is displayed without its password, wherever the URL contains it", () => {
    fc.assert(
      fc.property(urls, ({ url }) => {
        expect(redactUrl(url) ?? "").not.toContain("SECRET");
      }),
      runs(1_000),
    );
  });

  it("is invalid if a part isn't encoded, because the driver would encode the URL again", () => {
    for (const password of ["50%", "a b", "%zz"]) {
      expect(redactUrl(`postgres://shop:${password}@db.example/loyalty`)).toBeNull();
    }
  });

  it("gives the driver the same servers and password, without parameters that only libpq knows", () => {
    fc.assert(
      fc.property(urls, ({ url, password, query }) => {
        if (redactUrl(url) === null) return;
        const parsedUrl = parseConnectionUrl(url);
        expect([url, parsedUrl.suits !== null]).toEqual([url, query.includes("session")]);
        for (const each of parsedUrl.urls) {
          expect(each).not.toMatch(/session/);
          const { host, password: driverPassword } = new Client(each);
          expect(["db.example", "::1", "127.0.0.1", "a.example", "b.example"]).toContain(host);
          if (!query.includes("SECRET")) expect(driverPassword).toBe(decodeURIComponent(password));
        }
      }),
      runs(1_000),
    );
  });
});
