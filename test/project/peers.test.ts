import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Fastify from "fastify";
import { LoyaltyService } from "loyalty-kit";
import { apiTokens, createHttpApi, loyaltyPlugin } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { expect, it } from "vitest";
import { peers, throwMissing } from "../../adapters/setup/peers.js";
import manifest from "../../package.json" with { type: "json" };
import { root } from "./imports.js";
import { read } from "./pages.js";

it("every optional package has an entry point that needs it, and a command that installs a fitting version", () => {
  expect(Object.keys(peers).sort()).toEqual(Object.keys(manifest.peerDependencies).sort());
  expect(Object.keys(manifest.peerDependenciesMeta).sort()).toEqual(Object.keys(peers).sort());
  for (const [name, range] of Object.entries(manifest.peerDependencies)) {
    const { neededBy, install } = Object.entries(peers).find(([peer]) => peer === name)?.[1] ?? {};
    expect(manifest.exports).toHaveProperty([`./${neededBy?.replace(/^loyalty-kit\//, "")}`]);
    const [, major] = new RegExp(`(?:^| )${name}(?:@([0-9]+))?(?: |$)`).exec(install ?? "") ?? ["", "none"];
    if (major !== undefined) expect(range, name).toMatch(new RegExp(`^\\^${major}\\.`));
    expect(read("docs/frameworks.md")).toMatch(new RegExp(`^\\| .*\`${name}\`.* \\|$`, "m"));
  }
});

it("a bundler leaves out what the first use of an optional package loads, except the drivers that it must know", () => {
  const files = readdirSync(join(root, "adapters"), { recursive: true, encoding: "utf8" });
  const loads = files
    .filter((file) => /\.tsx?$/.test(file) && file !== join("setup", "peers.ts"))
    .flatMap((file) => [
      ...readFileSync(join(root, "adapters", file), "utf8").matchAll(
        /\bimport\(([^)"]*)"((?:@[^/"]+\/)?[^/"]+)/g,
      ),
    ])
    .map(([, comments = "", name = ""]) => ({ comments, name }))
    .filter(({ name }) => Object.hasOwn(peers, name));
  const unmarkedLoads = loads.filter(
    ({ comments }) => !/webpackIgnore: true[\s\S]*turbopackIgnore: true/.test(comments),
  );
  expect(unmarkedLoads.map(({ name }) => name).sort()).toEqual(["better-sqlite3", "pg"]);
  expect(loads.length).toBeGreaterThan(6);
});

it("an error inside an installed optional package is thrown unchanged", async () => {
  const within = Object.assign(
    new Error("Cannot find package 'pg-types' imported from /app/node_modules/pg/lib/index.js"),
    {
      code: "ERR_MODULE_NOT_FOUND",
    },
  );
  for (const error of [within, new SyntaxError("Unexpected token in 'pg'")]) {
    const caught = await Promise.reject(error)
      .catch(throwMissing("pg"))
      .catch((reason: unknown) => reason);
    expect(caught).toBe(error);
  }
});

it("a Fastify that can be installed beside the package but isn't supported is rejected by version", async () => {
  const loyalty = new LoyaltyService({ storage: memoryStorage() });
  const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty) });
  const older = Object.defineProperty(Fastify(), "version", { value: "4.29.1" });
  const registerPlugin = async () => older.register(loyaltyPlugin, { api });
  await expect(registerPlugin()).rejects.toThrow(/loyalty-kit.*'5\.x'.*'4\.29\.1'/);
  await loyalty.close();
});
