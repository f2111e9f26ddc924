import type { Organization } from "loyalty-kit";
import { apiTokens, authenticateByRequest, createHttpApi } from "loyalty-kit/http";
import { describe, expect, it } from "vitest";
import { openAcme } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { getErrorDetail, getRefusedFields } from "../kit/refusal.js";

const office = "192.0.2.0/24";
const input = { name: "Office", scopes: ["user:read", "api_token:manage"] } as const;

function createToken(acme: Organization, allowedAddresses: string[] | null) {
  return acme.apiTokens.create({ ...input, scopes: [...input.scopes], allowedAddresses });
}

describe.each(everyAdapter)("a token restricted to some addresses, on $name", ({ open }) => {
  it("is accepted from an allowed address, and refused from any other one and from an unknown one", async () => {
    const { loyalty, acme } = openAcme({ storage: await open() });
    const { token, apiToken } = await createToken(acme, ["192.0.2.7/24", "2001:db8::/32", "192.0.2.1/24"]);
    expect(apiToken.allowedAddresses).toEqual([office, "2001:db8::/32"]);
    expect(await acme.apiTokens.list()).toMatchObject([{ allowedAddresses: [office, "2001:db8::/32"] }]);
    for (const address of ["192.0.2.200", "::ffff:192.0.2.1", "2001:db8:ffff::1"]) {
      expect(await loyalty.verifyToken(token, address)).toMatchObject({ organizationId: "acme" });
      expect(await loyalty.verifyApiToken(token, address)).toMatchObject({ organizationId: "acme" });
    }
    for (const address of ["192.0.3.1", "::ffff:192.0.3.1", "2001:db9::1", "nonsense"]) {
      const expectedError = { code: "address_not_allowed", params: [address] };
      expect(await getErrorDetail(loyalty.verifyToken(token, address))).toEqual(expectedError);
      expect(await getErrorDetail(loyalty.verifyApiToken(token, address))).toEqual(expectedError);
    }
    expect(await getErrorDetail(loyalty.verifyToken(token))).toEqual({
      code: "address_not_allowed",
      params: null,
    });
  });

  it("doesn't record a use that was refused, and isn't recognized after it is revoked", async () => {
    const { loyalty, acme } = openAcme({ storage: await open() });
    const { token, apiToken } = await createToken(acme, [office]);
    await getErrorDetail(loyalty.verifyToken(token, "198.51.100.1"));
    await acme.apiTokens.create({ name: "Other", scopes: ["user:read"] });
    expect((await acme.apiTokens.list())[0]?.lastUsedAt).toBeNull();
    await acme.apiTokens.delete(apiToken.id);
    expect(await loyalty.verifyToken(token, "198.51.100.1")).toBeNull();
  });

  it.each([["token"], ["console"]] as const)(
    "can't create a token for other addresses (actor kind: %s)",
    async (kind) => {
      const { loyalty, acme } = openAcme({ storage: await open() });
      const { apiToken } = await createToken(acme, [office]);
      const actor = { kind, id: apiToken.id };
      const caller = loyalty.organization("acme", { scopes: [...input.scopes], actor });
      expect((await createToken(caller, null)).apiToken).toMatchObject({
        allowedAddresses: [office],
        createdBy: apiToken.id,
      });
      expect((await createToken(caller, ["192.0.2.128/25"])).apiToken.allowedAddresses).toEqual([
        "192.0.2.128/25",
      ]);
      for (const wider of [["0.0.0.0/0"], ["192.0.2.1", "198.51.100.1"], ["::/0"]]) {
        await expect(createToken(caller, wider)).rejects.toThrow(
          "allowedAddresses must be within the addresses that the calling token allows",
        );
      }
      expect(await acme.apiTokens.list()).toHaveLength(3);
    },
  );

  it.each([["token"], ["console"]] as const)(
    "can't rotate a token that allows other addresses (actor kind: %s)",
    async (kind) => {
      const { loyalty, acme } = openAcme({ storage: await open() });
      const { apiToken } = await createToken(acme, [office]);
      const caller = loyalty.organization("acme", {
        scopes: [...input.scopes],
        actor: { kind, id: apiToken.id },
      });
      for (const wider of [null, ["0.0.0.0/0"]]) {
        const { token, apiToken: other } = await createToken(acme, wider);
        expect(await getRefusedFields(caller.apiTokens.rotate(other.id))).toEqual(["allowedAddresses"]);
        expect(await loyalty.verifyToken(token, "198.51.100.1")).not.toBeNull();
      }
      expect((await caller.apiTokens.rotate(apiToken.id)).apiToken.allowedAddresses).toEqual([office]);
    },
  );

  it("is recorded in the audit trail with its addresses", async () => {
    const { acme } = openAcme({ storage: await open() });
    await createToken(acme, [office]);
    expect((await acme.audit.list()).content).toMatchObject([{ details: { allowedAddresses: [office] } }]);
  });
});

describe("the allowed addresses of a token", () => {
  it("must be 1 to 100 valid addresses or networks", async () => {
    const { acme } = openAcme();
    for (const wrong of [
      [],
      Array.from({ length: 101 }, () => "192.0.2.1"),
      ["example.com"],
      ["10.0.0.0/40"],
    ]) {
      expect(await getRefusedFields(createToken(acme, wrong))).toHaveLength(1);
    }
  });
});

describe("a request with a token restricted to some addresses", () => {
  const callFrom = async (allowedAddresses: string[], addressOf?: (request: Request) => string | null) => {
    const { loyalty, acme } = openAcme();
    const { token } = await createToken(acme, allowedAddresses);
    const api = createHttpApi(loyalty, {
      authenticate: apiTokens(loyalty),
      rateLimits: { perAddress: { requests: 2, seconds: 60 } },
      ...(addressOf && { addressOf }),
    });
    const headers = { authorization: `Bearer ${token}` };
    return async () => {
      const response = await api.fetch(new Request("http://localhost/v1/contacts", { headers }));
      return { status: response.status, body: await response.json() };
    };
  };

  it("is answered from an allowed address", async () => {
    expect(await (await callFrom([office], () => "192.0.2.7"))()).toMatchObject({ status: 200 });
  });

  it("is refused with an error of its own from another address, and rate limited like an anonymous client", async () => {
    const call = await callFrom([office], () => "198.51.100.1");
    const expectedError = { status: 403, body: { code: "address_not_allowed", params: ["198.51.100.1"] } };
    expect([await call(), await call()]).toEqual([expectedError, expectedError]);
    expect(await call()).toMatchObject({ status: 429 });
  });

  it("is refused when the server doesn't know the client's address", async () => {
    const call = await callFrom(["0.0.0.0/0", "::/0"]);
    expect(await call()).toEqual({ status: 403, body: { code: "address_not_allowed", params: null } });
  });

  it("is refused when the host verifies the token without an address", async () => {
    const { loyalty, acme } = openAcme();
    const { token } = await createToken(acme, [office]);
    const api = createHttpApi(loyalty, {
      authenticate: authenticateByRequest((call) => loyalty.verifyToken(call.header("x-token") ?? "")),
    });
    const response = await api.fetch(
      new Request("http://localhost/v1/contacts", { headers: { "x-token": token } }),
    );
    expect([response.status, await response.json()]).toMatchObject([403, { code: "address_not_allowed" }]);
  });
});
