import { describe, expect, it } from "vitest";
import { openAcme, someEmail } from "../kit/acme.js";
import { getErrorDetail, getRefusedFields, untyped, wrongType } from "../kit/refusal.js";

describe("input with several errors", () => {
  it("is refused for all of its wrong values together", async () => {
    const { acme, clock } = openAcme();
    const { users, tags, templates, passes, contacts, apiTokens } = acme;
    const user = { email: "ada", name: " ", phone: "1".repeat(21), externalId: "", metadata: { a: "\0" } };
    const fields = Object.keys(user).sort();
    const owner = await users.create({ email: someEmail() });
    expect(await getRefusedFields(users.create(user))).toEqual(fields);
    expect(await getRefusedFields(users.update(owner.id, user))).toEqual(fields);
    expect(await getRefusedFields(passes.create("none", { user }))).toEqual(
      fields.map((field) => `user.${field}`),
    );
    const tag = { name: "", description: "a".repeat(501), color: "red" };
    expect(await getRefusedFields(tags.create(tag))).toEqual(["color", "description", "name"]);
    expect(await getRefusedFields(tags.create({ ...tag, name: "!!!" }))).toEqual([
      "color",
      "description",
      "name",
    ]);
    expect(await getRefusedFields(templates.create(untyped({ name: "", type: "STAMP_CARD" })))).toEqual([
      "maxStamps",
      "name",
    ]);
    expect(await getRefusedFields(contacts.list({ page: -1, size: 0, minStamps: -1 }))).toEqual([
      "minStamps",
      "page",
      "size",
      "templateId",
    ]);
    const expiresAt = new Date(clock.now - 1).toISOString();
    expect(await getRefusedFields(apiTokens.create({ name: "", scopes: [], expiresAt }))).toEqual([
      "expiresAt",
      "name",
      "scopes",
    ]);
  });

  it("is refused for all of them also if a required field is missing or has an unknown value", async () => {
    const { acme, clock } = openAcme();
    const { tags, templates, passes, contacts, apiTokens } = acme;
    expect(await getRefusedFields(templates.create(untyped({ type: "STAMP_CARD" })))).toEqual([
      "maxStamps",
      "name",
    ]);
    expect(
      await getRefusedFields(passes.create("none", untyped({ userId: "nobody", user: { name: "" } }))),
    ).toEqual(["user.name", "userId"]);
    const bounds = { sort: "name", minStamps: 2, maxStamps: 1 };
    expect(await getRefusedFields(contacts.list(untyped(bounds)))).toEqual([
      "minStamps",
      "sort",
      "templateId",
    ]);
    const filter = { operator: "and", filters: [{ operator: "XOR" }] };
    expect(await getRefusedFields(tags.query(untyped({ filter, size: 0 })))).toEqual([
      "filter.filters.0",
      "filter.filters.0.operator",
      "filter.operator",
      "size",
    ]);
    const expiresAt = new Date(clock.now - 1).toISOString();
    expect(await getRefusedFields(apiTokens.create(untyped({ scopes: ["all"], expiresAt })))).toEqual([
      "expiresAt",
      "name",
      "scopes.0",
    ]);
  });

  it("is refused for its wrong types first, all of them together", async () => {
    const { acme } = openAcme();
    const user = { email: 1, name: "", phone: [], externalId: true, metadata: "{}" };
    expect(await getErrorDetail(acme.users.create(untyped(user)))).toEqual(
      wrongType("email", "phone", "externalId", "metadata"),
    );
    expect(await getErrorDetail(acme.passes.create("none", untyped({ userId: 1, user })))).toEqual(
      wrongType("userId", "user.email", "user.phone", "user.externalId", "user.metadata"),
    );
  });

  it("that isn't an object is malformed", async () => {
    const { acme } = openAcme();
    const { users, tags, templates, passes, contacts, apiTokens } = acme;
    for (const input of [null, "{}", 1, true, []].map(untyped)) {
      for (const call of [
        () => users.create(input),
        () => users.update("nobody", input),
        () => tags.create(input),
        () => tags.update("none", input),
        () => templates.create(input),
        () => templates.update("none", input),
        () => passes.create("none", input),
        () => contacts.list(input),
        () => apiTokens.create(input),
      ]) {
        expect(await getErrorDetail(call())).toEqual({ code: "malformed_request", params: null });
      }
    }
  });
});
