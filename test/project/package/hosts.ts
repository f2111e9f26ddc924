import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { installOptions, type PackedPackage } from "./packed.js";

const run = promisify(execFile);

/** A host application: the packages that it installs beside ours, and how it mounts the API. */
interface Host {
  readonly packages: readonly string[];
  readonly program: string;
}

const express = `
  import express from "express";
  import { loyaltyRouter } from "loyalty-kit/http";
  const server = express().use("/loyalty", loyaltyRouter(api)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const ask = (path, init) => fetch("http://127.0.0.1:" + server.address().port + path, init);
  const close = () => server.close();`;

const fastify = `
  import Fastify from "fastify";
  import { loyaltyPlugin } from "loyalty-kit/http";
  const fastify = Fastify();
  await fastify.register(loyaltyPlugin, { api, prefix: "/loyalty" });
  const address = await fastify.listen({ port: 0, host: "127.0.0.1" });
  const ask = (path, init) => fetch(address + path, init);
  const close = () => fastify.close();`;

const hono = `
  import { Hono } from "hono";
  const inner = createHttpApi(loyalty, { authenticate: apiTokens(loyalty), basePath: "/loyalty" });
  const app = new Hono().all("/loyalty/*", (context) => inner.fetch(context.req.raw));
  const ask = (path, init) => app.request(path, init);
  const close = () => {};`;

const hosts: readonly Host[] = [
  { packages: ["express@4"], program: express },
  { packages: ["express@5"], program: express },
  { packages: ["fastify@5"], program: fastify },
  { packages: ["hono@4"], program: hono },
];

const begin = `
  import { once } from "node:events";
  import { LoyaltyService } from "loyalty-kit";
  import { apiTokens, createHttpApi } from "loyalty-kit/http";
  import { memoryStorage } from "loyalty-kit/memory";
  const loyalty = new LoyaltyService({ storage: memoryStorage() });
  const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty) });`;

const end = `
  const { token } = await loyalty.organization("cafe").apiTokens.create({ name: "till", scopes: ["user:create"] });
  const headers = { authorization: "Bearer " + token, "content-type": "application/json" };
  const answer = await ask("/loyalty/v1/users", { method: "POST", headers, body: '{"email":"ada@example.com"}' });
  const { email } = await answer.json();
  const { status } = await ask("/loyalty/v1/users/none", { headers: { authorization: "Bearer none" } });
  console.log(answer.status, email, status);
  await close();
  await loyalty.close();`;

/** A Fastify 4 host. It can be installed beside the package, but it gets an error that it isn't supported. */
const olderFastify: Host = {
  packages: ["fastify@4"],
  program: `
  import Fastify from "fastify";
  import { loyaltyPlugin } from "loyalty-kit/http";
  const refused = await Fastify().register(loyaltyPlugin, { api }).then(() => null, (error) => error);
  if (!/loyalty-kit.*5\\.x/.test(refused?.message)) throw new Error("Fastify 4 is taken: " + refused);
  const inner = createHttpApi(loyalty, { authenticate: apiTokens(loyalty), basePath: "/loyalty" });
  const ask = (path, init) => inner.fetch(new Request("http://localhost" + path, init));
  const close = () => {};`,
};

/** Peers in their oldest and newest versions, for which npm must find an installation, without downloading them. */
const neighbors: readonly (readonly string[])[] = [
  ["better-sqlite3@11", "express@4", "fastify@4", "pg@8.13.0"],
  [
    "better-sqlite3@13",
    "express@5",
    "fastify@5",
    "pg@8",
    "nodemailer@10",
    "@simplewebauthn/server@14",
    "@opentelemetry/api@1",
  ],
];

/** Installs the archive beside the packages of each host, and calls the API in the host. */
export async function findHostProblems(
  folder: string,
  packedPackage: PackedPackage,
): Promise<readonly string[]> {
  const checks = [...hosts, olderFastify].map((host) => serveHost(folder, packedPackage, host));
  checks.push(...neighbors.map((packages) => placeProject(folder, packedPackage, packages)));
  return (await Promise.all(checks)).flat();
}

async function serveHost(
  folder: string,
  packedPackage: PackedPackage,
  { packages, program }: Host,
): Promise<readonly string[]> {
  const name = packages.join(" ");
  try {
    const cwd = createEmptyProject(folder, packages);
    await installPackages(cwd, packedPackage, packages);
    writeFileSync(join(cwd, "host.js"), begin + program + end);
    const { stdout } = await run(process.execPath, ["host.js"], { cwd });
    return stdout === "201 ada@example.com 401\n" ? [] : [`a host of ${name} answers ${stdout}`];
  } catch (error) {
    return [`a host of ${name}: ${error}`];
  }
}

async function placeProject(
  folder: string,
  packedPackage: PackedPackage,
  packages: readonly string[],
): Promise<readonly string[]> {
  try {
    await installPackages(createEmptyProject(folder, packages), packedPackage, [
      ...packages,
      "--package-lock-only",
    ]);
    return [];
  } catch (error) {
    return [`beside ${packages.join(" ")}: ${error}`];
  }
}

function createEmptyProject(folder: string, packages: readonly string[]): string {
  const cwd = join(folder, packages.join("-").replaceAll(/[@/]/g, ""));
  mkdirSync(cwd);
  writeFileSync(join(cwd, "package.json"), '{ "name": "host", "private": true, "type": "module" }');
  return cwd;
}

async function installPackages(cwd: string, { file }: PackedPackage, args: readonly string[]): Promise<void> {
  await run("npm", ["install", ...installOptions, file, ...args], { cwd });
}
