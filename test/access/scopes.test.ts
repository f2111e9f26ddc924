import { type NewGrant, type Organization, type Scope, scopes } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { organizationInternals } from "../../src/internals.js";
import { openAcme } from "../kit/acme.js";
import { recordCalls } from "../kit/intercept-calls.js";
import { getErrorDetail, untyped } from "../kit/refusal.js";

type Group = Exclude<
  keyof Organization,
  "id" | "require" | "holds" | "joining" | "joiningSync" | "call" | "actingFor"
>;

type Call = (organization: Organization) => Promise<unknown>;

/** The scopes that each method of the facade needs, and a call of it whose input is otherwise invalid. */
type Calls = {
  readonly [G in Group]: { readonly [M in keyof Organization[G]]: readonly [Scope | readonly Scope[], Call] };
};

const wrong = untyped({ name: 5 });

const someGrant: NewGrant = {
  appId: "none",
  subject: "ada",
  scopes: ["user:read"],
  redirectUri: "https://app.example/callback",
  codeChallenge: "x".repeat(43),
};

const calls: Calls = {
  users: {
    create: ["user:create", ({ users }) => users.create(wrong)],
    upsert: [["user:update", "user:create"], ({ users }) => users.upsert(wrong)],
    find: ["user:read", ({ users }) => users.find(untyped({ email: 5 }))],
    get: ["user:read", ({ users }) => users.get("nobody")],
    list: ["user:read", ({ users }) => users.list()],
    update: ["user:update", ({ users }) => users.update("nobody", wrong)],
    delete: ["user:update", ({ users }) => users.delete("nobody")],
    erase: ["user:update", ({ users }) => users.erase("nobody")],
    dossier: [
      ["user:read", "user_tag:read", "pass:read", "webhook:manage"],
      ({ users }) => users.dossier("nobody"),
    ],
    import: [["user:create", "user:update", "user_tag:write"], ({ users }) => users.import([wrong])],
    export: [["user:read", "user_tag:read"], ({ users }) => users.export().next()],
  },
  contacts: {
    list: ["user:read", ({ contacts }) => contacts.list(untyped({ sort: 5 }))],
  },
  tags: {
    create: ["user_tag:write", ({ tags }) => tags.create(wrong)],
    ensure: [["user_tag:write", "user_tag:read"], ({ tags }) => tags.ensure("none", wrong)],
    list: ["user_tag:read", ({ tags }) => tags.list()],
    get: ["user_tag:read", ({ tags }) => tags.get("none")],
    update: ["user_tag:write", ({ tags }) => tags.update("none", wrong)],
    delete: ["user_tag:write", ({ tags }) => tags.delete("none")],
    merge: ["user_tag:write", ({ tags }) => tags.merge("none", { into: "other" })],
    assign: ["user_tag:write", ({ tags }) => tags.assign("nobody", "none")],
    unassign: ["user_tag:write", ({ tags }) => tags.unassign("nobody", "none")],
    assignUsers: ["user_tag:write", ({ tags }) => tags.assignUsers("none", wrong)],
    unassignUsers: ["user_tag:write", ({ tags }) => tags.unassignUsers("none", wrong)],
    ofUser: ["user_tag:read", ({ tags }) => tags.ofUser("nobody")],
    users: ["user_tag:read", ({ tags }) => tags.users("none")],
    query: ["user_tag:read", ({ tags }) => tags.query(untyped({ filter: 5 }))],
    verifyIndex: ["user_tag:read", ({ tags }) => tags.verifyIndex()],
    rebuildIndex: ["user_tag:write", ({ tags }) => tags.rebuildIndex()],
  },
  templates: {
    create: ["template:create", ({ templates }) => templates.create(wrong)],
    ensure: [["template:create", "template:read"], ({ templates }) => templates.ensure("none", wrong)],
    list: ["template:read", ({ templates }) => templates.list()],
    get: ["template:read", ({ templates }) => templates.get("none")],
    update: ["template:update", ({ templates }) => templates.update("none", wrong)],
    delete: ["template:delete", ({ templates }) => templates.delete("none")],
  },
  passes: {
    create: ["pass:create", ({ passes }) => passes.create("none", untyped({ user: 5 }))],
    ensure: [["pass:create", "pass:read"], ({ passes }) => passes.ensure("none", untyped({ user: 5 }))],
    import: [
      ["user:create", "user:update", "user_tag:write", "pass:create", "loyalty:manage"],
      ({ passes }) => passes.import([wrong]),
    ],
    get: ["pass:read", ({ passes }) => passes.get("none")],
    ofUser: ["pass:read", ({ passes }) => passes.ofUser("nobody")],
    lookup: ["pass:read", ({ passes }) => passes.lookup("none")],
    markInstalled: ["pass:update", ({ passes }) => passes.markInstalled("none")],
    markUninstalled: ["pass:update", ({ passes }) => passes.markUninstalled("none")],
    walletLinks: ["pass:read", ({ passes }) => passes.walletLinks("none")],
    revokeWalletLinks: ["pass:update", ({ passes }) => passes.revokeWalletLinks("none")],
    delete: ["pass:delete", ({ passes }) => passes.delete("none")],
    notify: ["pass:notify", ({ passes }) => passes.notify("none", untyped({ language: 5 }))],
    deliveries: ["pass:read", ({ passes }) => passes.deliveries("none", untyped({ status: 5 }))],
  },
  stamps: {
    state: ["pass:read", ({ stamps }) => stamps.state("none")],
    add: ["loyalty:manage", ({ stamps }) => stamps.add("none", untyped({ count: "5" }))],
    remove: ["loyalty:manage", ({ stamps }) => stamps.remove("none", untyped({ count: "5" }))],
    set: ["loyalty:manage", ({ stamps }) => stamps.set("none", untyped({ stamps: "5" }))],
    reset: ["loyalty:manage", ({ stamps }) => stamps.reset("none")],
    redeem: ["loyalty:manage", ({ stamps }) => stamps.redeem("none")],
    reverse: ["loyalty:manage", ({ stamps }) => stamps.reverse("none", untyped({ entryId: 5 }))],
    history: ["pass:read", ({ stamps }) => stamps.history("none", untyped({ page: "5" }))],
  },
  points: {
    state: ["pass:read", ({ points }) => points.state("none")],
    history: ["pass:read", ({ points }) => points.history("none", untyped({ page: "5" }))],
    add: ["loyalty:manage", ({ points }) => points.add("none", untyped({ points: "5" }))],
    remove: ["loyalty:manage", ({ points }) => points.remove("none", untyped({ points: "5" }))],
    spend: ["loyalty:manage", ({ points }) => points.spend("none", untyped({ points: "5" }))],
    reverse: ["loyalty:manage", ({ points }) => points.reverse("none", untyped({ entryId: 5 }))],
  },
  purchases: {
    put: ["purchase:write", ({ purchases }) => purchases.put("till", "1", wrong)],
    list: ["purchase:read", ({ purchases }) => purchases.list(untyped({ page: "5" }))],
    get: ["purchase:read", ({ purchases }) => purchases.get("till", "1")],
    addReturn: ["purchase:write", ({ purchases }) => purchases.addReturn("till", "1", wrong)],
    confirm: ["purchase:write", ({ purchases }) => purchases.confirm("till", "1")],
  },
  events: {
    list: ["webhook:manage", ({ events }) => events.list(untyped({ after: 5 }))],
    get: ["webhook:manage", ({ events }) => events.get("none")],
  },
  webhooks: {
    create: ["webhook:manage", ({ webhooks }) => webhooks.create(wrong)],
    list: ["webhook:manage", ({ webhooks }) => webhooks.list()],
    get: ["webhook:manage", ({ webhooks }) => webhooks.get("none")],
    update: ["webhook:manage", ({ webhooks }) => webhooks.update("none", untyped({ url: 5 }))],
    delete: ["webhook:manage", ({ webhooks }) => webhooks.delete("none")],
    rotateSecret: ["webhook:manage", ({ webhooks }) => webhooks.rotateSecret("none")],
    deliveries: ["webhook:manage", ({ webhooks }) => webhooks.deliveries("none", untyped({ limit: "" }))],
    replay: ["webhook:manage", ({ webhooks }) => webhooks.replay("none", wrong)],
    test: ["webhook:manage", ({ webhooks }) => webhooks.test("none")],
  },
  exports: {
    everything: ["organization:export", ({ exports }) => exports.everything().next()],
  },
  audit: {
    list: ["audit:read", ({ audit }) => audit.list(untyped({ after: 5 }))],
    verify: ["audit:read", ({ audit }) => audit.verify(untyped({ head: 5 }))],
  },
  apiTokens: {
    create: ["api_token:manage", ({ apiTokens }) => apiTokens.create(wrong)],
    list: ["api_token:manage", ({ apiTokens }) => apiTokens.list()],
    listCreated: ["api_token:manage", ({ apiTokens }) => apiTokens.listCreated("none")],
    rotate: ["api_token:manage", ({ apiTokens }) => apiTokens.rotate("none")],
    delete: ["api_token:manage", ({ apiTokens }) => apiTokens.delete("none")],
  },
  segments: {
    query: ["segment:read", ({ segments }) => segments.query(untyped({ filter: {} }))],
    create: ["segment:write", ({ segments }) => segments.create(wrong)],
    list: ["segment:read", ({ segments }) => segments.list()],
    get: ["segment:read", ({ segments }) => segments.get("none")],
    update: ["segment:write", ({ segments }) => segments.update("none", untyped({ name: 5 }))],
    delete: ["segment:write", ({ segments }) => segments.delete("none")],
    explain: ["segment:read", ({ segments }) => segments.explain("none", "nobody")],
    members: ["segment:read", ({ segments }) => segments.members("none", untyped({ page: "5" }))],
    statistics: ["segment:read", ({ segments }) => segments.statistics("none", untyped({ days: "5" }))],
  },
  statistics: {
    get: ["statistics:read", ({ statistics }) => statistics.get(untyped({ days: "5" }))],
    points: ["statistics:read", ({ statistics }) => statistics.points()],
  },
  people: {
    invite: ["people:manage", ({ people }) => people.invite(wrong)],
    add: ["people:manage", ({ people }) => people.add(wrong)],
    link: ["people:manage", ({ people }) => people.link("nobody")],
    list: ["people:manage", ({ people }) => people.list(untyped({ page: "x" }))],
    get: ["people:manage", ({ people }) => people.get("nobody")],
    update: ["people:manage", ({ people }) => people.update("nobody", wrong)],
    delete: ["people:manage", ({ people }) => people.delete("nobody")],
    inviteAgain: ["people:manage", ({ people }) => people.inviteAgain("nobody", untyped({ language: 5 }))],
    sessions: ["people:manage", ({ people }) => people.sessions("nobody")],
    endSessions: ["people:manage", ({ people }) => people.endSessions("nobody")],
    endSession: ["people:manage", ({ people }) => people.endSession("nobody", "none")],
  },
  apps: {
    create: ["api_token:manage", ({ apps }) => apps.create(wrong)],
    list: ["api_token:manage", ({ apps }) => apps.list()],
    get: ["api_token:manage", ({ apps }) => apps.get("none")],
    rotateSecret: ["api_token:manage", ({ apps }) => apps.rotateSecret("none")],
    delete: ["api_token:manage", ({ apps }) => apps.delete("none")],
  },
  subscriptions: {
    get: ["user:read", ({ subscriptions }) => subscriptions.get("nobody")],
    put: ["user:update", ({ subscriptions }) => subscriptions.put("nobody", untyped({ email: 5 }))],
  },
  settings: {
    get: ["settings:read", ({ settings }) => settings.get()],
    update: ["settings:write", ({ settings }) => settings.update(untyped({ timeZone: 5 }))],
  },
  messageSettings: {
    get: ["message:read", ({ messageSettings }) => messageSettings.get()],
    update: ["message:send", ({ messageSettings }) => messageSettings.update(untyped({ cap: 5 }))],
  },
  messages: {
    create: ["message:send", ({ messages }) => messages.create(wrong)],
    list: ["message:read", ({ messages }) => messages.list(untyped({ size: "x" }))],
    get: ["message:read", ({ messages }) => messages.get("none")],
    update: ["message:send", ({ messages }) => messages.update("none", wrong)],
    delete: ["message:send", ({ messages }) => messages.delete("none")],
    preview: ["message:read", ({ messages }) => messages.preview("none")],
    test: ["message:send", ({ messages }) => messages.test("none", untyped({ userId: 5 }))],
    send: ["message:send", ({ messages }) => messages.send("none")],
    cancel: ["message:send", ({ messages }) => messages.cancel("none")],
    deliveries: ["message:read", ({ messages }) => messages.deliveries("none", untyped({ status: "x" }))],
  },
  automations: {
    create: ["automation:manage", ({ automations }) => automations.create(wrong)],
    list: ["automation:manage", ({ automations }) => automations.list()],
    get: ["automation:manage", ({ automations }) => automations.get("none")],
    update: ["automation:manage", ({ automations }) => automations.update("none", wrong)],
    delete: ["automation:manage", ({ automations }) => automations.delete("none")],
    runs: ["automation:manage", ({ automations }) => automations.runs("none", untyped({ status: "x" }))],
    test: [
      ["automation:manage", "user:read"],
      ({ automations }) => automations.test("none", untyped({ userId: 5 })),
    ],
    ofUser: [
      ["automation:manage", "user_tag:read", "pass:read", "user:read"],
      ({ automations }) => automations.ofUser("none", untyped({ status: "x" })),
    ],
  },
  messageDeliveries: {
    get: ["message:read", ({ messageDeliveries }) => messageDeliveries.get("none")],
    bounce: [
      "message:send",
      ({ messageDeliveries }) => messageDeliveries.bounce("none", untyped({ kind: 5 })),
    ],
    bounceAddress: [
      "message:send",
      ({ messageDeliveries }) => messageDeliveries.bounceAddress(untyped({ kind: 5 })),
    ],
  },
  grants: {
    allow: ["user:read", ({ grants }) => grants.allow(someGrant)],
    list: ["api_token:manage", ({ grants }) => grants.list()],
    delete: ["api_token:manage", ({ grants }) => grants.delete("none")],
  },
};

/** Calls that accept another scope instead of their own. */
const eitherWay = new Map<string, Scope>([["messageDeliveries.get", "pass:read"]]);

const methods = Object.entries(calls).flatMap(([group, table]) =>
  Object.entries(table).map(([method, [scope, call]]) => {
    return { method: `${group}.${method}`, needed: [scope].flat(), call };
  }),
);

describe.each(methods)("$method", ({ method, needed, call }) => {
  it.each(needed)("is refused without %s, before anything is checked or read", async (scope) => {
    const calledMethods: string[] = [];
    const { loyalty } = openAcme({ storage: recordCalls(memoryStorage(), calledMethods) });
    const callWith = (grantedScopes: readonly Scope[]) =>
      getErrorDetail(call(loyalty.organization("acme", { scopes: grantedScopes })));
    const otherScopes = scopes.filter((other) => other !== scope && other !== eitherWay.get(method));
    expect(await callWith(otherScopes)).toEqual({ code: "access_denied", scope });
    expect(await callWith([])).toEqual({ code: "access_denied", scope: needed[0] });
    expect(calledMethods).toEqual([]);
  });

  it(`needs only ${needed.join(", ")}`, async () => {
    const { loyalty } = openAcme();
    const limitedCaller = loyalty.organization("acme", { scopes: needed });
    await call(limitedCaller).catch((error) => expect(error).not.toHaveProperty("code", "access_denied"));
  });
});

describe("scopes", () => {
  it("are all granted when the organization is opened without a list of scopes", async () => {
    const { loyalty } = openAcme();
    for (const scope of scopes)
      expect(() => organizationInternals(loyalty.organization("acme")).require(scope)).not.toThrow();
  });

  it("are compared exactly", async () => {
    const { loyalty } = openAcme();
    for (const grantedScopes of ["user:*", "*", "USER:READ", "user:rea", "user:read ", "user", "toString"]) {
      const limitedCaller = loyalty.organization("acme", { scopes: [untyped(grantedScopes)] });
      expect(await getErrorDetail(limitedCaller.contacts.list())).toEqual({
        code: "access_denied",
        scope: "user:read",
      });
    }
  });

  it("for a pass suffice for its inline user", async () => {
    const { loyalty, acme } = openAcme();
    const { id } = await acme.templates.create({ name: "Card", type: "LOYALTY_CARD" });
    const issuer = loyalty.organization("acme", { scopes: ["pass:create"] });
    const pass = await issuer.passes.create(id, { user: { email: "ada@example.com" } });
    expect((await acme.users.get(pass.userId)).email).toBe("ada@example.com");
  });
});
