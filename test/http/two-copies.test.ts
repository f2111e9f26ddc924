import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import type { LoyaltyService as Service } from "loyalty-kit";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";

/** Loads the package again, as a bundler's second copy would be. @param version the version of the copy. */
async function loadCopy(version?: string) {
  vi.resetModules();
  if (version !== undefined) vi.doMock("../../package.json", () => ({ version, engines: {} }));
  try {
    return {
      ...(await import("loyalty-kit")),
      ...(await import("loyalty-kit/joining")),
      ...(await import("loyalty-kit/sqlite")),
      ...(await import("loyalty-kit/memory")),
      ...(await import("loyalty-kit/storage")),
      ...(await import("loyalty-kit/http")),
      ...(await import("loyalty-kit/webhooks")),
      ...(await import("loyalty-kit/pages")),
    };
  } finally {
    vi.doUnmock("../../package.json");
  }
}

type Copy = Awaited<ReturnType<typeof loadCopy>>;

let first: Copy;
let second: Copy;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "loyalty-kit-"));
  first = await loadCopy();
  second = await loadCopy();
});

afterAll(() => rm(folder, { recursive: true }));

async function openService(copy: Copy, storage: "sqlite" | "memory"): Promise<Service> {
  const file = join(folder, `${Math.random()}.db`);
  const loyalty = new copy.LoyaltyService({
    storage: storage === "memory" ? copy.memoryStorage() : await copy.sqliteStorage(file),
  });
  onTestFinished(() => loyalty.close());
  return loyalty;
}

async function getResponse(
  api: { fetch(request: Request): Promise<Response> },
  path: string,
  token: string,
  body?: object,
) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const response = await api.fetch(
    new Request(`http://host.example${path}`, {
      headers,
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    }),
  );
  return response.status;
}

const directions: readonly [direction: string, order: () => Record<"made" | "used", Copy>][] = [
  ["made by the first, used by the second", () => ({ made: first, used: second })],
  ["made by the second, used by the first", () => ({ made: second, used: first })],
];

describe.each(["sqlite", "memory"] as const)("two copies of the package in one process, on %s", (storage) => {
  test.each(directions)("respond to a refused request as one copy does: %s", async (_, order) => {
    const { made: owner, used: server } = order();
    const loyalty = await openService(owner, storage);
    const acme = loyalty.organization("acme");
    const { token } = await acme.apiTokens.create({ name: "till", scopes: [...owner.scopes] });
    for (const authenticate of [server.apiTokens(loyalty), owner.apiTokens(loyalty)]) {
      const api = server.createHttpApi(loyalty, { authenticate });
      expect(await getResponse(api, "/v1/users/nobody", token)).toBe(404);
      expect(await getResponse(api, "/v1/users", token, { email: "no email" })).toBe(422);
      const email = `${Math.random()}@example.com`;
      expect(await getResponse(api, "/v1/users", token, { email })).toBe(201);
      expect(await getResponse(api, "/v1/users", token, { email })).toBe(409);
      expect(await getResponse(api, "/v1/users", "lk_none")).toBe(401);
    }
  });

  test.each(directions)("recognize each other's errors: %s", async (_, order) => {
    const { made: owner, used: reader } = order();
    const acme = (await openService(owner, storage)).organization("acme");
    const error = await acme.users.get("nobody").catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(reader.LoyaltyError);
    expect(reader.isLoyaltyError(error, "resource_not_found")).toBe(true);
    expect(reader.isLoyaltyError(error, "access_denied")).toBe(false);
  });

  test.each(directions)("use each other's storages: %s", async (_, order) => {
    const { made: owner, used: user } = order();
    const storageOfOwner =
      storage === "memory"
        ? owner.memoryStorage()
        : await owner.sqliteStorage(join(folder, `${Math.random()}.db`));
    const loyalty = new user.LoyaltyService({ storage: storageOfOwner });
    onTestFinished(() => loyalty.close());
    const acme = loyalty.organization("acme");
    await acme.tags.create({ name: "VIP" });
    await expect(acme.tags.create({ name: "VIP" })).rejects.toMatchObject({
      code: "user_tag_already_exists",
    });
    const ada = await acme.users.create({ email: "ada@example.com" });
    await expect(acme.users.create({ email: "ada@example.com" })).rejects.toMatchObject({
      code: "user_already_exists",
    });
    await acme.tags.assign(ada.id, "vip");
    const vips = await acme.segments.query({ filter: { operator: "AND", conditions: [{ slug: "vip" }] } });
    expect(vips).toMatchObject({ totalElements: 1, content: [{ id: ada.id }] });
    if (storage === "sqlite") expect(await user.checkStorage(storageOfOwner)).toEqual([]);
  });

  test("are refused immediately if their versions differ, with an error that names both", async () => {
    const other = await loadCopy("9.9.9");
    const loyalty = await openService(first, storage);
    const versionMessage = /9\.9\.9.*\b0\.|\b0\..*9\.9\.9/;
    expect(() => other.createHttpApi(loyalty, { authenticate: () => Promise.resolve(null) })).toThrow(
      versionMessage,
    );
    expect(() => other.createWebhookWorker(loyalty)).toThrow(versionMessage);
    expect(() => other.createPages(loyalty)).toThrow(versionMessage);
    const storageOfFirst =
      storage === "memory"
        ? first.memoryStorage()
        : await first.sqliteStorage(join(folder, `${Math.random()}.db`));
    onTestFinished(() => storageOfFirst.close());
    expect(() => new other.LoyaltyService({ storage: storageOfFirst })).toThrow(versionMessage);
    const api = first.createHttpApi(loyalty, { authenticate: first.apiTokens(loyalty) });
    expect(() => other.nodeListener(api)).toThrow(versionMessage);
    expect(() => other.loyaltyRouter(api)).toThrow(versionMessage);
  });
});

test.each(directions)(
  "two copies of the package join each other's transactions on SQLite: %s",
  async (_, order) => {
    const { made: owner, used: joiner } = order();
    const file = join(folder, `${Math.random()}.db`);
    const loyalty = new owner.LoyaltyService({ storage: await owner.sqliteStorage(file) });
    const connection = new Sqlite(file);
    onTestFinished(async () => {
      connection.close();
      await loyalty.close();
    });
    const acme = loyalty.organization("acme");
    const addUser = (email: string) =>
      acme.joiningSync(joiner.fromBetterSqlite3(connection)).users.create({ email });
    connection.transaction(() => addUser("ada@example.com"))();
    const rejectedTransaction = connection.transaction(() => [
      addUser("bob@example.com"),
      addUser("ada@example.com"),
    ]);
    expect(rejectedTransaction).toThrow(expect.objectContaining({ code: "user_already_exists" }));
    expect((await acme.contacts.list()).content).toMatchObject([{ email: "ada@example.com" }]);
  },
);

test("an error that a route doesn't catch has a status for frameworks, which may change it", async () => {
  const acme = (await openService(first, "memory")).organization("acme");
  const error = await acme.users.get("nobody").catch((cause: unknown) => cause);
  expect(error).toMatchObject({ status: 404, statusCode: 404, expose: true, code: "resource_not_found" });
  // As http-errors and Koa change a thrown error.
  expect(Object.assign(error as object, { status: 500, statusCode: 500, expose: false })).toMatchObject({
    status: 500,
  });
  const hiddenError = new first.LoyaltyError({ code: "internal_error", params: null });
  expect(hiddenError).toMatchObject({ status: 500, statusCode: 500, expose: false });
});
