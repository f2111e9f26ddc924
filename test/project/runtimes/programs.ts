/** Code for a service in memory. Each program in this file prints the email of a customer that it has created. */

const serverProgram = `
  const loyalty = new LoyaltyService({ storage: memoryStorage() });
  const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty) });
  const { token } = await loyalty.organization("cafe").apiTokens.create({ name: "till", scopes: ["user:create"] });
  const ask = (url, init) => api.fetch(new Request(url, init));
  const cafe = createClient({ url: "http://localhost", token, fetch: ask });
  console.log((await cafe.users.create({ email: "ada@example.com" })).email);
  await loyalty.close();`;

const imports = `
  import { LoyaltyService } from "loyalty-kit";
  import { createClient } from "loyalty-kit/client";
  import { apiTokens, createHttpApi } from "loyalty-kit/http";
  import { memoryStorage } from "loyalty-kit/memory";`;

/** A service in memory, its API, and a client that calls it. */
export const service = imports + serverProgram;

/** The same in a worker, which runs when its `test` handler is called. */
export const worker = `${imports}\nexport default { async test() {${serverProgram}} };`;

export const workerConfig = `
  using Workerd = import "/workerd/workerd.capnp";
  const config :Workerd.Config = (services = [(name = "main", worker = .worker)]);
  const worker :Workerd.Worker = (
    modules = [(name = "worker.js", esModule = embed "worker.js")],
    compatibilityDate = "2026-01-01",
    compatibilityFlags = ["nodejs_compat"],
  );`;

/** A service on a SQLite file. */
export const onSqlite = `
  import { LoyaltyService } from "loyalty-kit";
  import { sqliteStorage } from "loyalty-kit/sqlite";
  const loyalty = new LoyaltyService({ storage: await sqliteStorage("shop" + process.pid + ".db") });
  const cafe = loyalty.organization("cafe");
  const { id } = await cafe.users.create({ email: "ada@example.com" });
  console.log((await cafe.users.get(id)).email);
  await loyalty.close();`;
