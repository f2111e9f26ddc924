import { describe, expect, test } from "vitest";
import { created, deleted, invalid, notFound, ok, wrongType } from "./answers.js";
import { readText } from "./client.js";
import { testOnEachDatabase } from "./every-mount.js";

const url = "https://example.com/webhooks";
const always = { since: "2000-01-01T00:00:00Z", until: "2999-01-01T00:00:00Z" };
const disabledError = { status: 409, body: { code: "webhook_endpoint_disabled", params: null } };

testOnEachDatabase((http) => {
  const openOrganization = async () => {
    const organization = await http.createOrganization();
    const { call } = organization;
    const response = await call("POST", "/v1/webhook-endpoints", { url });
    const path = `/v1/webhook-endpoints/${readText(response, "webhookEndpoint.id")}`;
    return { ...organization, response, path, secret: readText(response, "secret") };
  };

  describe("a webhook endpoint", () => {
    test("is returned with its secret, which is shown nowhere else", async () => {
      const { acme, call, response, path, secret } = await openOrganization();
      const [endpoint] = await acme.webhooks.list();
      expect(response).toEqual(
        created({ secret: expect.stringMatching(/^whsec_/), webhookEndpoint: endpoint }),
      );
      expect(endpoint).toMatchObject({ url, types: null, description: null, isDisabled: false });
      expect(await call("GET", path)).toEqual(ok(endpoint));
      const listing = await call("GET", "/v1/webhook-endpoints");
      expect(listing).toEqual(ok([endpoint]));
      expect(JSON.stringify(listing)).not.toContain(secret.slice(6, 20));
    });

    test("is changed, disabled, enabled and deleted", async () => {
      const { acme, call, path } = await openOrganization();
      const patch = { url: "https://example.com/b", types: ["user.created"], description: "d" };
      const updated = await call("PATCH", path, patch);
      const [endpoint] = await acme.webhooks.list();
      expect(updated).toEqual(ok(endpoint));
      expect(endpoint).toMatchObject(patch);
      expect(await call("PATCH", path, { isDisabled: true })).toMatchObject({
        status: 200,
        body: { isDisabled: true, disabledReason: "requested", disabledAt: expect.any(String) },
      });
      expect(await call("PATCH", path, { isDisabled: false })).toMatchObject({
        status: 200,
        body: { isDisabled: false, disabledReason: null, disabledAt: null },
      });
      expect(await call("DELETE", path)).toEqual(deleted);
      for (const method of ["GET", "DELETE"]) expect(await call(method, path)).toEqual(notFound);
    });

    test("gets a new secret", async () => {
      const { acme, call, path, secret } = await openOrganization();
      const response = await call("POST", `${path}/rotate-secret`);
      const [webhookEndpoint] = await acme.webhooks.list();
      expect(response).toEqual(ok({ secret: expect.stringMatching(/^whsec_/), webhookEndpoint }));
      expect(readText(response, "secret")).not.toBe(secret);
    });

    test("can't have an internal URL, and is refused for all its wrong fields in one response", async () => {
      const { call } = await http.createOrganization();
      const postEndpoint = (body: unknown) => call("POST", "/v1/webhook-endpoints", body);
      for (const wrong of [
        "http://example.com",
        "https://127.0.0.1",
        "https://0x7f.1",
        "https://[::ffff:a00:1]",
      ]) {
        expect(await postEndpoint({ url: wrong })).toEqual(invalid("url"));
      }
      expect(await postEndpoint({ url: "x", types: ["x"], description: "x".repeat(501) })).toEqual(
        invalid("url", "types.0", "description"),
      );
      expect(await postEndpoint({})).toEqual(invalid("url"));
      expect(await postEndpoint({ url, types: "user.created" })).toEqual(wrongType("types"));
      expect(await postEndpoint({ url: "https://8.8.8.8", types: null })).toMatchObject({ status: 201 });
    });
  });

  describe("deliveries", () => {
    test("are listed page by page, and created by replays and tests", async () => {
      const { acme, call, path } = await openOrganization();
      await acme.users.create({ email: "ada@example.com" });
      await acme.tags.create({ name: "VIP" });
      const [event] = (await acme.events.list()).content;
      expect(await call("POST", `${path}/replay`, always)).toEqual(ok({ deliveries: 2 }));
      expect(await call("POST", `${path}/replay`, { eventId: event?.id })).toEqual(ok({ deliveries: 1 }));
      const testResponse = await call("POST", `${path}/test`);
      expect(testResponse).toMatchObject({
        status: 201,
        body: { eventType: "webhook.test", status: "pending" },
      });
      const deliveryId = readText(testResponse, "id");
      expect(await call("POST", `${path}/replay`, { deliveryId })).toEqual(ok({ deliveries: 1 }));
      const { content } = await acme.webhooks.deliveries(path.split("/").at(-1) ?? "");
      expect(content).toHaveLength(5);
      expect(await call("GET", `${path}/deliveries`)).toEqual(ok({ content, next: null }));
      const first = await call("GET", `${path}/deliveries?limit=3`);
      expect(first).toEqual(ok({ content: content.slice(0, 3), next: expect.any(String) }));
      const next = encodeURIComponent(readText(first, "next"));
      expect(await call("GET", `${path}/deliveries?limit=3&after=${next}`)).toEqual(
        ok({ content: content.slice(3), next: null }),
      );
    });

    test("are not created for a disabled endpoint", async () => {
      const { acme, call, path } = await openOrganization();
      await acme.users.create({ email: "ada@example.com" });
      await call("PATCH", path, { isDisabled: true });
      expect(await call("POST", `${path}/replay`, always)).toEqual(disabledError);
      expect(await call("POST", `${path}/test`)).toEqual(disabledError);
      expect(await call("POST", `${path}/replay`, { eventId: "evt_none" })).toEqual(notFound);
      expect(await call("GET", `${path}/deliveries`)).toEqual(ok({ content: [], next: null }));
    });

    test("are replayed in exactly one of three ways", async () => {
      const { call, path } = await openOrganization();
      const replayEvents = (body: unknown) => call("POST", `${path}/replay`, body);
      expect(await replayEvents({})).toEqual(invalid("deliveryId"));
      expect(await replayEvents({ eventId: "x", ...always })).toEqual(invalid("deliveryId"));
      expect(await replayEvents({ since: always.since })).toEqual(invalid("until"));
      expect(await replayEvents({ since: always.until, until: always.since })).toEqual(invalid("until"));
      expect(await replayEvents({ since: 5 })).toEqual(wrongType("since"));
      expect(await replayEvents({ deliveryId: "whd_none" })).toEqual(notFound);
    });

    test.each(["after=x", "after=", "limit=0", "limit=201"])("can't be listed with %s", async (query) => {
      const { call, path } = await openOrganization();
      const [field = ""] = query.split("=");
      expect(await call("GET", `${path}/deliveries?${query}`)).toEqual(invalid(field));
    });
  });
});
