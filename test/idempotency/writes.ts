import type { Organization } from "loyalty-kit";
import { someEmail } from "../kit/acme.js";

interface Key {
  readonly idempotencyKey: string;
}

/** Prepares a write. Returns a function that makes it with a key. */
type PreparedWrite = (acme: Organization) => Promise<(key: Key) => Promise<unknown>>;

const someApp = {
  name: "Till",
  redirectUris: ["https://app.example/callback"],
  scopes: ["user:read"] as const,
};
const createUser = async (acme: Organization) => acme.users.create({ email: someEmail() });
const createPass = async (acme: Organization) => {
  const { id } = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 3 });
  return acme.passes.create(id, { userId: (await createUser(acme)).id });
};
const createUserAndTag = async (acme: Organization) => {
  await acme.tags.create({ name: "VIP" });
  return createUser(acme);
};

/** Every write of the library that takes an idempotency key. */
export const writes: Readonly<Record<string, PreparedWrite>> = {
  "users.create": async (acme) => {
    const email = someEmail();
    return (key) => acme.users.create({ email, metadata: { level: 3 }, ...key });
  },
  "users.update": async (acme) => {
    const { id } = await createUser(acme);
    return (key) => acme.users.update(id, { name: "Ada", ...key });
  },
  "users.delete": async (acme) => {
    const { id } = await createUser(acme);
    return (key) => acme.users.delete(id, key);
  },
  "tags.create": async (acme) => (key) => acme.tags.create({ name: "VIP", ...key }),
  "tags.update": async (acme) => {
    await createUserAndTag(acme);
    return (key) => acme.tags.update("vip", { color: "#112233", ...key });
  },
  "tags.delete": async (acme) => {
    await createUserAndTag(acme);
    return (key) => acme.tags.delete("vip", key);
  },
  "tags.assign": async (acme) => {
    const { id } = await createUserAndTag(acme);
    return (key) => acme.tags.assign(id, "vip", key);
  },
  "tags.unassign": async (acme) => {
    const { id } = await createUserAndTag(acme);
    await acme.tags.assign(id, "vip");
    return (key) => acme.tags.unassign(id, "vip", key);
  },
  "tags.assignUsers": async (acme) => {
    const { id } = await createUserAndTag(acme);
    return (key) => acme.tags.assignUsers("vip", { userIds: [id], ...key });
  },
  "tags.unassignUsers": async (acme) => {
    const { id } = await createUserAndTag(acme);
    await acme.tags.assign(id, "vip");
    return (key) => acme.tags.unassignUsers("vip", { userIds: [id], ...key });
  },
  "templates.create": async (acme) => (key) =>
    acme.templates.create({ name: "Coffee", type: "LOYALTY_CARD", ...key }),
  "templates.update": async (acme) => {
    const { templateId } = await createPass(acme);
    return (key) => acme.templates.update(templateId, { name: "Tea", ...key });
  },
  "templates.delete": async (acme) => {
    const { id } = await acme.templates.create({ name: "Coffee", type: "LOYALTY_CARD" });
    return (key) => acme.templates.delete(id, key);
  },
  "passes.create": async (acme) => {
    const { templateId } = await createPass(acme);
    const email = someEmail();
    return (key) => acme.passes.create(templateId, { user: { email }, ...key });
  },
  "passes.markInstalled": async (acme) => {
    const { id } = await createPass(acme);
    return (key) => acme.passes.markInstalled(id, key);
  },
  "passes.markUninstalled": async (acme) => {
    const { id } = await createPass(acme);
    await acme.passes.markInstalled(id);
    return (key) => acme.passes.markUninstalled(id, key);
  },
  "passes.delete": async (acme) => {
    const { id } = await createPass(acme);
    return (key) => acme.passes.delete(id, key);
  },
  "stamps.add": async (acme) => {
    const { id } = await createPass(acme);
    return (key) => acme.stamps.add(id, { count: 4, ...key });
  },
  "stamps.remove": async (acme) => {
    const { id } = await createPass(acme);
    await acme.stamps.add(id, { count: 2 });
    return (key) => acme.stamps.remove(id, key);
  },
  "stamps.set": async (acme) => {
    const { id } = await createPass(acme);
    return (key) => acme.stamps.set(id, { stamps: 2, ...key });
  },
  "stamps.reset": async (acme) => {
    const { id } = await createPass(acme);
    await acme.stamps.add(id);
    return (key) => acme.stamps.reset(id, key);
  },
  "stamps.redeem": async (acme) => {
    const { id } = await createPass(acme);
    await acme.stamps.add(id, { count: 3 });
    return (key) => acme.stamps.redeem(id, key);
  },
  "apiTokens.create": async (acme) => (key) =>
    acme.apiTokens.create({ name: "Till", scopes: ["user:read"], ...key }),
  "apiTokens.delete": async (acme) => {
    const { apiToken } = await acme.apiTokens.create({ name: "Till", scopes: ["user:read"] });
    return (key) => acme.apiTokens.delete(apiToken.id, key);
  },
  "apiTokens.rotate": async (acme) => {
    const { apiToken } = await acme.apiTokens.create({ name: "Till", scopes: ["user:read"] });
    return (key) => acme.apiTokens.rotate(apiToken.id, key);
  },
  "apps.create": async (acme) => (key) => acme.apps.create({ ...someApp, ...key }),
  "apps.rotateSecret": async (acme) => {
    const { app } = await acme.apps.create(someApp);
    return (key) => acme.apps.rotateSecret(app.id, key);
  },
  "apps.delete": async (acme) => {
    const { app } = await acme.apps.create(someApp);
    return (key) => acme.apps.delete(app.id, key);
  },
  "grants.delete": async (acme) => {
    const { app } = await acme.apps.create(someApp);
    await acme.grants.allow({
      appId: app.id,
      subject: "ada",
      scopes: ["user:read"],
      redirectUri: null,
      codeChallenge: "x".repeat(43),
    });
    const [grant] = await acme.grants.list();
    return (key) => acme.grants.delete(grant?.id ?? "none", key);
  },
};
