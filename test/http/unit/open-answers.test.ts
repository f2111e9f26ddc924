import fc from "fast-check";
import { LoyaltyService } from "loyalty-kit";
import { apiTokens, createHttpApi } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { OpenAnswers } from "../../../adapters/http/open-answers.js";

const large = "x".repeat(200_000);

async function textOf(body: string | AsyncIterable<string>): Promise<string> {
  if (typeof body === "string") return body;
  let text = "";
  for await (const piece of body) text += piece;
  return text;
}

describe("answers that may be large", () => {
  it("have places for a token, and for all tokens of an organization", () => {
    const open = new OpenAnswers(2, 3);
    const [first] = [open.begin("a", "acme"), open.begin("a", "acme")];
    expect(open.begin("a", "acme")).toBeNull();
    expect(open.begin("b", "acme")).not.toBeNull();
    expect(open.begin("c", "acme")).toBeNull();
    expect(open.begin("c", "globex")).not.toBeNull();
    first?.close();
    first?.close();
    expect(open.begin("c", "acme")).not.toBeNull();
    expect(open.begin("c", "acme")).toBeNull();
  });

  it("give their place back when they turn out short", () => {
    const open = new OpenAnswers(1);
    expect(open.begin("a", "acme")?.holding("short")).toBe("short");
    expect(open.begin("a", "acme")?.holding(null)).toBeNull();
    expect(open.size).toBe(0);
  });

  it("keep it until they are read, are given up, or fail", async () => {
    const open = new OpenAnswers(1);
    const read = open.begin("a", "acme")?.holding(large);
    expect(open.begin("a", "acme")).toBeNull();
    expect(await textOf(read ?? "")).toBe(large);

    const unread = open.begin("a", "acme")?.holding(large);
    if (typeof unread === "string" || unread === undefined) throw new Error("it is large");
    await unread[Symbol.asyncIterator]().return?.();

    const failing = open.begin("a", "acme")?.holding(
      (async function* () {
        yield await Promise.reject<string>(new Error("broken"));
      })(),
    );
    await expect(textOf(failing ?? "")).rejects.toThrow("broken");
    expect(open.size).toBe(0);
  });

  it("come in pieces that break no character", async () => {
    const text = fc
      .string({ unit: "binary", minLength: 1, maxLength: 40 })
      .map((part) => part.repeat(20_000));
    await fc.assert(
      fc.asyncProperty(text, async (text) => {
        const bytes: Uint8Array[] = [];
        const body = new OpenAnswers().begin("a", "acme")?.holding(text) ?? "";
        if (typeof body === "string") return;
        for await (const piece of body) bytes.push(Buffer.from(piece));
        expect(Buffer.concat(bytes).equals(Buffer.from(text))).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it("are refused with 429 over HTTP while nobody reads those before", async () => {
    const loyalty = new LoyaltyService({ storage: memoryStorage() });
    const acme = loyalty.organization("acme");
    const { token } = await acme.apiTokens.create({ name: "Test", scopes: ["user:read"] });
    const metadata = { text: "x".repeat(16_000) };
    for (let at = 0; at < 5; at += 1) await acme.users.create({ email: `${at}@example.com`, metadata });
    const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty) });
    const get = () =>
      api.fetch(new Request("http://x/v1/users", { headers: { authorization: `Bearer ${token}` } }));
    const unread = await Promise.all(Array.from({ length: 64 }, get));
    const refused = await get();
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
    for (const answer of unread) await answer.body?.cancel();
    expect((await get()).status).toBe(200);
  });

  it("are pages of events too, which come in pieces", async () => {
    const loyalty = new LoyaltyService({ storage: memoryStorage() });
    const acme = loyalty.organization("acme");
    const { token } = await acme.apiTokens.create({ name: "Reader", scopes: ["webhook:manage"] });
    const metadata = { text: "x".repeat(1_000) };
    for (let at = 0; at < 200; at += 1) await acme.users.create({ email: `${at}@example.com`, metadata });
    const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty) });
    const headers = { authorization: `Bearer ${token}` };
    const answer = await api.fetch(new Request("https://api.example/v1/events?limit=1000", { headers }));
    const pieces: string[] = [];
    const decoder = new TextDecoder();
    for await (const piece of answer.body ?? []) pieces.push(decoder.decode(piece, { stream: true }));
    expect(JSON.parse(pieces.join(""))).toEqual(await acme.events.list({ limit: 1_000 }));
    expect(pieces.length).toBeGreaterThan(3);
    // Each has whole events: none is cut from the text of all.
    for (const piece of pieces.slice(1)) expect(piece).toMatch(/^[[,]/);
  });
});
