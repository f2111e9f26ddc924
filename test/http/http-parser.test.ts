import { describe, expect, test } from "vitest";
import { malformed, ok, unauthorized } from "./answers.js";
import { testOnEveryMount } from "./every-mount.js";
import { buildHead, exchangeBytes, parseResponse, sendAndEnd } from "./raw-socket.js";

testOnEveryMount(
  (http) => {
    const path = `${http.mount.prefix}/v1/templates`;
    const authorizationHeader = (token: string) => `Authorization: Bearer ${token}`;

    describe("a token of 1 MB", () => {
      test("is refused, and the API continues to work", async () => {
        const { call } = await http.createOrganization();
        const headers = [authorizationHeader("x".repeat(1_000_000))];
        const response = await exchangeBytes(http.port, buildHead({ path, headers }));
        // The connection may be reset before the whole head is sent, which loses the response.
        if (response !== "") expect([400, 401, 431]).toContain(Number(response.split(" ")[1]));
        expect(await call("GET", "/v1/templates")).toEqual(ok([]));
      });
    });

    describe("bytes that are not HTTP", () => {
      test("don't affect later requests", async () => {
        const { call } = await http.createOrganization();
        for (const bytes of [
          "",
          "x",
          "\0\0\0",
          "GET\r\n\r\n",
          "GET / HTTP/9.9\r\n\r\n",
          "\x16\x03\x01\x02",
          "{}\r\n\r\n",
        ]) {
          await sendAndEnd(http.port, bytes);
        }
        expect(await call("GET", "/v1/templates")).toEqual(ok([]));
      });
    });

    describe("an unusual request target", () => {
      test("gets a response, and the API continues to work", async () => {
        const { token, call } = await http.createOrganization();
        for (const target of [
          "*",
          "//",
          "/\\",
          "http://",
          "http://[/v1",
          "/v1/users?%",
          "///v1/users",
          "x",
          "/v1/../v1/users",
          "/v1/%",
        ]) {
          const response = await exchangeBytes(
            http.port,
            buildHead({ path: target, headers: [authorizationHeader(token)] }),
          );
          expect(Number(response.split(" ")[1]), target).toBeLessThan(500);
        }
        expect(await call("GET", "/v1/templates")).toEqual(ok([]));
      });

      test("with bytes that should be percent-encoded is malformed", async () => {
        const { token } = await http.createOrganization();
        for (const bytes of [[0xff], [0xc3, 0xa9], [0x80]]) {
          const request = buildHead({
            path: `${http.mount.prefix}/v1/users/@`,
            headers: [authorizationHeader(token)],
          });
          const [before = "", after = ""] = request.split("@");
          const response = await exchangeBytes(http.port, before, new Uint8Array(bytes), after);
          expect(Number(response.split(" ")[1]), bytes.join()).toBe(400);
        }
      });

      test("may be an absolute URL", async () => {
        const { token } = await http.createOrganization();
        const absolute = buildHead({
          path: `http://api.example${path}`,
          headers: [authorizationHeader(token)],
        });
        const { status } = parseResponse(await exchangeBytes(http.port, absolute));
        expect(status).toBeLessThan(500);
      });
    });

    describe("an ambiguous request", () => {
      const buildGet = (...lines: string[]) => `GET ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`;
      const close = "Connection: close";

      test.each([
        ["two Host headers", buildGet("Host: a.example", "Host: b.example", close)],
        ["the same Host header twice", buildGet("Host: a.example", "host: a.example", close)],
        ["two hosts in one Host header", buildGet("Host: a.example, b.example", close)],
        ["an invalid host", buildGet("Host: a.example/x@y", close)],
        ["no host", buildGet(close)],
        [
          "two content lengths",
          `${buildGet("Host: a", "Content-Length: 3", "Content-Length: 4", close)}abcd`,
        ],
        [
          "the same content length twice",
          `${buildGet("Host: a", "Content-Length: 3", "Content-Length: 3", close)}abc`,
        ],
        [
          "a content length with chunked encoding",
          `${buildGet("Host: a", "Content-Length: 3", "Transfer-Encoding: chunked", close)}abc`,
        ],
        [
          "chunked encoding before another encoding",
          buildGet("Host: a", "Transfer-Encoding: chunked, gzip", close),
        ],
        ["a content length with a sign", `${buildGet("Host: a", "Content-Length: +3", close)}abc`],
      ])("is refused: %s", async (_what, request) => {
        const response = await exchangeBytes(http.port, request);
        expect(response).toMatch(/^HTTP\/1\.1 400 /);
        if (http.mount.ownsServer) expect(parseResponse(response)).toMatchObject(malformed);
      });

      test.each([
        "a.example",
        "a.example:8080",
        "[::1]:80",
        "",
        "under_score.example",
        "xn--bcher-kva.example",
      ])("doesn't include a request with one host: %j", async (host) => {
        // Hono builds a URL from the host, which can't be empty.
        if (host === "" && http.mount.name.startsWith("Hono")) return;
        expect(await exchangeBytes(http.port, buildGet(`Host: ${host}`, close))).toMatch(/^HTTP\/1\.1 401 /);
      });
    });

    if (!http.mount.ownsServer) return;

    describe("a request that the HTTP parser refuses", () => {
      const headTooLarge = { status: 431, body: malformed.body };

      test("gets an error in the general format", async () => {
        for (const bytes of ["GET\r\n\r\n", "x y z\r\n\r\n", buildHead({ path, headers: ["bad header"] })]) {
          const response = await exchangeBytes(http.port, bytes);
          expect(parseResponse(response), bytes).toMatchObject(malformed);
          expect(response.toLowerCase()).toContain("content-type: application/json");
        }
      });

      test("gets a 431 if its head is too large", async () => {
        const headers = [`X-Long: ${"x".repeat(20_000)}`];
        expect(parseResponse(await exchangeBytes(http.port, buildHead({ path, headers })))).toMatchObject(
          headTooLarge,
        );
        const long = buildHead({ path: `/v1/users?${"x".repeat(20_000)}` });
        expect(parseResponse(await exchangeBytes(http.port, long))).toMatchObject(headTooLarge);
      });

      test("includes an HTTP/1.1 request without a host", async () => {
        expect(
          parseResponse(
            await exchangeBytes(http.port, "GET /v1/users HTTP/1.1\r\nConnection: close\r\n\r\n"),
          ),
        ).toMatchObject(malformed);
        expect(parseResponse(await exchangeBytes(http.port, "GET /v1/users HTTP/1.0\r\n\r\n"))).toMatchObject(
          unauthorized,
        );
      });
    });
  },
  { only: ({ hasSocket }) => hasSocket },
);
