import { type Organization, type RotateApiToken, scopes } from "loyalty-kit";
import { apiTokens, createHttpApi } from "loyalty-kit/http";
import { describe, expect, it } from "vitest";
import { organizationInternals } from "../../src/internals.js";
import { openAcme } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";

/** More users than are read at a time. */
const USERS = 1_100;

async function openShop(open: (typeof everyAdapter)[number]["open"]) {
  const shop = openAcme({ storage: await open() });
  await shop.acme.tags.create({ name: "VIP" });
  const metadata = { note: "x".repeat(200) };
  await shop.acme.users.import(
    Array.from({ length: USERS }, (_, at) => ({ email: `${at}@example.com`, metadata, tags: ["vip"] })),
  );
  const { acme, loyalty, clock } = shop;
  const actAs = (id: string, kind: "token" | "console") =>
    loyalty.organization("acme", { scopes, actor: { kind, id } });
  const createToken = async () => {
    const expiresAt = new Date(clock.now + 1_000).toISOString();
    return acme.apiTokens.create({ name: "Office", scopes: [...scopes], expiresAt });
  };
  let personCount = 0;
  const addPerson = async () => {
    personCount += 1;
    return (await acme.people.add({ email: `${personCount}@shop.example`, role: "owner" })).person;
  };
  return { ...shop, actAs, createToken, addPerson };
}

const lists: Readonly<Record<string, (organization: Organization) => AsyncIterable<unknown>>> = {
  users: ({ users }) => users.list(),
  "users of a tag": ({ tags }) => tags.users("vip"),
  "users with their tags": ({ users }) => users.export(),
  everything: (organization) => organization.exports.everything(),
};

/** Begins to read a list, runs `happens`, and then reads the remaining items. */
async function readListDuring(
  list: AsyncIterable<unknown>,
  happens: () => Promise<unknown>,
): Promise<number> {
  let items = 0;
  for await (const _ of list) {
    if (items === 0) await happens();
    items += 1;
  }
  return items;
}

describe.each(everyAdapter)("a list that is being read on $name", ({ open }) => {
  it("stops with an error once the caller's token or account is gone", async () => {
    const { acme, clock, actAs, createToken, addPerson } = await openShop(open);
    for (const list of Object.values(lists)) {
      const [revokedToken, expiredToken, person] = [
        await createToken(),
        await createToken(),
        await addPerson(),
      ];
      const readings = [
        readListDuring(list(actAs(revokedToken.apiToken.id, "token")), () =>
          acme.apiTokens.delete(revokedToken.apiToken.id),
        ),
        readListDuring(list(actAs(person.id, "console")), () => acme.people.delete(person.id)),
        readListDuring(list(actAs(expiredToken.apiToken.id, "token")), async () => clock.move(1_000)),
      ];
      for (const { status, reason } of (await Promise.allSettled(readings)).map(describeResult))
        expect([status, reason]).toMatchObject(["rejected", { code: "unauthorized" }]);
    }
  });

  it("stops for a person who loses the scopes it needs, and continues for one who loses other scopes", async () => {
    const { acme, actAs, addPerson } = await openShop(open);
    const readAsPerson = async (list: (organization: Organization) => AsyncIterable<unknown>) => {
      const { id } = await addPerson();
      return readListDuring(list(actAs(id, "console")), () => acme.people.update(id, { role: "till" }));
    };
    const { users, ...others } = lists;
    for (const list of Object.values(others))
      await expect(readAsPerson(list)).rejects.toMatchObject({ code: "access_denied" });
    expect(users && (await readAsPerson(users))).toBe(USERS);
  });

  it("is broken off over HTTP, and isn't reported as an error of the service", async () => {
    const { acme, loyalty, createToken } = await openShop(open);
    const failures: unknown[] = [];
    const onError = (error: unknown) => failures.push(error);
    const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty), onError });
    for (const path of ["/v1/users", "/v1/user-tags/vip/users"]) {
      const { token, apiToken } = await createToken();
      const request = new Request(`https://shop.example${path}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      const { status, body } = await api.fetch(request);
      await acme.apiTokens.delete(apiToken.id);
      expect(status).toBe(200);
      await expect(new Response(body).text()).rejects.toBeDefined();
    }
    expect(failures).toEqual([]);
  });

  it("stops when a rotation has ended its secret, and continues while the secret is still valid", async () => {
    const { acme, loyalty, clock, createToken } = await openShop(open);
    const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty) });
    const isReadOn = async (rotation: RotateApiToken, laterMs: number) => {
      const { token, apiToken } = await createToken();
      const headers = { authorization: `Bearer ${token}` };
      const { body } = await api.fetch(new Request("https://shop.example/v1/users", { headers }));
      await acme.apiTokens.rotate(apiToken.id, rotation);
      clock.move(laterMs);
      return new Response(body).text().then(
        () => true,
        () => false,
      );
    };
    expect(await isReadOn({}, 0)).toBe(false);
    expect(await isReadOn({ overlapSeconds: 1 }, 0)).toBe(true);
    expect(await isReadOn({ overlapSeconds: 1, expiresAt: null }, 1_000)).toBe(false);
  });

  it("doesn't require its scopes in other calls of the same caller", async () => {
    const { acme, actAs, addPerson } = await openShop(open);
    const { id } = await addPerson();
    const ada = actAs(id, "console");
    await ada.exports.everything().next();
    const key = { value: "k", field: "key", request: ["template"], scopes: ["template:create" as const] };
    await organizationInternals(ada).call(key, ({ templates }) =>
      templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 5 }),
    );
    await acme.people.update(id, { role: "till" });
    const [template] = await acme.templates.list();
    const user = await acme.users.create({ email: "eve@example.com" });
    const card = await acme.passes.create(template?.id ?? "", { userId: user.id });
    expect(await ada.stamps.add(card.id)).toMatchObject({ currentStamps: 1 });
  });
});

function describeResult(result: PromiseSettledResult<unknown>) {
  return { status: result.status, reason: result.status === "rejected" ? result.reason : null };
}
