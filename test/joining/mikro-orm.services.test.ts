import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { LoyaltyService } from "loyalty-kit";
import { fromMikroOrm, type MikroOrmManager } from "loyalty-kit/joining";
import { postgresStorage } from "loyalty-kit/postgres";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { storeScene } from "../../adapters/testing/storage-suite/kit/scene.js";
import { runSceneQuestions } from "../../adapters/testing/storage-suite/law/reads.js";
import { runStep } from "../../src/base/concurrency/step.js";
import { requireHostSupport } from "../../src/storage/storage-adapter.js";
import { getErrorDetail } from "../kit/refusal.js";
import { createPlace } from "../postgres/place.js";
import { root } from "../project/imports.js";
import { loseConnections } from "./bridged-hosts.js";
import { createCustomer, readStamps } from "./shop.js";

/** The parts of MikroORM that the tests use. Its own types arrive only with the package that npm fetches. */
interface Manager extends MikroOrmManager {
  fork(): Manager;
  transactional<T>(work: (em: Manager) => Promise<T>): Promise<T>;
  create(name: string, order: { id: string; customer: string }): object;
  persist(order: object): unknown;
  flush(): Promise<void>;
}

interface Package {
  readonly MikroORM: { init(options: object): Promise<{ readonly em: Manager; close(): Promise<void> }> };
  readonly EntitySchema: new (options: object) => object;
}

/** Installs this version of the package with npm. */
async function installPackage(version: string): Promise<Package & { readonly folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), "loyalty-kit-mikro-orm-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const install = ["install", "--no-save", "--no-audit", "--no-fund", `@mikro-orm/postgresql@${version}`];
  await promisify(execFile)("npm", install, { cwd: folder });
  return { ...createRequire(join(folder, "package.json"))("@mikro-orm/postgresql"), folder };
}

/** Each version, and how it passes options to the driver. */
const versions = [
  { version: "7.2.1", driverOptions: (connection: object) => connection },
  { version: "6.6.16", driverOptions: (connection: object) => ({ connection }) },
];

async function openShop(
  { MikroORM, EntitySchema }: Package,
  { driverOptions }: Omit<(typeof versions)[number], "version">,
) {
  const place = await createPlace();
  const pool = new pg.Pool({ connectionString: place.url });
  await pool.query("create table orders (id text primary key, customer text not null)");
  const storage = await postgresStorage(pool);
  const text = { type: "string" };
  const properties = { id: { ...text, primary: true }, customer: text };
  const orm = await MikroORM.init({
    clientUrl: place.url,
    driverOptions: driverOptions({ options: new URL(place.url).searchParams.get("options") }),
    entities: [new EntitySchema({ name: "Order", tableName: "orders", properties })],
  });
  const loyalty = new LoyaltyService({ storage });
  onTestFinished(async () => {
    // Not awaited, because version 7 would wait for a connection that was lost in a transaction.
    orm.close().catch(() => undefined);
    await loyalty.close();
    await pool.end();
    await place.remove();
  });
  const acme = loyalty.organization("acme");
  const placeOrder = async (em: Manager) => {
    em.persist(em.create("Order", { id: "order-1", customer: "Ada" }));
    await em.flush();
  };
  const countOrders = async () => (await pool.query("select from orders")).rowCount;
  return {
    em: orm.em.fork(),
    pool,
    storage,
    acme,
    placeOrder,
    countOrders,
    ...(await createCustomer(acme)),
  };
}

describe.each(versions)("a transaction of MikroORM $version on Postgres", ({ version, ...options }) => {
  const library = installPackage(version);

  it("is committed together with its joined calls, and rolled back together with them", async () => {
    const { em, acme, placeOrder, countOrders, card } = await openShop(await library, options);
    const declined = em.transactional(async (em) => {
      await placeOrder(em);
      await acme.joining(fromMikroOrm(em)).stamps.add(card);
      throw new Error("the card was declined");
    });
    await expect(declined).rejects.toThrow("the card was declined");
    expect([await countOrders(), await readStamps(acme, card)]).toEqual([0, 0]);
    await em.transactional(async (em) => {
      await placeOrder(em);
      await acme.joining(fromMikroOrm(em)).stamps.add(card);
      await expect(acme.joining(fromMikroOrm(em)).stamps.remove(card, { count: 5 })).rejects.toThrow();
      await acme.joining(fromMikroOrm(em)).stamps.add(card);
    });
    expect([await countOrders(), await readStamps(acme, card)]).toEqual([1, 2]);
  });

  it("reads the same as the storage's own connections", async () => {
    const { em, storage } = await openShop(await library, options);
    await storeScene(storage, "globex");
    const own = await runStep(runSceneQuestions(storage.reader("globex")));
    await em.transactional(async (em) => {
      const joinedStorage = requireHostSupport(storage).joining(fromMikroOrm(em));
      expect(await joinedStorage.transaction("globex", (tx) => runSceneQuestions(tx))).toStrictEqual(own);
    });
  });

  it("makes joined calls fail with storage_unavailable after its connection is lost", async () => {
    const { em, pool, acme, placeOrder, card } = await openShop(await library, options);
    const errors: unknown[] = [];
    const lostTransaction = em.transactional(async (em) => {
      const joinedOrganization = acme.joining(fromMikroOrm(em));
      await placeOrder(em);
      await loseConnections(pool);
      for (let calls = 0; calls < 2; calls += 1)
        errors.push(await getErrorDetail(joinedOrganization.stamps.add(card)).catch(String));
    });
    await expect(lostTransaction).rejects.toThrow();
    const unavailable = { code: "storage_unavailable", params: null };
    expect(errors).toEqual([unavailable, unavailable]);
    expect(await readStamps(acme, card)).toBe(0);
  });

  it("can be joined by code that compiles under strict TypeScript", async () => {
    const { folder } = await library;
    writeFileSync(
      join(folder, "buy.ts"),
      `import type { SqlEntityManager } from "@mikro-orm/postgresql";
      import type { Organization } from "loyalty-kit";
      import { fromMikroOrm } from "loyalty-kit/joining";
      export async function buy(em: SqlEntityManager, acme: Organization, card: string): Promise<void> {
        await em.transactional(async (em) => acme.joining(fromMikroOrm(em)).stamps.add(card));
      }`,
    );
    const paths = {
      "loyalty-kit": [join(root, "src/index.ts")],
      "loyalty-kit/*": [join(root, "adapters/storage/*/index.ts")],
    };
    const compilerOptions = { paths, typeRoots: [join(root, "node_modules/@types")] };
    const project = { extends: join(root, "tsconfig.json"), compilerOptions, include: ["buy.ts"] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(project));
    const compiler = join(root, "node_modules/typescript-7/bin/tsc");
    const { stdout } = await promisify(execFile)(process.execPath, [compiler, "-p", folder]).catch(
      (error) => error,
    );
    expect(stdout).toBe("");
  });

  it("is required by the bridge, whose error says how to begin one", async () => {
    const { em } = await openShop(await library, options);
    expect(() => fromMikroOrm(em)).toThrow(/em\.transactional/);
  });
});
