import { LoyaltyError, type Scope } from "loyalty-kit";
import { createClient, isLoyaltyError, type OrganizationCalls } from "loyalty-kit/client";
import { describe, expect, it } from "vitest";
import { openAcme } from "../kit/acme.js";
import { getErrorDetail, untyped } from "../kit/refusal.js";
import { createFetch, createHttpClient } from "./over-http.js";

/** Opens an organization with a user, a tag, a loyalty card and a stamp card, for the library and a client. */
async function openScene(grantedScopes?: readonly Scope[]) {
  const { acme, loyalty } = openAcme();
  const user = await acme.users.create({ email: "ada@example.com", externalId: "1" });
  await acme.tags.create({ name: "VIP" });
  await acme.tags.assign(user.id, "vip");
  const stamps = await acme.templates.create({ name: "Stamps", type: "STAMP_CARD", maxStamps: 3 });
  const points = await acme.templates.create({ name: "Points", type: "LOYALTY_CARD" });
  const card = await acme.passes.create(stamps.id, { userId: user.id });
  const plain = await acme.passes.create(points.id, { userId: user.id });
  const library =
    grantedScopes === undefined ? acme : loyalty.organization("acme", { scopes: grantedScopes });
  const client = createClient({
    url: "http://api/loyalty",
    token: "acme",
    fetch: createFetch(loyalty, grantedScopes),
  });
  return { library, client, ids: { user: user.id, template: stamps.id, card: card.id, plain: plain.id } };
}

type Ids = Awaited<ReturnType<typeof openScene>>["ids"];
type Work = (calls: OrganizationCalls, ids: Ids) => Promise<unknown>;

const expectedError: Readonly<Record<string, Work>> = {
  "unknown user": ({ users }) => users.get("nobody"),
  "no user": ({ users }) => users.get(""),
  "a user of two dots": ({ users }) => users.get(".."),
  "a tag of two dots": ({ tags }) => tags.users(".."),
  "an id with half a character": ({ users }) => users.get("\ud800"),
  "an id with NUL": ({ users }) => users.get("\0"),
  "an id that looks like a path": ({ users }) => users.get("../contacts?x=%20#"),
  "taken email": ({ users }) => users.create({ email: "ADA@example.com" }),
  "taken email and external id": ({ users }) => users.create({ email: "ada@example.com", externalId: "1" }),
  "missing fields": ({ users }) => users.create(untyped({})),
  "no input": ({ users }) => users.create(untyped(null)),
  "a string as input": ({ users }) => users.create(untyped("text")),
  "wrong fields": ({ users }) => users.create({ email: "none", name: " ", phone: "1".repeat(21) }),
  "wrong types": ({ users }) => users.create(untyped({ email: 1, metadata: [] })),
  "a lone surrogate in a field": ({ users }) => users.create({ email: "a@example.com", name: "\ud800" }),
  "known tag": ({ tags }) => tags.create({ name: "vip" }),
  "assigned tag": ({ tags }, { user }) => tags.assign(user, "vip"),
  "tag not assigned": ({ tags }, { user }) => tags.unassign(user, "gold"),
  "wrong nested filter": ({ tags }) =>
    tags.query({ filter: { operator: "AND", filters: [untyped({ operator: "and" })] } }),
  "query of an invalid size": ({ contacts }) => contacts.list({ size: 0 }),
  "query of a fractional page number": ({ contacts }) => contacts.list({ page: 1.5 }),
  "query of nothing": ({ contacts }) => contacts.list(untyped({ page: null, search: null })),
  "query with a lone surrogate": ({ contacts }) => contacts.list({ search: "\ud800" }),
  "query with an invalid sort order": ({ contacts }) => contacts.list(untyped({ sort: "phone,asc" })),
  "no event types": ({ events }) => events.list({ types: [] }),
  "no stamp card": ({ stamps }, { plain }) => stamps.add(plain),
  "too few stamps": ({ stamps }, { card }) => stamps.remove(card, { count: 1 }),
  "too many stamps": ({ stamps }, { card }) => stamps.set(card, { stamps: 3 }),
  "no reward": ({ stamps }, { card }) => stamps.redeem(card),
  "template in use": ({ templates }, { template }) => templates.delete(template),
  "pass never installed": ({ passes }, { card }) => passes.markUninstalled(card),
  "pass of another template": ({ passes }, { card }) => passes.get(card, { templateId: "tpl_1" }),
  "deleting a pass of another template": ({ passes }, { card }) =>
    passes.delete(card, { templateId: "tpl_1" }),
  "unknown code": ({ passes }) => passes.lookup("https://example.com/x"),
  "unknown token": ({ apiTokens }) => apiTokens.delete("akt_1"),
  "unknown endpoint": ({ webhooks }) => webhooks.rotateSecret("whe_1"),
  "endpoint without TLS": ({ webhooks }) => webhooks.create({ url: "http://example.com" }),
  "empty idempotency key": ({ tags }) => tags.create({ name: "Gold", idempotencyKey: "" }),
  "idempotency key that is not a string": ({ tags }) =>
    tags.create(untyped({ name: "Gold", idempotencyKey: 1 })),
};

/** Calls whose id can't be part of a path. The client finds nothing for them. */
const withoutPath: ReadonlySet<string> = new Set([
  "no user",
  "a user of two dots",
  "a tag of two dots",
  "an id with half a character",
]);

describe("a call over HTTP", () => {
  it.each(Object.entries(expectedError))("is refused as by the library: %s", async (name, work) => {
    const { library, client, ids } = await openScene();
    const getError = async (call: Promise<unknown>) => {
      const error = await call.catch((cause: unknown) => cause);
      if (!isLoyaltyError(error)) throw error;
      return error;
    };
    const libraryError = await getError(work(library, ids));
    const { detail, code, status, message, missing } = await getError(work(client, ids));
    const told = withoutPath.has(name) ? new LoyaltyError(libraryError.detail) : libraryError;
    expect({ code, status, missing }).toEqual({
      code: told.code,
      status: told.status,
      missing: told.missing,
    });
    const expected = libraryError.detail;
    if ("fields" in expected)
      expect(Object.keys(untyped(detail).fields)).toEqual(Object.keys(expected.fields));
    else {
      // A client doesn't know whose token it has, so it leaves out the hint.
      const expectedMessage = withoutPath.has(name)
        ? expect.stringContaining("isn't a valid ID or slug.")
        : told.message;
      expect({ detail, message }).toEqual({
        detail: expected,
        message:
          typeof expectedMessage === "string"
            ? expectedMessage.replace(/in "acme"\. .*/, "in this organization.")
            : expectedMessage,
      });
    }
  });

  it("names the missing scope", async () => {
    const { client, library } = await openScene(["user:read"]);
    const createGold: Work = ({ tags }) => tags.create({ name: "Gold" });
    expect(await getErrorDetail(createGold(client, untyped({})))).toEqual(
      await getErrorDetail(createGold(library, untyped({}))),
    );
  });

  it("is refused with an idempotency key if its HTTP method accepts none, and does nothing", async () => {
    const { client, library, ids } = await openScene();
    for (const call of [
      client.users.update(ids.user, { name: "Ada", idempotencyKey: "1" }),
      client.users.delete(ids.user, { idempotencyKey: "1" }),
      client.passes.delete(ids.card, { idempotencyKey: "1" }),
      client.passes.markInstalled(ids.card, { idempotencyKey: "1" }),
    ]) {
      expect(await getErrorDetail(call)).toMatchObject({ fields: { idempotencyKey: expect.any(String) } });
    }
    expect((await library.users.get(ids.user)).name).toBe(null);
  });

  it("returns the first result when repeated with its key, and a different call with that key is refused", async () => {
    const { client } = await openScene();
    for (const idempotencyKey of ["k", ' "quoted\\" ', "~".repeat(255)]) {
      const first = await client.users.create({
        email: `${idempotencyKey.length}@example.com`,
        idempotencyKey,
      });
      const secondUser = await client.users.create({
        email: `${idempotencyKey.length}@example.com`,
        idempotencyKey,
      });
      expect(secondUser).toEqual(first);
      const detail = await getErrorDetail(client.users.create({ email: "x@example.com", idempotencyKey }));
      expect(detail.code).toBe("idempotency_key_reused");
    }
  });

  it("lists what the library lists, and only of the token's organization", async () => {
    const { acme, loyalty } = openAcme();
    await acme.tags.create({ name: "VIP", description: "Zoë 🎈" });
    expect(await createHttpClient(loyalty, "acme").tags.list()).toEqual(await acme.tags.list());
    expect(await createHttpClient(loyalty, "other").tags.list()).toEqual([]);
  });
});
