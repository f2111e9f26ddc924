import { LoyaltyService, type OrganizationLimits } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { openAcme } from "../kit/acme.js";
import { everyAdapter } from "../kit/adapters.js";
import { refusal } from "../kit/refusal.js";

type Organization = ReturnType<LoyaltyService["organization"]>;

/** What is capped, the code that tells so, and how one more is made. */
const kinds: readonly [
  name: keyof OrganizationLimits,
  code: string,
  create: (organization: Organization, at: number) => Promise<unknown>,
][] = [
  [
    "apiTokens",
    "too_many_api_tokens",
    ({ apiTokens }, at) => apiTokens.create({ name: `Till ${at}`, scopes: ["user:read"] }),
  ],
  [
    "apps",
    "too_many_apps",
    ({ apps }, at) =>
      apps.create({ name: `App ${at}`, redirectUris: ["https://app.example/back"], scopes: ["user:read"] }),
  ],
  ["tags", "too_many_user_tags", ({ tags }, at) => tags.create({ name: `Tag ${at}` })],
  [
    "templates",
    "too_many_templates",
    ({ templates }, at) => templates.create({ name: `Card ${at}`, type: "LOYALTY_CARD" }),
  ],
  [
    "webhookEndpoints",
    "too_many_webhook_endpoints",
    ({ webhooks }, at) => webhooks.create({ url: `https://receiver.example/${at}` }),
  ],
];

describe.each(everyAdapter)("an organization on $name", ({ open }) => {
  it.each(kinds)("has no more %s than it may have", async (name, code, create) => {
    const { acme, loyalty } = openAcme({ storage: await open(), limits: { [name]: 3 } });
    for (const at of [1, 2, 3]) await create(acme, at);
    expect(await refusal(create(acme, 4))).toEqual({ code, params: null });
    await create(loyalty.organization("globex"), 1);
  });

  it("imports no more tags than it may have, and the rows that need none", async () => {
    const { acme } = openAcme({ storage: await open(), limits: { tags: 2 } });
    const rows = [["a"], ["a", "b"], ["a", "c"], ["b"]].map((tags, at) => ({
      email: `${at}@example.com`,
      tags,
    }));
    const { created, failed } = await acme.users.import(rows, { createTags: true });
    expect(created).toBe(3);
    expect(failed).toMatchObject([
      { row: 3, errors: { tags: "the organization may not have so many tags" } },
    ]);
  });
});

describe("limits", () => {
  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])("may not be %s", (tags) => {
    expect(() => new LoyaltyService({ storage: memoryStorage(), limits: { tags } })).toThrow(RangeError);
  });
});
