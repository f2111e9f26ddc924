import fc from "fast-check";
import { LoyaltyService, scopes } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { expect, it, onTestFinished } from "vitest";
import { ManualClock } from "../kit/manual-clock.js";
import { runs } from "../properties/runs.js";
import { mounts } from "./mounts.js";
import type { PlainRequest } from "./plain-request.js";

const [ows, quality] = [
  fc.constantFrom("", " ", "\t"),
  fc.constantFrom("", ";", ";;", ",", ";charset", ";x=1;"),
];
const charsets = fc.constantFrom("", "utf-8", '"utf-8"', "UTF-8", "latin1", '"utf-8', "utf 8", 'a"b', "=");
const types = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("application/json", "application/json; charset=utf-8") },
  fc.constantFrom(
    "text/plain",
    "APPLICATION/JSON",
    "application/ json",
    "application/json, application/json",
  ),
  fc.tuple(fc.constant("application/json"), ows, quality, ows, charsets).map((parts) => parts.join("")),
  fc
    .tuple(
      ows,
      fc.constantFrom("charset", "CHARSET", "x", ""),
      ows,
      fc.constantFrom("=", "==", ""),
      ows,
      charsets,
    )
    .map((parts) => `application/json;${parts.join("")}`),
);
const authorizations = fc.oneof(
  { weight: 4, arbitrary: fc.constant("Bearer TOKEN") },
  fc.constantFrom(
    ...["bearer TOKEN", "Bearer  TOKEN", "Bearer\tTOKEN", "Bearer TOKEN,", "Bearer TOKEN, Bearer TOKEN"],
    ...["Basic TOKEN", "Bearer", 'Bearer "TOKEN"', "TOKEN"],
  ),
);
const keys = fc.constantFrom("k", '"k"', '"', '""', '"a\\"b"', '"a\\b"', "a,b", '"a"x', "a b", "é");
const actors = fc.constantFrom(
  "subject=a+b",
  "subject=%C3%A9",
  "subject=%FF",
  "subject=\u00e9",
  "?subject=a",
  "x=1",
);
const otherHeaders = fc.record(
  {
    "idempotency-key": keys,
    "loyalty-actor": actors,
    "content-encoding": fc.constantFrom("identity", "Identity", "gzip", "", "identity, identity"),
    prefer: fc.constantFrom(
      "handling=strict",
      'handling="strict"',
      "a, handling = strict;x",
      "handling=lenient",
    ),
  },
  { requiredKeys: [] },
);
const values = fc.constantFrom(
  ...['"a"', "1", "null", "1e400", "9007199254740993", "0.12345678901234567", "-0", "01", "NaN", '"\\ud800"'],
  ...['"\\u0000"', '"\u2028"', '{"__proto__":1}', '{"a":1,"a":2}', '{"constructor":{"prototype":1}}', "[]"],
);
const names = fc.constantFrom("name", "metadata", "__proto__", "constructor", "phone", "externalId", "other");
const emails = fc.nat().map((nth) => `ada-${nth}@example.com`);
const bodies = fc.oneof(
  fc.tuple(emails, names, values).map(([email, name, value]) => `{"email":"${email}","${name}":${value}}`),
  fc
    .tuple(emails, names, values)
    .map(([email, name, value]) => `{"email":"${email}","metadata":{"${name}":${value}}}`),
  fc.constantFrom(
    "null",
    "[]",
    "{",
    "{}",
    "\ufeff{}",
    "{}x",
    ' {"email":"ada@example.com"}\n',
    '{"email":1,"email":2}',
  ),
);
const parts = [
  "%76ip",
  "vip",
  "%",
  "%ZZ",
  "%FF",
  "a%00b",
  "%C0%80",
  "a+b",
  "%2F",
  "a;b",
  "~",
  "!$&'()*,=:@",
  "%ED%A0%80",
];
const queries = [
  "size=5&size=6",
  "size=+5",
  "size=%35",
  "search=%FF",
  "search=%",
  "",
  "&",
  "size",
  "search=a?b/c",
  "%73ize=2",
];
const paths = fc.oneof(
  fc.constantFrom(...parts).map((part) => `/v1/users/${part}`),
  fc.constantFrom(...queries).map((query) => `/v1/contacts?${query}`),
  fc.constantFrom("/v1/user-tags", "/v1//users", "/v1/", "/v1", "/v2/x"),
);

/** Requests whose headers, body or URL two parsers may read differently. */
const requests: fc.Arbitrary<PlainRequest> = fc
  .record({
    authorization: authorizations,
    type: fc.option(types),
    others: fc.oneof(fc.constant({}), otherHeaders),
    isPost: fc.boolean(),
    path: paths,
    body: bodies,
  })
  .map(({ authorization, type, others, isPost, path, body }) => ({
    method: isPost ? "POST" : "GET",
    url: isPost ? "/v1/users" : path,
    headers: { authorization, ...(type !== null && { "content-type": type }), ...others },
    body: isPost ? body : null,
  }));

it("Each mount reads a request as the others do, except for bodies that the host has read first", async () => {
  const chosenMounts = mounts.filter(
    ({ name, hostReadsBodies }) => !hostReadsBodies && !/Postgres/.test(name),
  );
  const doors = await Promise.all(
    chosenMounts.map(async ({ name, prefix, serve }) => {
      const loyalty = new LoyaltyService({ storage: memoryStorage(), clock: new ManualClock().read });
      const server = await serve(loyalty, { onError: () => {}, rateLimits: false });
      onTestFinished(async () => {
        await server.close();
        await loyalty.close();
      });
      const acme = loyalty.organization("acme");
      const { token } = await acme.apiTokens.create({ name: "Till", scopes: [...scopes] });
      const sendTo = async ({ url, headers, ...request }: PlainRequest) => {
        const authorization = headers.authorization?.replaceAll("TOKEN", token) ?? "";
        const requestToServer = {
          ...request,
          url: `${server.baseUrl}${url}`,
          headers: { ...headers, authorization },
        };
        const { status, text } = await server.request(requestToServer);
        return `${status} ${text.replace(/"usr_[^"]*"/g, "usr")}`;
      };
      return { name: `${name}${prefix}`, sendTo };
    }),
  );
  await fc.assert(
    fc.asyncProperty(requests, async (request) => {
      const responses = await Promise.all(
        doors.map(async ({ name, sendTo }) => [name, await sendTo(request)] as const),
      );
      const [[, first] = []] = responses;
      expect(responses).toEqual(responses.map(([name]) => [name, first]));
    }),
    runs(200),
  );
});
