import { LoyaltyService, scopes } from "loyalty-kit";
import { apiTokens, createHttpApi } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, test } from "vitest";
import { endpoints, nowhere, parseParameters, pathOf, titleOf } from "../endpoints.js";

/** A service without mails and wallets. */
const loyalty = new LoyaltyService({ storage: memoryStorage() });
const acme = loyalty.organization("acme");
const { fetch } = createHttpApi(loyalty, { authenticate: apiTokens(loyalty) });

async function getResponse(method: string, path: string, body: unknown) {
  const { token } = await acme.apiTokens.create({ name: "Test", scopes });
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const init = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(new Request(`https://shop.example${path}`, { method, headers, ...init }));
  return { status: response.status, body: await response.json() };
}

const unknown = { status: 404, body: { code: "resource_not_found", params: null } };
const endpointsWithIds = endpoints.filter(({ path }) => parseParameters(path).length > 0);

describe("an unknown id", () => {
  test.each(endpointsWithIds.map((endpoint) => [titleOf(endpoint), endpoint] as const))(
    "is not found by %s, even if mails and wallets are not set up",
    async (_, endpoint) => {
      const body = endpoint.body?.(nowhere);
      expect(await getResponse(endpoint.method, pathOf(endpoint, nowhere), body)).toEqual(unknown);
    },
  );

  test("is not found in a body either", async () => {
    const { id } = await acme.templates.create({ name: "Card", type: "LOYALTY_CARD" });
    const body = { userId: "nobody", notify: true };
    for (const path of ["walletpasses", "walletpasses:ensure"])
      expect(await getResponse("POST", `/v1/templates/${id}/${path}`, body)).toEqual(unknown);
    const texts = [{ language: "en", subject: "News", text: "News" }];
    const message = await acme.messages.create({
      name: "News",
      audience: { all: true },
      channels: ["email"],
      texts,
    });
    expect(await getResponse("POST", `/v1/messages/${message.id}/test`, { userId: "nobody" })).toEqual(
      unknown,
    );
    await acme.messages.cancel(message.id);
    for (const change of [{ audience: { userIds: ["nobody"] } }, { templateId: "tpl_unknown" }])
      expect(await getResponse("PATCH", `/v1/messages/${message.id}`, change)).toEqual(unknown);
    expect(await getResponse("PATCH", `/v1/messages/${message.id}`, { name: "Other" })).toMatchObject({
      status: 409,
      body: { code: "message_not_draft" },
    });
  });

  test("is not found even if a limit is reached", async () => {
    const limitedService = new LoyaltyService({ storage: memoryStorage(), limits: { automations: 1 } });
    const { automations } = limitedService.organization("acme");
    const automation = { name: "Welcome", on: { event: "user.created" } } as const;
    const { templates } = limitedService.organization("acme");
    const { id } = await templates.create({ name: "Card", type: "STAMP_CARD", maxStamps: 5 });
    await automations.create({ ...automation, do: [{ giveReward: { templateId: id } }] });
    const rejectedAutomation = automations.create({
      ...automation,
      do: [{ giveReward: { templateId: "tpl_unknown" } }],
    });
    await expect(rejectedAutomation).rejects.toMatchObject({ code: "resource_not_found" });
  });
});
