import type { RateQuota } from "loyalty-kit/http";
import { describe, expect, test } from "vitest";
import { shortenTimers } from "../kit/hurried-timers.js";
import { denied, notFound, tooManyRequests, unauthorized } from "./answers.js";
import { type FullResponse, jsonHeaders } from "./client.js";
import { testOnEveryMount } from "./every-mount.js";

const perToken = { requests: 5, seconds: 60 };
const perAddress = { requests: 3, seconds: 30 };

/** The quotas of organizations with their own quota. */
const quotas = new Map<string, RateQuota>();

const readLimits = ({ headers }: Pick<FullResponse, "headers">) => ({
  policy: headers.get("ratelimit-policy"),
  limit: headers.get("ratelimit"),
  retryAfter: headers.get("retry-after"),
});
const none = { policy: null, limit: null, retryAfter: null };
const remainingHeaders = (requests: number, seconds = 60) => ({
  policy: '"default";q=5;w=60',
  limit: `"default";r=${requests};t=${seconds}`,
  retryAfter: null,
});
const exceededHeaders = (seconds: number) => ({
  ...remainingHeaders(0, seconds),
  retryAfter: String(seconds),
});

let addresses = 0;

// The response to a client that was refused before is delayed by a second.
shortenTimers(1_000);

testOnEveryMount(
  (http) => {
    const templates = "/v1/templates";

    /**
     * Creates a caller without a valid token, from a new address. If no header sets the address, moves the clock past
     * the window instead.
     */
    const createStranger = (token: string | null = "x") => {
      const { addressHeader } = http.mount;
      if (addressHeader === null) http.clock.move(perAddress.seconds * 1_000);
      addresses += 1;
      const address = `203.0.${Math.floor(addresses / 256)}.${addresses % 256}`;
      const headers = addressHeader === null ? {} : { [addressHeader]: address };
      return {
        get: () => http.client(token).send("GET", templates, { headers }),
        getAs: (other: string) => http.client(other).send("GET", templates, { headers }),
      };
    };

    const useUp = async (get: () => Promise<FullResponse>, requests: number) => {
      for (let count = 0; count < requests; count += 1) await get();
    };

    describe("the requests of a token", () => {
      test("are counted in a window that starts with the first one, and refused once the quota is used up", async () => {
        const { send } = await http.createOrganization();
        for (const remaining of [4, 3, 2]) {
          expect(readLimits(await send("GET", templates))).toEqual(remainingHeaders(remaining));
        }
        http.clock.move(20_500);
        expect(readLimits(await send("GET", templates))).toEqual(remainingHeaders(1, 40));
        expect(readLimits(await send("GET", templates))).toEqual(remainingHeaders(0, 40));
        const errorResponse = await send("GET", templates);
        expect(errorResponse).toMatchObject(tooManyRequests);
        expect(readLimits(errorResponse)).toEqual(exceededHeaders(40));
        http.clock.move(39_499);
        expect(readLimits(await send("GET", templates))).toEqual(exceededHeaders(1));
        http.clock.move(1);
        expect(readLimits(await send("GET", templates))).toEqual(remainingHeaders(4));
      });

      test("succeed in a parallel burst until exactly the quota is used up", async () => {
        const { send } = await http.createOrganization();
        const responses = await Promise.all(Array.from({ length: 20 }, () => send("GET", templates)));
        const passedResponses = responses.filter(({ status }) => status === 200);
        expect(passedResponses.map((response) => readLimits(response).limit).sort()).toEqual(
          [0, 1, 2, 3, 4].map((remaining) => remainingHeaders(remaining).limit),
        );
        for (const errorResponse of responses.filter(({ status }) => status !== 200)) {
          expect(errorResponse).toMatchObject(tooManyRequests);
        }
      });

      test("are counted separately from those of the organization's other tokens", async () => {
        const { send, createToken } = await http.createOrganization();
        await useUp(() => send("GET", templates), 6);
        const other = http.client(await createToken("template:read"));
        expect(readLimits(await other.send("GET", templates))).toEqual(remainingHeaders(4));
      });

      test("have their organization's own quota from the moment it has one", async () => {
        const { send, acme } = await http.createOrganization();
        await send("GET", templates);
        quotas.set(acme.id, { requests: 2, seconds: 7 });
        expect(readLimits(await send("GET", templates)).limit).toBe('"default";r=0;t=60');
        const errorResponse = await send("GET", templates);
        expect(errorResponse).toMatchObject(tooManyRequests);
        expect(readLimits(errorResponse).policy).toBe('"default";q=2;w=7');
      });
    });

    describe("every response to a valid token has the rate limit headers", () => {
      test("whatever its status", async () => {
        const { send, acme } = await http.createOrganization();
        quotas.set(acme.id, { requests: 20, seconds: 60 });
        const user = await acme.users.create({ email: "ada@example.com" });
        const jsonBody = (body: unknown) => ({ headers: jsonHeaders, body: JSON.stringify(body) });
        const responses = [
          await send("GET", "/v1/users"),
          await send("POST", "/v1/users", jsonBody({ email: "bob@example.com" })),
          await send("DELETE", `/v1/users/${user.id}`),
          await send("GET", "/v1/users/nobody"),
          await send("GET", "/v1/contacts?page=x"),
          await send("POST", "/v1/users", jsonBody({ email: "bob@example.com" })),
          await send("POST", "/v1/users", { headers: { "content-type": "text/plain" }, body: "x" }),
          await send("POST", "/v1/users", jsonBody({})),
          await send("HEAD", templates),
        ];
        expect(responses.map(({ status }) => status)).toEqual([200, 201, 204, 404, 400, 409, 415, 422, 200]);
        expect(responses.map((response) => readLimits(response).limit)).toEqual(
          responses.map((_answer, at) => `"default";r=${19 - at};t=60`),
        );
      });

      test("except where the token is not checked", async () => {
        const { send, sendPlainly } = await http.createOrganization();
        for (const [method, path] of [
          ["GET", "/v1/openapi.json"],
          ["GET", "/v1/nothing"],
          ["PUT", "/v1/users"],
        ] as const) {
          expect(readLimits(await sendPlainly(method, path)), path).toEqual(none);
        }
        expect(readLimits(await send("GET", templates))).toEqual(remainingHeaders(4));
      });
    });

    describe("the rate limit of a token is applied", () => {
      test("before scope, parameters and body are checked", async () => {
        const { createToken } = await http.createOrganization();
        const { send } = http.client(await createToken("api_token:manage"));
        expect(await send("GET", templates)).toMatchObject(denied("template:read"));
        await useUp(() => send("GET", templates), 4);
        expect(await send("GET", templates)).toMatchObject(tooManyRequests);
        expect(await send("GET", "/v1/users/%zz")).toMatchObject(tooManyRequests);
        const body = " ".repeat(1_048_577);
        expect(await send("POST", "/v1/users", { headers: jsonHeaders, body })).toMatchObject(
          tooManyRequests,
        );
      });

      test("after path and token are checked", async () => {
        const { send, acme, token } = await http.createOrganization();
        await useUp(() => send("GET", templates), 5);
        expect(await send("GET", "/v1/nothing")).toMatchObject(notFound);
        expect(await send("DELETE", templates)).toMatchObject({ status: 405 });
        const [issuedToken] = await acme.apiTokens.list();
        await acme.apiTokens.delete(issuedToken?.id ?? "");
        expect(await createStranger(token).get()).toMatchObject(unauthorized);
      });

      test("also to a HEAD request, without a response body", async () => {
        const { send } = await http.createOrganization();
        await useUp(() => send("GET", templates), 5);
        const { status, body, headers } = await send("HEAD", templates);
        expect({ status, body }).toEqual({ status: 429, body: undefined });
        expect(readLimits({ headers })).toEqual(exceededHeaders(60));
      });
    });

    describe("requests without a valid token", () => {
      test.each([{ token: "x" }, { token: null }])(
        "are refused when their address has used up its quota: $token",
        async ({ token }) => {
          const { get } = createStranger(token);
          for (let count = 0; count < 3; count += 1) {
            const response = await get();
            expect(response).toMatchObject(unauthorized);
            expect(readLimits(response)).toEqual(none);
          }
          http.clock.move(10_001);
          const errorResponse = await get();
          expect(errorResponse).toMatchObject(tooManyRequests);
          expect(readLimits(errorResponse)).toEqual({ ...none, retryAfter: "20" });
          http.clock.move(19_999);
          expect(await get()).toMatchObject(unauthorized);
        },
      );

      test("never block a valid token from the same address", async () => {
        const { token } = await http.createOrganization();
        const { get, getAs } = createStranger();
        await useUp(get, 4);
        expect(readLimits(await getAs(token))).toEqual(remainingHeaders(4));
        expect(await get()).toMatchObject(tooManyRequests);
      });

      if (http.mount.addressHeader === null) return;

      test("are counted for each address, as the host knows it", async () => {
        const { get } = createStranger();
        await useUp(get, 4);
        expect(await get()).toMatchObject(tooManyRequests);
        expect(await createStranger().get()).toMatchObject(unauthorized);
      });

      test("are counted for each address, whatever port a proxy adds to it", async () => {
        const { addressHeader = "" } = http.mount;
        let port = 49_152;
        for (const [address, other] of [
          ["203.1.113.7", "203.1.113.8"],
          ["[2001:db8:1:2::7]", "[2001:db8:9:9::7]"],
        ]) {
          const getFrom = (addressPrefix = "") => {
            port += 1;
            return http
              .client("x")
              .send("GET", templates, { headers: { [addressHeader ?? ""]: `${addressPrefix}:${port}` } });
          };
          await useUp(() => getFrom(address), 4);
          expect(await getFrom(address)).toMatchObject(tooManyRequests);
          expect(await getFrom(other)).toMatchObject(unauthorized);
        }
      });
    });
  },
  { rateLimits: { perToken, perAddress, quotaOf: (organizationId) => quotas.get(organizationId) } },
);
