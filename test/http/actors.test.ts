import fc from "fast-check";
import { scopes } from "loyalty-kit";
import { createHttpApi } from "loyalty-kit/http";
import { describe, expect, it, test } from "vitest";
import { createHttpClient, openDisturbed } from "../client/over-http.js";
import { openAcme, someEmail } from "../kit/acme.js";
import { hostActor } from "../kit/host-actor.js";
import { runs } from "../properties/runs.js";
import { denied, invalid } from "./answers.js";
import { jsonHeaders } from "./client.js";
import { testOnEachDatabase } from "./every-mount.js";

const anna = { subject: "anna", location: "Köln & Bonn", receipt: "4711" };
const actorHeader = new URLSearchParams(anna).toString();

testOnEachDatabase((http) => {
  describe("the actor of an event", () => {
    test("is the token, with the subject, location and receipt of the header", async () => {
      const { acme, send } = await http.createOrganization();
      const createTag = (name: string, headers: Record<string, string>) =>
        send("POST", "/v1/user-tags", {
          headers: { ...jsonHeaders, ...headers },
          body: JSON.stringify({ name }),
        });
      expect(await createTag("VIP", { "loyalty-actor": actorHeader })).toMatchObject({ status: 201 });
      expect(await createTag("Plain", {})).toMatchObject({ status: 201 });
      const { content } = await acme.events.list();
      const token = { ...hostActor, kind: "token", id: expect.stringMatching(/^akt_/) };
      expect(content.map(({ actor }) => actor)).toEqual([{ ...token, ...anna }, token]);
      const found = await send(
        "GET",
        `/v1/events?location=${encodeURIComponent(anna.location)}&actorKind=token`,
      );
      expect(found.body).toMatchObject({ content: [{ id: content[0]?.id }] });
      for (const header of ["subject=", "name=anna", "subject=a&subject=b", `receipt=${"x".repeat(256)}`]) {
        const response = await createTag("Other", { "loyalty-actor": header });
        expect(response.status, header).toBe(422);
      }
      for (const header of [
        "name=anna",
        "subject=%",
        "subject=%FF",
        "subject=%ED%A0%80",
        "subject=K\u00f6ln",
        "?subject=a",
      ])
        expect(await createTag("Other", { "loyalty-actor": header }), header).toMatchObject(
          invalid("Loyalty-Actor"),
        );
    });

    test("can't be set without the scope, and is checked only for requests that change something", async () => {
      const { acme, send, createToken } = await http.createOrganization();
      const headers = {
        ...jsonHeaders,
        authorization: `Bearer ${await createToken("user_tag:write", "user_tag:read")}`,
        "loyalty-actor": actorHeader,
      };
      const errorResponse = await send("POST", "/v1/user-tags", {
        headers,
        body: JSON.stringify({ name: "VIP" }),
      });
      expect(errorResponse).toMatchObject(denied("actor:write"));
      expect(await acme.tags.list()).toEqual([]);
      expect(await send("GET", "/v1/user-tags", { headers })).toMatchObject({ status: 200 });
    });
  });
});

describe("the Loyalty-Actor header", () => {
  const parts = fc.constantFrom(
    ..."a+=;?~é\u00ff",
    "%",
    "%4",
    "%41",
    "%C3%A9",
    "%C3",
    "%ff",
    "%00",
    "%ED%A0%80",
    "%26",
  );

  it("is parsed as a query string is, or refused", async () => {
    const { loyalty, acme } = openAcme();
    const api = createHttpApi(loyalty, {
      authenticate: async (organizationId) => ({ organizationId, scopes }),
      rateLimits: false,
    });
    const send = async (method: string, url: string, headers: Record<string, string>, value?: unknown) => {
      const requestHeaders = { host: "api.example", authorization: "Bearer acme", ...headers };
      const body = value === undefined ? ({ kind: "none" } as const) : ({ kind: "parsed", value } as const);
      return api.handle({
        method,
        url,
        headers: Object.entries(requestHeaders),
        body,
        prefix: "",
        address: null,
      });
    };
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: parts, minLength: 1, maxLength: 4 }), async (text) => {
        const headers = { ...jsonHeaders, "loyalty-actor": `subject=${text}` };
        const { status } = await send("POST", "/v1/users", headers, { email: someEmail() });
        const { status: queryStatus, body } = await send("GET", `/v1/events?subject=${text}`, {});
        expect(status).toBe(queryStatus === 200 ? 201 : 422);
        if (status !== 201) return;
        const { content } = await acme.events.list();
        expect(JSON.parse(String(body)).content.at(-1)).toMatchObject({ id: content.at(-1)?.id });
      }),
      runs(200),
    );
  });
});

describe("a client", () => {
  it("sends the actor, in any characters, only with changes, and finds events by it", async () => {
    const { client, acme, requests } = openDisturbed([], { actor: { ...anna, receipt: null } });
    await client.tags.create({ name: "VIP" });
    expect(new Headers(requests[0]?.headers).get("loyalty-actor")).toBe(
      "subject=anna&location=K%C3%B6ln+%26+Bonn",
    );
    await client.tags.list();
    expect(new Headers(requests[1]?.headers).has("loyalty-actor")).toBe(false);
    const { content } = await client.events.list({ subject: "anna" });
    expect(content).toMatchObject([{ actor: { kind: "library", ...anna, receipt: null } }]);
    expect((await acme.events.list({ subject: "bob" })).content).toEqual([]);
  });

  it("reads and verifies the audit trail", async () => {
    const { loyalty, acme } = openAcme();
    await acme.apiTokens.create({ name: "Till", scopes: ["pass:read"] });
    const client = createHttpClient(loyalty, "acme");
    expect(await client.audit.list({ limit: 5 })).toEqual(await acme.audit.list());
    const { head } = await client.audit.verify();
    expect(await client.audit.verify(head ?? {})).toMatchObject({ entries: 1, head, brokenAt: null });
  });
});

describe("a caller authenticated by the host", () => {
  it("is recorded as the actor that the host returns", async () => {
    const { loyalty, acme } = openAcme();
    const api = createHttpApi(loyalty, {
      authenticate: async (token) => ({
        organizationId: "acme",
        scopes: ["user_tag:write"],
        subject: token,
        ...(token === "staff" && { actor: { kind: "console" as const } }),
      }),
    });
    for (const token of ["staff", "other"]) {
      const headers = { ...jsonHeaders, authorization: `Bearer ${token}` };
      const body = JSON.stringify({ name: token });
      await api.fetch(new Request("https://api.example/v1/user-tags", { method: "POST", headers, body }));
    }
    expect((await acme.events.list()).content.map(({ actor }) => actor)).toEqual([
      { ...hostActor, kind: "console", subject: "staff" },
      { ...hostActor, kind: "token", subject: "other" },
    ]);
  });
});
