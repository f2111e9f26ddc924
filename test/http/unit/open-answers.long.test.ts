import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { LoyaltyService, scopes } from "loyalty-kit";
import { apiTokens, createHttpApi } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import type { HttpResponse } from "../../../adapters/http/request/http-message.js";
import { ResponseLimits, SlotCounter } from "../../../adapters/http/response-limits.js";

const large = "x".repeat(200_000);

type Body = HttpResponse["body"];

/** Returns the pieces of a streamed body. */
function listPieces(body: Body): AsyncIterable<string | Uint8Array> {
  if (body === null || typeof body === "string" || body instanceof Uint8Array)
    throw new Error("there are none");
  return body;
}

async function readText(body: Body): Promise<string> {
  let text = "";
  for await (const piece of listPieces(body)) text += piece;
  return text;
}

async function* generateOnePiece(): AsyncGenerator<string, void, undefined> {
  yield "read";
}

function isGone(ref: WeakRef<object> | null): boolean {
  return ref !== null && ref.deref() === undefined;
}

describe("responses that may be large", () => {
  it("have slots for a token, and for all tokens of an organization", () => {
    const slots = new SlotCounter(2, 3);
    const [first] = [slots.acquire("a", "acme"), slots.acquire("a", "acme")];
    expect(slots.acquire("a", "acme")).toBeNull();
    expect(slots.acquire("b", "acme")).not.toBeNull();
    expect(slots.acquire("c", "acme")).toBeNull();
    expect(slots.acquire("c", "globex")).not.toBeNull();
    first?.();
    first?.();
    expect(slots.acquire("c", "acme")).not.toBeNull();
    expect(slots.acquire("c", "acme")).toBeNull();
  });

  it("need no slot if they turn out to be short", () => {
    const slots = new SlotCounter(0, 0);
    const open = new ResponseLimits(slots);
    expect(open.withSlot("short", "a", "acme")).toBe("short");
    expect(open.withSlot(null, "a", "acme")).toBeNull();
    expect(open.withSlot(large, "a", "acme")).toBeNull();
    expect(slots.size).toBe(0);
  });

  it("occupy a slot until they are read, abandoned or fail", async () => {
    const slots = new SlotCounter(1, 1);
    const open = new ResponseLimits(slots);
    const readBody = open.withSlot(large, "a", "acme");
    expect(open.withSlot(large, "a", "acme")).toBeNull();
    expect(await readText(readBody)).toBe(large);

    const unread = listPieces(open.withSlot(large, "a", "acme"));
    await unread[Symbol.asyncIterator]().return?.();

    const failingBody = open.withSlot(
      (async function* () {
        yield await Promise.reject<string>(new Error("broken"));
      })(),
      "a",
      "acme",
    );
    await expect(readText(failingBody)).rejects.toThrow("broken");
    expect(slots.size).toBe(0);
  });

  it("get no slot while 8 MiB of the organization are unread, whichever tokens requested them", async () => {
    const open = new ResponseLimits();
    const text = "ä".repeat(1_572_864);
    const unread = ["a", "b", "c"].map((token) => listPieces(open.withSlot(text, token, "acme")));
    expect(open.withSlot(large, "d", "acme")).toBeNull();
    expect(open.withSlot("short", "d", "acme")).toBe("short");
    expect(open.withSlot(large, "d", "globex")).not.toBeNull();
    const [first, second, third] = unread.map((pieces) => pieces[Symbol.asyncIterator]());
    // A body releases its slot once it has been read.
    for (let at = 0; at < 8; at += 1) await first?.next();
    expect(open.withSlot(large, "d", "acme")).toBeNull();
    for (let at = 0; at < 8; at += 1) await first?.next();
    const heldBody = open.withSlot(large, "d", "acme");
    expect(heldBody).not.toBeNull();
    for (const pieces of [first, second, third, listPieces(heldBody)[Symbol.asyncIterator]()]) {
      await pieces?.return?.();
      await pieces?.return?.();
    }
    for (let at = 0; at < 3; at += 1) expect(open.withSlot(text, "a", "acme")).not.toBeNull();
  });

  it("leave nothing in memory once they are read, even if the connection remains open", async () => {
    let pieces: WeakRef<object> | null = null;
    const body: AsyncIterable<string> = {
      [Symbol.asyncIterator]() {
        const iterator = generateOnePiece();
        pieces = new WeakRef(iterator);
        return iterator;
      },
    };
    const responseBody = new ResponseLimits().withSlot(body, "a", "acme");
    expect(await readText(responseBody)).toBe("read");
    setFlagsFromString("--expose-gc");
    const collect: unknown = runInNewContext("gc");
    if (typeof collect !== "function") throw new Error("it can't be asked for");
    await expect
      .poll(() => {
        collect();
        return isGone(pieces);
      })
      .toBe(true);
    expect(await listPieces(responseBody)[Symbol.asyncIterator]().next()).toMatchObject({ done: true });
  });

  it("come in pieces that split no character", async () => {
    const text = fc
      .string({ unit: "binary", minLength: 1, maxLength: 40 })
      .map((part) => part.repeat(20_000));
    await fc.assert(
      fc.asyncProperty(text, async (text) => {
        const bytes: Uint8Array[] = [];
        const body = new ResponseLimits().withSlot(text, "a", "acme");
        if (typeof body === "string") return;
        for await (const piece of listPieces(body)) bytes.push(Buffer.from(piece));
        expect(Buffer.concat(bytes).equals(Buffer.from(text))).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  /** Opens "acme" with users that cause large responses. `createCaller` creates callers with their own tokens. */
  async function openWideOrganization() {
    const loyalty = new LoyaltyService({ storage: memoryStorage() });
    const acme = loyalty.organization("acme");
    const fewScopes = ["user:read", "user_tag:read", "webhook:manage"] as const;
    const metadata = { text: "x".repeat(16_000) };
    const [user] = await Promise.all(
      Array.from({ length: 5 }, (_, at) => acme.users.create({ email: `${at}@example.com`, metadata })),
    );
    const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty) });
    const createCaller = async () => {
      const { token } = await acme.apiTokens.create({ name: "Test", scopes: fewScopes });
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      return (path: string, body?: unknown) => {
        const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
        return api.fetch(new Request(`https://api.example${path}`, { headers, ...init }));
      };
    };
    return { createCaller, user };
  }

  it.each([
    ["GET", "/v1/users", undefined],
    ["GET", "/v1/user-tags", undefined],
    ["GET", "/v1/templates", undefined],
    ["GET", "/v1/events", undefined],
    ["GET", "/v1/contacts?size=5", undefined],
    ["GET", "/v1/export", undefined],
    ["POST", "/v1/user-tags/query", { filter: { operator: "NOT", conditions: [{ slug: "none" }] } }],
  ])("occupy no slot while they are created, or if they are short: %s %s", async (_, path, body) => {
    const loyalty = new LoyaltyService({ storage: memoryStorage() });
    const acme = loyalty.organization("acme");
    await acme.users.create({ email: "ada@example.com" });
    const { token } = await acme.apiTokens.create({ name: "Test", scopes: [...scopes] });
    const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty) });
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const sendRequest = () => api.fetch(new Request(`https://api.example${path}`, { headers, ...init }));
    const unread = await Promise.all(Array.from({ length: 300 }, sendRequest));
    expect(new Set(unread.map(({ status }) => status))).toEqual(new Set([200]));
    const texts = new Set(await Promise.all(unread.slice(0, 3).map((response) => response.text())));
    for (const text of texts) expect(text.length).toBeLessThan(65_536);
  });

  it.each([
    ["lists", "/v1/users", undefined],
    ["pages", "/v1/events", undefined],
    ["tag queries", "/v1/user-tags/query", { filter: { operator: "NOT", conditions: [{ slug: "none" }] } }],
  ])("are refused with 429 over HTTP while 8 of a token are unread: %s", async (_, path, body) => {
    const { createCaller, user } = await openWideOrganization();
    const ask = await createCaller();
    const unread = await Promise.all(Array.from({ length: 8 }, () => ask(path, body)));
    expect(unread.map(({ status }) => status)).toEqual(Array(8).fill(200));
    const errorResponse = await ask(path, body);
    expect([errorResponse.status, errorResponse.headers.get("retry-after")]).toEqual([429, "1"]);
    // A short response is still sent.
    expect((await ask(`/v1/users/${user?.id}`)).status).toBe(200);
    expect((await ask("/v1/events?limit=2")).status).toBe(200);
    for (const response of unread) await response.body?.cancel();
    expect((await ask(path, body)).status).toBe(200);
  });

  it("are refused with 429 over HTTP while 32 of the organization are unread", async () => {
    const { createCaller } = await openWideOrganization();
    const unread: Response[] = [];
    for (let token = 0; token < 4; token += 1) {
      const ask = await createCaller();
      for (let at = 0; at < 8; at += 1) unread.push(await ask("/v1/events"));
    }
    expect(unread.map(({ status }) => status)).toEqual(Array(32).fill(200));
    const other = await createCaller();
    expect((await other("/v1/events")).status).toBe(429);
    await unread[0]?.text();
    expect((await other("/v1/events")).status).toBe(200);
  });

  it("include pages of events, which come in pieces", async () => {
    const loyalty = new LoyaltyService({ storage: memoryStorage() });
    const acme = loyalty.organization("acme");
    const { token } = await acme.apiTokens.create({ name: "Reader", scopes: ["webhook:manage"] });
    const metadata = { text: "x".repeat(1_000) };
    for (let at = 0; at < 200; at += 1) await acme.users.create({ email: `${at}@example.com`, metadata });
    const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty) });
    const headers = { authorization: `Bearer ${token}` };
    const response = await api.fetch(new Request("https://api.example/v1/events?limit=1000", { headers }));
    const pieces: string[] = [];
    const decoder = new TextDecoder();
    for await (const piece of response.body ?? []) pieces.push(decoder.decode(piece, { stream: true }));
    expect(JSON.parse(pieces.join(""))).toEqual(await acme.events.list({ limit: 1_000 }));
    expect(pieces.length).toBeGreaterThan(3);
    // Each piece has whole events: it is not cut from the text of the whole page.
    for (const piece of pieces.slice(1)) expect(piece).toMatch(/^[[,]/);
  });
});
