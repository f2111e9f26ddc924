import { type Scope, scopes } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { readVisibleState } from "../faults/visible-state.js";
import { openAcme, someEmail } from "../kit/acme.js";
import { collect } from "../kit/collect.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { getErrorDetail } from "../kit/refusal.js";
import { recordEvents } from "./recorded-events.js";
import { createScene, type Scene } from "./scene.js";

/** Calls that are rejected, each for a different reason. */
const expectedError: Record<string, (scene: Scene) => Promise<unknown>> = {
  "a taken email": ({ acme }) => acme.users.create({ email: "ADA@example.com" }),
  "a taken email in a PATCH": ({ acme, bob }) => acme.users.update(bob.id, { email: "ada@example.com" }),
  "a taken external id": ({ acme }) => acme.users.create({ email: someEmail(), externalId: "ada" }),
  "an invalid email": ({ acme }) => acme.users.create({ email: "ada" }),
  "updating an unknown user": ({ acme }) => acme.users.update("nobody", { name: "Ada" }),
  "deleting nobody": ({ acme }) => acme.users.delete("nobody"),
  "a taken slug": ({ acme }) => acme.tags.create({ name: "vip" }),
  "a tag that is not there": ({ acme }) => acme.tags.delete("none"),
  "assigning a tag that is already assigned": ({ acme }) => acme.tags.assign("ada", "vip"),
  "unassigning a tag that isn't assigned": ({ acme }) => acme.tags.unassign("ada", "idle"),
  "assigning a tag to users of whom one doesn't exist": ({ acme, bob }) =>
    acme.tags.assignUsers("gold", { userIds: [bob.id, "nobody"] }),
  "deleting a template in use": ({ acme, card }) => acme.templates.delete(card.id),
  "an inline user with a taken email": ({ acme, card }) =>
    acme.passes.create(card.id, { user: { email: "bob@example.com" } }),
  "creating a pass of an unknown template": ({ acme }) =>
    acme.passes.create("none", { user: { email: someEmail() } }),
  "uninstalling a pass that was never installed": ({ acme, pass }) => acme.passes.markUninstalled(pass.id),
  "deleting a pass of another template": ({ acme, pass, unused }) =>
    acme.passes.delete(pass.id, { templateId: unused.id }),
  "too few stamps": ({ acme, pass }) => acme.stamps.remove(pass.id, { count: 3 }),
  "too many stamps": ({ acme, pass }) => acme.stamps.set(pass.id, { stamps: 5 }),
  "no reward": ({ acme, empty }) => acme.stamps.redeem(empty.id),
  "stamping a pass without stamps": ({ acme, member }) => acme.stamps.add(member.id),
};

/** Calls that succeed and emit no event. */
const quiet: Record<string, (scene: Scene) => Promise<unknown>> = {
  "an empty PATCH of a user": ({ acme }) => acme.users.update("ada", {}),
  "a PATCH of a user to its current values": ({ acme }) =>
    acme.users.update("ada", { name: "Ada", metadata: {} }),
  "an empty PUT of a tag": ({ acme }) => acme.tags.update("vip", {}),
  "a PUT of a tag to its current values": ({ acme }) =>
    acme.tags.update("vip", { name: "VIP", color: "#64748b" }),
  "an empty PATCH of a template": ({ acme, card }) => acme.templates.update(card.id, {}),
  "a PATCH of a template to its current values": ({ acme, card }) =>
    acme.templates.update(card.id, { maxStamps: 5 }),
  "installing an installed pass": ({ acme, member }) => acme.passes.markInstalled(member.id),
  "assigning a tag to users who have it": ({ acme, ada, bob }) =>
    acme.tags.assignUsers("vip", { userIds: [ada.id, bob.id] }),
  "unassigning a tag from users who lack it": ({ acme, ada, bob }) =>
    acme.tags.unassignUsers("idle", { userIds: [ada.id, bob.id] }),
  "making segments anew": ({ acme }) => acme.tags.rebuildIndex(),
  "reading everything": ({ acme }) => readVisibleState(acme),
  "leaving a list": async ({ acme }) => {
    for await (const _user of acme.users.list()) return;
  },
  "listing the users of a tag": ({ acme }) => collect(acme.tags.users("vip")),
};

describe.each(everyAdapter)("on $name", ({ open }) => {
  it.each(Object.entries(expectedError))(
    "%s is refused, emits nothing and changes nothing",
    async (_reason, call) => {
      const { loyalty } = openAcme({ storage: await open() });
      const scene = await createScene(loyalty);
      const before = await readVisibleState(scene.acme);
      const recordedEvents = recordEvents(loyalty);
      await getErrorDetail(call(scene));
      expect(recordedEvents).toEqual([]);
      expect(await readVisibleState(scene.acme)).toEqual(before);
    },
  );

  it.each(Object.entries(quiet))("%s emits nothing and changes nothing", async (_what, call) => {
    const { loyalty } = openAcme({ storage: await open() });
    const scene = await createScene(loyalty);
    const before = await readVisibleState(scene.acme);
    const recordedEvents = recordEvents(loyalty);
    await call(scene);
    expect(recordedEvents).toEqual([]);
    expect(await readVisibleState(scene.acme)).toEqual(before);
  });

  it("API tokens emit nothing", async () => {
    const { loyalty, acme } = openAcme({ storage: await open() });
    const recordedEvents = recordEvents(loyalty);
    const { token, apiToken } = await acme.apiTokens.create({ name: "Till", scopes: ["user:read"] });
    await loyalty.verifyApiToken(token);
    await acme.apiTokens.delete(apiToken.id);
    expect(recordedEvents).toEqual([]);
  });
});

describe("a call without its scope", () => {
  it("emits nothing", async () => {
    const { loyalty } = openAcme();
    const { ada, pass } = await createScene(loyalty);
    const recordedEvents = recordEvents(loyalty);
    const withoutScope = (scope: Scope) =>
      loyalty.organization("acme", { scopes: scopes.filter((each) => each !== scope) });
    await getErrorDetail(withoutScope("user:update").users.delete(ada.id));
    await getErrorDetail(withoutScope("user_tag:write").tags.delete("vip"));
    await getErrorDetail(withoutScope("pass:delete").passes.delete(pass.id));
    await getErrorDetail(withoutScope("loyalty:manage").stamps.add(pass.id));
    expect(recordedEvents).toEqual([]);
  });
});
