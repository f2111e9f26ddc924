import { type LoyaltyService, scopes } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import type { Person } from "../../src/people/schema.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { getErrorDetail } from "../kit/refusal.js";
import { openShop } from "./scene.js";

type Shop = ReturnType<typeof openShop>;

/** Adds an owner who has signed in. */
async function createOwner({ acme, signIn }: Shop, name: string) {
  const { person, link } = await acme.people.add({ email: `${name}@example.com`, role: "owner" });
  return { person, cookie: await signIn(link.path) };
}

/** The people of acme, as managed by a person who is signed in. */
const peopleAs = (loyalty: LoyaltyService, { id }: Person) =>
  loyalty.organization("acme", { scopes, actor: { kind: "console", id, subject: id } }).people;

const json = { "content-type": "application/json" };

/** Returns the error code of a response. */
const getCode = (body: unknown) =>
  typeof body === "object" && body !== null && "code" in body ? body.code : null;

const lastOwnerError = { status: 409, code: "last_owner" };

describe.each(everyAdapter)("the last owner who has signed in, on $name", ({ open }) => {
  it("can't be removed or change roles until another owner has signed in", async () => {
    const shop = openShop(await open());
    const { acme, signIn } = shop;
    const { person, cookie } = await createOwner(shop, "ada");
    const callAsOwner = async (method: "PATCH" | "DELETE", body?: object) => {
      const init = body === undefined ? { method } : { method, headers: json, body: JSON.stringify(body) };
      const answer = await shop.callApi(cookie, `/v1/people/${person.id}`, init);
      return { status: answer.status, ...(answer.status === 409 && { code: getCode(await answer.json()) }) };
    };
    expect(await callAsOwner("DELETE")).toEqual(lastOwnerError);
    expect(await callAsOwner("PATCH", { role: "manager" })).toEqual(lastOwnerError);
    expect(await callAsOwner("PATCH", { role: "owner", name: "Ada" })).toMatchObject({ status: 200 });
    const { link } = await acme.people.add({ email: "bea@example.com", role: "owner" });
    expect(await callAsOwner("PATCH", { role: "till" })).toEqual(lastOwnerError);
    await signIn(link.path);
    expect(await callAsOwner("PATCH", { role: "till" })).toMatchObject({ status: 200 });
    expect((await acme.people.get(person.id)).role).toBe("till");
  });

  it("can remove owners who have never signed in", async () => {
    const shop = openShop(await open());
    const { person } = await createOwner(shop, "ada");
    const { person: wrong } = await shop.acme.people.add({ email: "aad@example.com", role: "owner" });
    await peopleAs(shop.loyalty, person).delete(wrong.id);
    expect((await shop.acme.people.list()).content.map(({ id }) => id)).toEqual([person.id]);
  });

  it("remains when all owners remove or demote each other at the same time", async () => {
    const shop = openShop(await open());
    const { acme, loyalty } = shop;
    for (const round of [0, 1, 2, 3]) {
      const owners: Person[] = [];
      for (const at of [0, 1, 2]) owners.push((await createOwner(shop, `${round}.${at}`)).person);
      const pairs = owners.flatMap((by) => owners.filter((of) => of !== by).map((of) => ({ by, of })));
      const ends = await Promise.allSettled(
        pairs.map(({ by, of }, at) =>
          (at + round) % 2 === 0
            ? peopleAs(loyalty, by).delete(of.id)
            : peopleAs(loyalty, by).update(of.id, { role: "till" }),
        ),
      );
      const codes = ends.map((end) => (end.status === "rejected" ? end.reason.code : "done"));
      // An owner who is removed or demoted by then can't remove another.
      const knownOutcomes = ["done", "last_owner", "resource_not_found", "unauthorized", "access_denied"];
      expect(knownOutcomes).toEqual(expect.arrayContaining(codes));
      const { content } = await acme.people.list();
      const [last, ...others] = content.filter(({ role }) => role === "owner");
      expect(others).toEqual([]);
      if (last === undefined) throw new Error("there is no owner");
      expect(await getErrorDetail(peopleAs(loyalty, last).delete(last.id))).toMatchObject({
        code: "last_owner",
      });
      for (const { id } of content) await acme.people.delete(id);
    }
  });

  it("can be removed with an API token, which can then add another owner", async () => {
    const shop = openShop(await open());
    const { acme, fetch } = shop;
    const { token } = await acme.apiTokens.create({ name: "host", scopes: [...scopes] });
    const remove = async (id: string) =>
      (await fetch(`/v1/people/${id}`, { method: "DELETE", headers: { authorization: `Bearer ${token}` } }))
        .status;
    expect(await remove((await createOwner(shop, "ada")).person.id)).toBe(204);
    // With the same token, a person signed in at the console can come back, too.
    const atConsole = shop.getCookie(await shop.post("/console", { token }));
    const { person } = await createOwner(shop, "bea");
    const deletion = await shop.callApi(atConsole, `/v1/people/${person.id}`, { method: "DELETE" });
    expect(deletion.status).toBe(204);
    await acme.people.delete((await createOwner(shop, "cleo")).person.id);
    expect((await acme.people.list()).content).toEqual([]);
    expect((await createOwner(shop, "ada")).person.role).toBe("owner");
  });
});
