import type { RateQuota } from "loyalty-kit/http";
import { describe, expect, test } from "vitest";
import { shortenTimers } from "../kit/hurried-timers.js";
import { denied, notFound, tooManyRequests, unauthorized } from "./answers.js";
import { type FullAnswer, jsonHeaders } from "./client.js";
import { onEveryMount } from "./every-mount.js";

const perToken = { requests: 5, seconds: 60 };
const perAddress = { requests: 3, seconds: 30 };

/** The quotas of organizations that have one of their own. */
const quotas = new Map<string, RateQuota>();

const limitsOf = ({ headers }: Pick<FullAnswer, "headers">) => ({
  policy: headers.get("ratelimit-policy"),
  limit: headers.get("ratelimit"),
  retryAfter: headers.get("retry-after"),
});
const none = { policy: null, limit: null, retryAfter: null };
const left = (requests: number, seconds = 60) => ({
  policy: '"default";q=5;w=60',
  limit: `"default";r=${requests};t=${seconds}`,
  retryAfter: null,
});
const exceeded = (seconds: number) => ({ ...left(0, seconds), retryAfter: String(seconds) });

let addresses = 0;

// Who was refused before waits a second for it.
shortenTimers(1_000);

onEveryMount(
  (http) => {
    const templates = "/v1/templates";

    /** A caller without a valid token, from an address that nobody had before or, without a header for it, now. */
    const stranger = (token: string | null = "x") => {
      const { addressHeader } = http.mount;
      if (addressHeader === null) http.clock.pass(perAddress.seconds * 1_000);
      addresses += 1;
      const address = `203.0.${Math.floor(addresses / 256)}.${addresses % 256}`;
      const headers = addressHeader === null ? {} : { [addressHeader]: address };
      return {
        get: () => http.client(token).send("GET", templates, { headers }),
        as: (other: string) => http.client(other).send("GET", templates, { headers }),
      };
    };

    const useUp = async (get: () => Promise<FullAnswer>, requests: number) => {
      for (let count = 0; count < requests; count += 1) await get();
    };

    describe("the requests of a token", () => {
      test("are counted in a window that begins with the first, and refused when none is left", async () => {
        const { send } = await http.organization();
        for (const remaining of [4, 3, 2]) {
          expect(limitsOf(await send("GET", templates))).toEqual(left(remaining));
        }
        http.clock.pass(20_500);
        expect(limitsOf(await send("GET", templates))).toEqual(left(1, 40));
        expect(limitsOf(await send("GET", templates))).toEqual(left(0, 40));
        const refused = await send("GET", templates);
        expect(refused).toMatchObject(tooManyRequests);
        expect(limitsOf(refused)).toEqual(exceeded(40));
        http.clock.pass(39_499);
        expect(limitsOf(await send("GET", templates))).toEqual(exceeded(1));
        http.clock.pass(1);
        expect(limitsOf(await send("GET", templates))).toEqual(left(4));
      });

      test("are answered in a parallel burst until exactly the quota is used", async () => {
        const { send } = await http.organization();
        const answers = await Promise.all(Array.from({ length: 20 }, () => send("GET", templates)));
        const passed = answers.filter(({ status }) => status === 200);
        expect(passed.map((answer) => limitsOf(answer).limit).sort()).toEqual(
          [0, 1, 2, 3, 4].map((remaining) => left(remaining).limit),
        );
        for (const refused of answers.filter(({ status }) => status !== 200)) {
          expect(refused).toMatchObject(tooManyRequests);
        }
      });

      test("are counted apart from those of another token of the organization", async () => {
        const { send, tokenWith } = await http.organization();
        await useUp(() => send("GET", templates), 6);
        const other = http.client(await tokenWith("template:read"));
        expect(limitsOf(await other.send("GET", templates))).toEqual(left(4));
      });

      test("have the quota of their organization, from the moment it has one", async () => {
        const { send, acme } = await http.organization();
        await send("GET", templates);
        quotas.set(acme.id, { requests: 2, seconds: 7 });
        expect(limitsOf(await send("GET", templates)).limit).toBe('"default";r=0;t=60');
        const refused = await send("GET", templates);
        expect(refused).toMatchObject(tooManyRequests);
        expect(limitsOf(refused).policy).toBe('"default";q=2;w=7');
      });
    });

    describe("every answer to a valid token tells of the limit", () => {
      test("whatever its status", async () => {
        const { send, acme } = await http.organization();
        quotas.set(acme.id, { requests: 20, seconds: 60 });
        const user = await acme.users.create({ email: "ada@example.com" });
        const json = (body: unknown) => ({ headers: jsonHeaders, body: JSON.stringify(body) });
        const answers = [
          await send("GET", "/v1/users"),
          await send("POST", "/v1/users", json({ email: "bob@example.com" })),
          await send("DELETE", `/v1/users/${user.id}`),
          await send("GET", "/v1/users/nobody"),
          await send("GET", "/v1/contacts?page=x"),
          await send("POST", "/v1/users", json({ email: "bob@example.com" })),
          await send("POST", "/v1/users", { headers: { "content-type": "text/plain" }, body: "x" }),
          await send("POST", "/v1/users", json({})),
          await send("HEAD", templates),
        ];
        expect(answers.map(({ status }) => status)).toEqual([200, 201, 204, 404, 400, 409, 415, 422, 200]);
        expect(answers.map((answer) => limitsOf(answer).limit)).toEqual(
          answers.map((_answer, at) => `"default";r=${19 - at};t=60`),
        );
      });

      test("but none where the token is not looked at", async () => {
        const { send, sendPlainly } = await http.organization();
        for (const [method, path] of [
          ["GET", "/v1/openapi.json"],
          ["GET", "/v1/nothing"],
          ["PUT", "/v1/users"],
        ] as const) {
          expect(limitsOf(await sendPlainly(method, path)), path).toEqual(none);
        }
        expect(limitsOf(await send("GET", templates))).toEqual(left(4));
      });
    });

    describe("the limit of a token comes", () => {
      test("before scope, parameters and body", async () => {
        const { tokenWith } = await http.organization();
        const { send } = http.client(await tokenWith("api_token:manage"));
        expect(await send("GET", templates)).toMatchObject(denied("template:read"));
        await useUp(() => send("GET", templates), 4);
        expect(await send("GET", templates)).toMatchObject(tooManyRequests);
        expect(await send("GET", "/v1/users/%zz")).toMatchObject(tooManyRequests);
        const body = " ".repeat(1_048_577);
        expect(await send("POST", "/v1/users", { headers: jsonHeaders, body })).toMatchObject(
          tooManyRequests,
        );
      });

      test("after the path and the token", async () => {
        const { send, acme, token } = await http.organization();
        await useUp(() => send("GET", templates), 5);
        expect(await send("GET", "/v1/nothing")).toMatchObject(notFound);
        expect(await send("DELETE", templates)).toMatchObject({ status: 405 });
        const [issued] = await acme.apiTokens.list();
        await acme.apiTokens.delete(issued?.id ?? "");
        expect(await stranger(token).get()).toMatchObject(unauthorized);
      });

      test("also to a HEAD request, without a body", async () => {
        const { send } = await http.organization();
        await useUp(() => send("GET", templates), 5);
        const { status, body, headers } = await send("HEAD", templates);
        expect({ status, body }).toEqual({ status: 429, body: undefined });
        expect(limitsOf({ headers })).toEqual(exceeded(60));
      });
    });

    describe("requests without a valid token", () => {
      test.each([{ token: "x" }, { token: null }])(
        "are refused when their address has had its share: $token",
        async ({ token }) => {
          const { get } = stranger(token);
          for (let count = 0; count < 3; count += 1) {
            const answer = await get();
            expect(answer).toMatchObject(unauthorized);
            expect(limitsOf(answer)).toEqual(none);
          }
          http.clock.pass(10_001);
          const refused = await get();
          expect(refused).toMatchObject(tooManyRequests);
          expect(limitsOf(refused)).toEqual({ ...none, retryAfter: "20" });
          http.clock.pass(19_999);
          expect(await get()).toMatchObject(unauthorized);
        },
      );

      test("never keep a valid one from that address", async () => {
        const { token } = await http.organization();
        const { get, as } = stranger();
        await useUp(get, 4);
        expect(limitsOf(await as(token))).toEqual(left(4));
        expect(await get()).toMatchObject(tooManyRequests);
      });

      if (http.mount.addressHeader === null) return;

      test("are counted for each address, as the host knows it", async () => {
        const { get } = stranger();
        await useUp(get, 4);
        expect(await get()).toMatchObject(tooManyRequests);
        expect(await stranger().get()).toMatchObject(unauthorized);
      });

      test("are counted for each address whatever port a proxy names with it", async () => {
        const { addressHeader = "" } = http.mount;
        let port = 49_152;
        for (const [address, other] of [
          ["203.1.113.7", "203.1.113.8"],
          ["[2001:db8:1:2::7]", "[2001:db8:9:9::7]"],
        ]) {
          const get = (from = "") => {
            port += 1;
            return http
              .client("x")
              .send("GET", templates, { headers: { [addressHeader ?? ""]: `${from}:${port}` } });
          };
          await useUp(() => get(address), 4);
          expect(await get(address)).toMatchObject(tooManyRequests);
          expect(await get(other)).toMatchObject(unauthorized);
        }
      });
    });
  },
  { rateLimits: { perToken, perAddress, quotaOf: (organizationId) => quotas.get(organizationId) } },
);
