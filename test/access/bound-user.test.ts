import { LoyaltyService, type Organization, scopes } from "loyalty-kit";
import { describe, expect, it, onTestFinished } from "vitest";
import { organizationInternals } from "../../src/internals.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { getErrorDetail, notFound, untyped } from "../kit/refusal.js";

/** The calls that a user may make, with their own id or another user's. */
const ownCalls: Readonly<Record<string, (acme: Organization, ids: Ids) => Promise<unknown>>> = {
  "users.get": (acme, { user }) => acme.users.get(user),
  "tags.ofUser": (acme, { user }) => acme.tags.ofUser(user),
  "passes.ofUser": (acme, { user }) => acme.passes.ofUser(user),
  "passes.get": (acme, { pass }) => acme.passes.get(pass),
  "passes.lookup": (acme, { code }) => acme.passes.lookup(code),
  "passes.walletLinks": (acme, { pass }) => acme.passes.walletLinks(pass),
  "subscriptions.get": (acme, { user }) => acme.subscriptions.get(user),
  "subscriptions.put": (acme, { user }) => acme.subscriptions.put(user, { language: "de" }),
  "stamps.state": (acme, { pass }) => acme.stamps.state(pass),
  "stamps.history": (acme, { pass }) => acme.stamps.history(pass),
  "points.state": (acme, { pointPass }) => acme.points.state(pointPass),
  "points.history": (acme, { pointPass }) => acme.points.history(pointPass),
};

interface Ids {
  readonly user: string;
  readonly pass: string;
  readonly code: string;
  /** A pass with points. */
  readonly pointPass: string;
}

describe.each(everyAdapter)("a caller bound to one user, on $name", ({ open }) => {
  async function openOrganization() {
    const loyalty = new LoyaltyService({ storage: await open() });
    onTestFinished(() => loyalty.close());
    const acme = loyalty.organization("acme");
    const { id: template } = await acme.templates.create({
      name: "Coffee",
      type: "STAMP_CARD",
      maxStamps: 10,
    });
    const points = await acme.templates.create({ name: "Points", type: "LOYALTY_CARD", points: {} });
    const createCustomer = async (name: string): Promise<Ids> => {
      const { id } = await acme.users.create({ email: `${name}@example.com`, externalId: `shop-${name}` });
      const pass = await acme.passes.create(template, { userId: id });
      const pointPass = await acme.passes.create(points.id, { userId: id });
      return { user: id, pass: pass.id, code: pass.qrCodeValue, pointPass: pointPass.id };
    };
    return { loyalty, ada: await createCustomer("ada"), bob: await createCustomer("bob") };
  }

  it("sees its own profile and cards, by service id and by external id, and can't find those of other users", async () => {
    const { loyalty, ada, bob } = await openOrganization();
    for (const user of [ada.user, "shop-ada"]) {
      const asAda = loyalty.organization("acme", { user });
      for (const [name, call] of Object.entries(ownCalls)) {
        await expect(call(asAda, ada), name).resolves.toBeDefined();
        expect(await getErrorDetail(call(asAda, bob)), name).toEqual(notFound);
      }
    }
    const nobody = loyalty.organization("acme", { user: "usr_nobody" });
    for (const call of Object.values(ownCalls))
      expect(await getErrorDetail(call(nobody, ada))).toEqual(notFound);
  });

  it("needs scopes like any other caller", async () => {
    const { loyalty, ada } = await openOrganization();
    const reader = loyalty.organization("acme", { user: ada.user, scopes: ["pass:read"] });
    expect(await reader.stamps.state(ada.pass)).toMatchObject({ currentStamps: 0 });
    expect(await getErrorDetail(reader.users.get(ada.user))).toMatchObject({ code: "access_denied" });
  });

  it("can do nothing else, whatever its scopes, not even inside a call of another interface", async () => {
    const { loyalty, ada } = await openOrganization();
    const asAda = loyalty.organization("acme", { user: ada.user, scopes });
    const inner: unknown[] = [];
    await organizationInternals(asAda).call(null, async (organization) => inner.push(organization));
    for (const organization of [asAda, ...inner]) {
      const outcomes = await callEverything(organization, ada);
      expect(outcomes.length).toBeGreaterThan(40);
      for (const { name, result } of outcomes) {
        if (Object.hasOwn(ownCalls, name)) continue;
        expect(result, name).toMatchObject({ detail: { code: "access_denied" } });
      }
    }
  });

  it("can't be opened without a valid user id", async () => {
    const { loyalty } = await openOrganization();
    for (const user of [undefined, null, "", 7]) {
      expect(() => loyalty.organization("acme", { user: untyped(user) })).toThrow(/user/);
    }
  });
});

/** Private methods and the constructor, which aren't called. */
const inner = new Set([
  ...["constructor", "write", "setInstallation", "wakeWorkers", "readReplayBatches", "rangeOf"],
]);

/** A valid grant: whether the caller may create it depends only on the caller's scopes. */
const newGrant = {
  appId: "app_1",
  subject: "ada",
  redirectUri: null,
  codeChallenge: "a".repeat(43),
  scopes: ["pass:read"],
};

/** Calls every method of every group of an organization. */
async function callEverything(organization: unknown, ids: Ids) {
  const outcomes: { readonly name: string; readonly result: unknown }[] = [];
  const prototype = Object.getPrototypeOf(organization);
  for (const [group, { get }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    const face: unknown = get?.call(organization);
    if (typeof face !== "object" || face === null) continue;
    for (const method of Object.getOwnPropertyNames(Object.getPrototypeOf(face))) {
      const call: unknown = Reflect.get(face, method);
      if (inner.has(method) || typeof call !== "function") continue;
      const outcome = await getOutcome(async () => {
        const result = call.call(face, ...buildArguments(group, method, ids));
        return "next" in Object(result) ? result.next() : result;
      });
      outcomes.push({ name: `${group}.${method}`, result: outcome });
    }
  }
  return outcomes;
}

/** Builds arguments of the right type for a call; the call checks the values itself. */
function buildArguments(group: string, method: string, ids: Ids): readonly unknown[] {
  if (group === "purchases" && method !== "list") return ["till-7", "991", {}];
  switch (method) {
    case "allow":
      return [newGrant];
    case "import":
      return [[], {}];
    case "assign":
    case "unassign":
      return [ids.user, "vip", {}];
    case "endSession":
      return [ids.user, "pse_1", {}];
    case "explain":
      return ["regulars", ids.user];
    default:
      return [ids.user, {}, {}];
  }
}

async function getOutcome(call: () => Promise<unknown>): Promise<unknown> {
  try {
    return await call();
  } catch (error) {
    return error;
  }
}
