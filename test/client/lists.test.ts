import fc from "fast-check";
import type { User } from "loyalty-kit";
import { ConnectionError } from "loyalty-kit/client";
import { describe, expect, it } from "vitest";
import { ItemSplitter } from "../../adapters/http/client/connection.js";
import { collect } from "../kit/collect.js";
import { getErrorDetail, notFound } from "../kit/refusal.js";
import { runs } from "../properties/runs.js";
import { createClientInPieces } from "./in-pieces.js";
import { loseRequest, openDisturbed } from "./over-http.js";

function listInPieces(...pieces: (string | Uint8Array | Error)[]) {
  const utf8 = new TextEncoder();
  const encodedPieces = pieces.map((piece) => (typeof piece === "string" ? utf8.encode(piece) : piece));
  const { client, progress } = createClientInPieces(...encodedPieces);
  return { users: client.users.list(), progress };
}

describe("a streamed list", () => {
  it("has the same items as the library's list", async () => {
    const { client, acme } = openDisturbed([loseRequest]);
    for (let count = 0; count < 120; count += 1) {
      await acme.users.create({
        email: `${count}@example.com`,
        name: 'B"[{\\"',
        metadata: { a: [{ b: ["]"] }] },
      });
    }
    expect(await collect(client.users.list())).toEqual(await collect(acme.users.list()));
  });

  it("is empty if there are no items", async () => {
    const { client } = openDisturbed([]);
    expect(await collect(client.users.list())).toEqual([]);
  });

  it("is refused at the first step", async () => {
    const { client } = openDisturbed([]);
    expect(await getErrorDetail(client.tags.users("vip"))).toEqual(notFound);
  });

  it("returns each item as soon as it has arrived, and reads no further", async () => {
    const { users, progress } = listInPieces('[{"id":"1"},{"i', 'd":"2"}', ',{"id":"3"}]');
    const items = users[Symbol.asyncIterator]();
    expect((await items.next()).value).toEqual({ id: "1" });
    expect(progress.read).toBe(1);
    expect((await items.next()).value).toEqual({ id: "2" });
    expect(progress.read).toBe(3);
  });

  it("is abandoned when its reader stops", async () => {
    const { users, progress } = listInPieces('[{"id":"1"},', '{"id":"2"}]');
    for await (const _ of users) break;
    expect(progress.isAbandoned).toBe(true);
  });

  it.each([
    ["breaks off", ['[{"id":"1"},', new TypeError("terminated")]],
    ["ends too early", ['[{"id":"1"},']],
    ["continues after its end", ['[{"id":"1"},{"id":"2"}]', ",x"]],
    ["isn't a list", ['{"id":"1","name":"2"}']],
    ["is empty", [""]],
  ])("throws when it %s, after the items that have arrived", async (_, pieces) => {
    const { users } = listInPieces(...pieces);
    const receivedUsers: User[] = [];
    const reading = (async () => {
      for await (const user of users) receivedUsers.push(user);
    })();
    await expect(reading).rejects.toThrow(ConnectionError);
    expect(receivedUsers.length).toBeLessThanOrEqual(2);
  });

  it("has the same items wherever its text is cut", () => {
    const json = fc.array(fc.jsonValue());
    fc.assert(
      fc.property(json, fc.integer({ min: 1, max: 9 }), fc.constantFrom(0, 2), (items, length, space) => {
        const text = JSON.stringify(items, null, space);
        const splitter = new ItemSplitter();
        const texts: string[] = [];
        for (let at = 0; at < text.length; at += length)
          texts.push(...splitter.push(text.slice(at, at + length)));
        expect(texts.map((item) => JSON.parse(item))).toEqual(JSON.parse(text));
        expect(splitter.isComplete).toBe(true);
      }),
      runs(500),
    );
  });

  it("may be cut inside a character", async () => {
    const bytes = new TextEncoder().encode('[{"name":"Zoë 🎈"}]');
    const { users } = listInPieces(...[...bytes].map((byte) => Uint8Array.of(byte)));
    expect(await collect(users)).toEqual([{ name: "Zoë 🎈" }]);
  });
});

describe.each(["library", "client"] as const)("a list of the %s", (caller) => {
  async function openOrganization() {
    const { client, acme } = openDisturbed([]);
    return { calls: caller === "library" ? acme : client, acme };
  }

  it("is a page when awaited, and all its items when iterated", async () => {
    const { calls, acme } = await openOrganization();
    await acme.tags.create({ name: "VIP" });
    for (let count = 0; count < 25; count += 1) {
      const { id } = await acme.users.create({ email: `${count}@example.com` });
      await acme.tags.assign(id, "vip");
    }
    const sort = "createdAt,asc" as const;
    expect((await calls.contacts.list({ size: 10, sort })).content).toHaveLength(10);
    const emails = Array.from({ length: 25 }, (_, count) => `${count}@example.com`);
    expect((await collect(calls.contacts.list({ size: 10, sort }))).map(({ email }) => email)).toEqual(
      emails,
    );
    expect(await collect(calls.contacts.list({ size: 10, sort, page: 1 }))).toHaveLength(15);
    const filter = { operator: "AND", conditions: [{ slug: "vip" }] } as const;
    expect((await collect(calls.tags.query({ filter, size: 4 }))).map(({ email }) => email)).toEqual(emails);
    expect(await collect(calls.segments.query({ filter, size: 25 }))).toHaveLength(25);
  });

  it("that is streamed is its first 50 items when awaited, and all items each time it is iterated", async () => {
    const { calls, acme } = await openOrganization();
    await acme.tags.create({ name: "VIP" });
    const emails = Array.from({ length: 50 }, (_, count) => `${count}@example.com`);
    await acme.users.import(emails.map((email) => ({ email, tags: ["vip"] })));
    for (const list of [() => calls.users.list(), () => calls.tags.users("vip")]) {
      const users = list();
      const { content, hasMore } = await users;
      expect([content.map(({ email }) => email), hasMore]).toEqual([emails, false]);
      expect(await collect(users)).toEqual(content);
    }
    const lateUser = await acme.users.create({ email: "late@example.com" });
    const users = calls.users.list();
    const { content, hasMore } = await users;
    expect([content.length, hasMore]).toEqual([50, true]);
    expect(await users).toEqual({ content, hasMore });
    for (let time = 0; time < 2; time += 1) expect(await collect(users)).toEqual([...content, lateUser]);
    expect(await getErrorDetail(calls.tags.users("none"))).toEqual(notFound);
    await expect(calls.tags.users("none").catch(() => "caught")).resolves.toBe("caught");
    let isOver = false;
    await calls.users.list().finally(() => {
      isOver = true;
    });
    expect(isOver).toBe(true);
  });

  it("without pages is an array when awaited", async () => {
    const { calls, acme } = await openOrganization();
    for (const name of ["VIP", "Regular"]) await acme.tags.create({ name });
    expect(await collect(calls.tags.list())).toEqual(await calls.tags.list());
    expect(await collect(calls.templates.list())).toEqual([]);
  });

  it("continues after a page's cursor, to the end", async () => {
    const { calls, acme } = await openOrganization();
    for (let count = 0; count < 7; count += 1) await acme.tags.create({ name: `Tag ${count}` });
    const eventTypes = (await collect(calls.events.list({ limit: 3 }))).map(({ type }) => type);
    expect(eventTypes).toEqual(Array.from({ length: 7 }, () => "user_tag.created"));
    expect(await collect(calls.events.list({ limit: 3, newest: true }))).toHaveLength(3);
    expect(await collect(calls.audit.list({ limit: 1 }))).toHaveLength(
      (await calls.audit.list()).content.length,
    );
  });

  it("is refused as the call is, and reads a page only when its items are needed", async () => {
    const { calls, acme } = await openOrganization();
    expect(await getErrorDetail(collect(calls.tags.ofUser("nobody")))).toEqual(notFound);
    for (let count = 0; count < 4; count += 1) await acme.users.create({ email: `${count}@example.com` });
    for await (const { email } of calls.contacts.list({ size: 2 })) {
      expect(email).toMatch(/@/);
      break;
    }
    expect(await getErrorDetail(collect(calls.contacts.list({ size: 0 })))).toMatchObject({
      code: "validation_failed",
    });
  });
});
