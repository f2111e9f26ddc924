import { describe, expect, test } from "vitest";
import { denied, invalid, notFound, wrongType } from "./answers.js";
import { testOnEachDatabase } from "./every-mount.js";

const vips = { operator: "AND", conditions: [{ slug: "vip" }] };

testOnEachDatabase((http) => {
  const openShop = async () => {
    const organization = await http.createOrganization();
    const { acme } = organization;
    await acme.tags.create({ name: "VIP" });
    const { id } = await acme.users.create({ email: "ada@example.com", name: "Ada" });
    await acme.tags.assign(id, "vip");
    await acme.users.create({ email: "bob@example.com", name: "Bob" });
    return { ...organization, ada: id };
  };

  describe("saved segments", () => {
    test("are created, read, changed and deleted", async () => {
      const { call, ada } = await openShop();
      const creation = await call("POST", "/v1/segments", { name: "Guests", filter: vips, color: null });
      expect(creation).toMatchObject({ status: 201, body: { slug: "guests", members: 1, color: null } });
      expect(await call("GET", "/v1/segments/guests")).toEqual({ status: 200, body: creation.body });
      expect(await call("GET", "/v1/segments")).toEqual({ status: 200, body: [creation.body] });
      expect(await call("GET", "/v1/segments/guests/members?size=1&sort=name,desc")).toMatchObject({
        status: 200,
        body: { content: [{ id: ada }], totalElements: 1, totalPages: 1, number: 0, size: 1 },
      });
      const filter = { operator: "NOT", conditions: [{ slug: "vip" }] };
      expect(await call("PUT", "/v1/segments/guests", { filter, slug: "other" })).toMatchObject({
        status: 200,
        body: { slug: "guests", members: 1, entered: 1, left: 1 },
      });
      expect(await call("DELETE", "/v1/segments/guests")).toMatchObject({ status: 204 });
      expect(await call("GET", "/v1/segments/guests")).toEqual(notFound);
    });

    test("are refused with the API's errors", async () => {
      const { call } = await openShop();
      await call("POST", "/v1/segments", { name: "Guests", filter: vips });
      expect(await call("POST", "/v1/segments", { name: "Guests", filter: vips })).toMatchObject({
        status: 409,
        body: { code: "segment_already_exists", params: ["guests"] },
      });
      const segmentFilter = { operator: "AND", conditions: [{ segment: "guests" }] };
      await call("POST", "/v1/segments", { name: "Others", filter: segmentFilter });
      expect(await call("DELETE", "/v1/segments/guests")).toMatchObject({
        status: 409,
        body: { code: "segment_in_use", params: ["others"] },
      });
      expect(await call("POST", "/v1/segments", { name: "New", filter: { operator: "AND" } })).toMatchObject({
        status: 422,
      });
      expect(await call("POST", "/v1/segments", { name: "New", filter: 5 })).toEqual(wrongType("filter"));
      const unknown = { operator: "OR", filters: [{ operator: "AND", conditions: [{ segment: "none" }] }] };
      expect(await call("PUT", "/v1/segments/guests", { filter: unknown })).toEqual(
        invalid("filter.filters.0.conditions.0.segment"),
      );
      for (const query of ["page=-1", "size=0", "sort=phone,asc"])
        expect(await call("GET", `/v1/segments/guests/members?${query}`)).toMatchObject({ status: 422 });
    });

    test("must emit events as long as an automation is triggered by them", async () => {
      const { call, acme } = await openShop();
      await call("POST", "/v1/segments", { name: "Guests", filter: vips, emitsEvents: true });
      const { id } = await acme.automations.create({
        name: "Welcome",
        on: { segmentEntered: "guests" },
        do: [{ assignTag: "vip" }],
      });
      expect(await call("PUT", "/v1/segments/guests", { emitsEvents: false })).toEqual({
        status: 409,
        body: { code: "segment_in_use", params: [id] },
      });
    });

    test("are checked by scope, then by body, then by the scopes for the body, then by slug", async () => {
      const organization = await openShop();
      const createCaller = async (...scopes: Parameters<typeof organization.createToken>) =>
        http.createCaller(await organization.createToken(...scopes)).call;
      const reader = await createCaller("segment:read", "user_tag:read");
      const writer = await createCaller("segment:write");
      const readingCaller = await createCaller("segment:write", "user_tag:read");
      const path = "/v1/segments/none";
      expect(await reader("PUT", path, { filter: 5 })).toEqual(denied("segment:write"));
      expect(await writer("PUT", path, { filter: 5 })).toEqual(wrongType("filter"));
      expect(await writer("PUT", path, { filter: vips })).toEqual(denied("user_tag:read"));
      expect(await readingCaller("PUT", path, { filter: vips })).toEqual(notFound);
      expect(await reader("GET", `${path}/members?size=0`)).toMatchObject({ status: 422 });
      expect(await reader("GET", `${path}/members`)).toEqual(notFound);
    });
  });
});
