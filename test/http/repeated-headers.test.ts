import { request } from "node:http";
import type { HttpExtension } from "loyalty-kit/http";
import { expect, it } from "vitest";
import { type HttpUnderTest, testOnEveryMount } from "./every-mount.js";

const secure: HttpExtension = {
  paths: ["/secure"],
  handle: async ({ isHttps }) => ({ status: 200, headers: {}, body: String(isHttps ?? false) }),
};

interface RequestInput {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body?: string;
}

/** Sends each value of a header on its own line, if the mount has a socket. */
async function sendHeaderLines(
  { served: server }: HttpUnderTest,
  { method, path, headers, body }: RequestInput,
): Promise<{ readonly status: number; readonly text: string }> {
  const url = `${server.baseUrl}${path}`;
  if (server.port === null) {
    const lines = Object.entries(headers).flatMap(([name, values]) =>
      [values].flat().map((value): [string, string] => [name, value]),
    );
    const response = await server.fetch(url, { method, headers: lines, ...(body && { body }) });
    return { status: response.status, text: await response.text() };
  }
  return new Promise((resolve, reject) => {
    const clientRequest = request(
      url,
      { method, headers: { ...headers, connection: "close" } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
        );
      },
    );
    clientRequest.on("error", reject);
    clientRequest.end(body);
  });
}

testOnEveryMount(
  (http) => {
    const postWith = async (headers: RequestInput["headers"]) => {
      const { acme, token } = await http.createOrganization();
      const { status, text } = await sendHeaderLines(http, {
        method: "POST",
        path: "/v1/user-tags",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
        body: '{"name":"VIP"}',
      });
      return {
        status,
        fields: Object.keys(JSON.parse(text).STANDARD_VALIDATION ?? {}),
        tags: (await acme.tags.list()).length,
      };
    };

    it.each([
      [["one", "two"]],
      [["one", "one"]],
      [['"one"', '"two"']],
      [["one", '"two"']],
      [['"one"', "two"]],
      [["one, two"]],
    ])(
      "refuses an idempotency key in several headers, or in one that may have been several: %j",
      async (keys) => {
        const expectedError = { status: 422, fields: ["Idempotency-Key"], tags: 0 };
        expect(await postWith({ "idempotency-key": keys })).toEqual(expectedError);
      },
    );

    it("accepts an idempotency key with a comma in quotes, or with a comma that no space follows", async () => {
      expect(await postWith({ "idempotency-key": "one,two" })).toMatchObject({ status: 201, tags: 1 });
      expect(await postWith({ "idempotency-key": '"one, two"' })).toMatchObject({ status: 201, tags: 1 });
    });

    it.each([[["subject=ada", "subject=bob"]], [["subject=ada", "location=Harbour"]]])(
      "refuses an actor in several headers: %j",
      async (actors) => {
        const expectedError = { status: 422, fields: ["Loyalty-Actor"], tags: 0 };
        expect(await postWith({ "loyalty-actor": actors })).toEqual(expectedError);
      },
    );

    it.each([
      [["https"], true],
      [["http"], false],
      [["https, http"], true],
      [["https,http"], true],
      [["HTTPS , http"], true],
      [["https", "http"], true],
      [["http, https"], false],
      [["http", "https"], false],
      [["httpsx"], false],
      [[""], false],
    ])("uses the first protocol that trusted proxies report: %j", async (protocols, isHttps) => {
      // Express and Fastify report the client's protocol; nothing does for fetch and Hono.
      const { addressHeader, name } = http.mount;
      const isTrusting = addressHeader !== null && !/fetch|Hono/.test(name);
      const { text } = await sendHeaderLines(http, {
        method: "GET",
        path: "/secure",
        headers: { "x-forwarded-proto": protocols },
      });
      expect(text).toBe(String(isTrusting ? isHttps : http.served.baseUrl.startsWith("https:")));
    });
  },
  { extensions: () => [secure] },
);
