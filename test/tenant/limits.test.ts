import { LoyaltyService, type OrganizationLimits } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { openAcme } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { getErrorDetail } from "../kit/refusal.js";
import { challenge } from "../oauth/scene.js";

type Organization = ReturnType<LoyaltyService["organization"]>;

async function createApp({ apps }: Organization): Promise<string> {
  const redirectUris = ["https://app.example/back"];
  return (await apps.create({ name: "App", redirectUris, scopes: ["user:read"] })).app.id;
}

async function allow(organization: Organization, at: number): Promise<string> {
  return organization.grants.allow({
    appId: (await organization.apps.list())[0]?.id ?? (await createApp(organization)),
    subject: `user ${at}`,
    scopes: ["user:read"],
    redirectUri: null,
    codeChallenge: challenge,
  });
}

/** Each limited resource, the error code of its limit, and how one more is created. */
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
  ["grants", "too_many_grants", allow],
  ["tags", "too_many_user_tags", ({ tags }, at) => tags.create({ name: `Tag ${at}` })],
  [
    "templates",
    "too_many_templates",
    ({ templates }, at) => templates.create({ name: `Card ${at}`, type: "LOYALTY_CARD" }),
  ],
  [
    "segments",
    "too_many_segments",
    ({ segments }, at) =>
      segments.create({ name: `Segment ${at}`, filter: { operator: "AND", conditions: [{ slug: "vip" }] } }),
  ],
  [
    "webhookEndpoints",
    "too_many_webhook_endpoints",
    ({ webhooks }, at) => webhooks.create({ url: `https://receiver.example/${at}` }),
  ],
];

describe.each(everyAdapter)("an organization on $name", ({ open }) => {
  it.each(kinds)("can't exceed its limit of %s", async (name, code, create) => {
    const { acme, loyalty } = openAcme({ storage: await open(), limits: { [name]: 3 } });
    for (const at of [1, 2, 3]) await create(acme, at);
    expect(await getErrorDetail(create(acme, 4))).toEqual({ code, params: null });
    await create(loyalty.organization("globex"), 1);
  });

  it("can grant apps more access once the tokens of earlier grants have expired", async () => {
    const { acme, loyalty, clock } = openAcme({ storage: await open(), limits: { grants: 3 } });
    for (const at of [1, 2, 3]) await allow(acme, at);
    clock.move(60_000 + 86_400_000 - 1);
    expect(await getErrorDetail(allow(acme, 4))).toEqual({ code: "too_many_grants", params: null });
    clock.move(2);
    await allow(acme, 4);
    expect(await acme.grants.list()).toMatchObject([{ subject: "user 4" }]);
    await allow(loyalty.organization("globex"), 1);
  });

  it("leaves grants to other users when one user has reached the limit per user", async () => {
    const { acme, loyalty } = openAcme({
      storage: await open(),
      limits: { grants: 10, grantsPerSubject: 3 },
    });
    const granter = loyalty.organization("acme", { scopes: ["user:read"] });
    await createApp(acme);
    const [app] = await acme.apps.list();
    const allowAs = (subject: string) =>
      granter.grants.allow({
        appId: app?.id ?? "",
        subject,
        scopes: ["user:read"],
        redirectUri: null,
        codeChallenge: challenge,
      });
    for (const _ of [1, 2, 3]) await allowAs("ada");
    expect(await getErrorDetail(allowAs("ada"))).toEqual({ code: "too_many_grants", params: null });
    await allowAs("bob");
    const grants = await acme.grants.list();
    await acme.grants.delete(grants[0]?.id ?? "");
    await allowAs("ada");
    expect(await acme.grants.list()).toHaveLength(4);
  });

  it("imports tags up to its limit, and the rows that need no other one", async () => {
    const { acme } = openAcme({ storage: await open(), limits: { tags: 2 } });
    const rows = [["a"], ["a", "b"], ["a", "c"], ["b"]].map((tags, at) => ({
      email: `${at}@example.com`,
      tags,
    }));
    const { created, failed } = await acme.users.import(rows, { createTags: true });
    expect(created).toBe(3);
    expect(failed).toMatchObject([
      { row: 3, errors: { tags: "would exceed the organization's limit of tags" } },
    ]);
  });
});

describe("limits", () => {
  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])("can't be %s", (tags) => {
    expect(() => new LoyaltyService({ storage: memoryStorage(), limits: { tags } })).toThrow(RangeError);
  });
});
