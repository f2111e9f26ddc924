import { type Organization, type Scope, scopes } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { organizationInternals, serviceInternals } from "../../src/internals.js";
import { openAcme } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";

/** Calls with an idempotency key, each with the scope that every caller needs for it. */
const calls: Readonly<Record<string, readonly [Scope, (organization: Organization) => Promise<unknown>]>> = {
  "a call that returns a secret": [
    "api_token:manage",
    ({ apiTokens }) => apiTokens.create({ name: "Till", scopes: ["user:read"] }),
  ],
  "a call that tells how many customers have a tag": [
    "segment:write",
    ({ segments }) =>
      segments.create({ name: "Those", filter: { operator: "AND", conditions: [{ segment: "regulars" }] } }),
  ],
};

describe.each(everyAdapter)("the response stored for a key on $name", ({ open }) => {
  it.each(Object.keys(calls))(
    "isn't replayed to a caller who may no longer make the call: %s",
    async (name) => {
      const [scope, work] = calls[name] ?? [];
      if (scope === undefined || work === undefined) throw new Error(`nothing is known of ${name}`);
      const key = { value: "k", field: "key", request: [name], scopes: [scope] };
      for (const loss of ["removed", "demoted", "signed out", "revoked"]) {
        const { loyalty, acme } = openAcme({ storage: await open() });
        await acme.tags.create({ name: "VIP" });
        const filter = { operator: "AND" as const, conditions: [{ slug: "vip" }] };
        await acme.segments.create({ name: "Regulars", filter });
        const { person, link } = await acme.people.add({ email: "olga@shop.example", role: "owner" });
        const token = link.path.split("/").at(-1) ?? "";
        const session = await serviceInternals(loyalty).signIns.startSession(token, {
          device: "Browser",
          isLong: false,
        });
        const signedIn =
          session && (await serviceInternals(loyalty).signIns.findSignedInPerson(session.token));
        if (signedIn === null) throw new Error("nobody is signed in");
        const { apiToken } = await acme.apiTokens.create({ name: "Office", scopes: [...scopes] });
        const caller = loyalty.organization(
          "acme",
          loss === "revoked"
            ? { scopes, actor: { kind: "token", id: apiToken.id } }
            : { scopes, actor: { kind: "console", id: person.id }, session: signedIn.sessionId },
        );
        const first = await organizationInternals(caller).call(key, work);
        expect(await organizationInternals(caller).call(key, work)).toEqual({ ...first, isReplayed: true });
        if (loss === "removed") await acme.people.delete(person.id);
        if (loss === "demoted") await acme.people.update(person.id, { role: "till" });
        if (loss === "signed out") await acme.people.endSessions(person.id);
        if (loss === "revoked") await acme.apiTokens.delete(apiToken.id);
        const code = loss === "demoted" ? "access_denied" : "unauthorized";
        await expect(organizationInternals(caller).call(key, work), loss).rejects.toMatchObject({ code });
      }
    },
  );

  it("isn't replayed to a caller without a scope that the call turned out to need", async () => {
    const { loyalty, acme } = openAcme({ storage: await open() });
    await acme.tags.create({ name: "VIP" });
    await acme.segments.create({
      name: "Regulars",
      filter: { operator: "AND", conditions: [{ slug: "vip" }] },
    });
    const work = calls["a call that tells how many customers have a tag"]?.[1];
    if (work === undefined) throw new Error("the call is not there");
    const key = { value: "k", field: "key", request: ["segment"], scopes: ["segment:write" as const] };
    const actWith = (heldScopes: readonly Scope[]) => loyalty.organization("acme", { scopes: heldScopes });
    const first = await organizationInternals(actWith(["segment:write", "user_tag:read", "user:read"])).call(
      key,
      work,
    );
    expect(first.outcome.kind).toBe("result");
    expect(await organizationInternals(actWith(["segment:write", "user_tag:read"])).call(key, work)).toEqual({
      ...first,
      isReplayed: true,
    });
    await expect(
      organizationInternals(actWith(["segment:write", "user:read"])).call(key, work),
    ).rejects.toMatchObject({
      code: "access_denied",
      message: expect.stringContaining("user_tag:read"),
    });
  });
});
