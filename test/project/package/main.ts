import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { peers } from "../../../adapters/setup/peers.js";
import manifest from "../../../package.json" with { type: "json" };
import { listBundledPackages } from "../../../packaging/bundled-packages.js";
import { findApiProblems } from "./api-reports.js";
import { findBundleProblems, findSqliteBundleProblems } from "./bundled.js";
import { findChoiceProblems } from "./choices.js";
import { findProjectProblems } from "./created.js";
import { drawByThreads } from "./drawing-by-threads.js";
import { findHostProblems } from "./hosts.js";
import { findScriptProblems, install, linkModules } from "./installed.js";
import { findJestProblems } from "./jest.js";
import { findMetricsProblems, findTraceProblems, findValueProblems, loadProblems } from "./loaded.js";
import { findMissingProblems, findUnbundledProblems, findUnseenProblems } from "./missing.js";
import { findNextProblems } from "./next.js";
import { findMissingNotices } from "./notices.js";
import { findLintProblems, pack } from "./packed.js";
import { findPnpProblems } from "./pnp.js";
import { findCommandProblems } from "./started.js";
import { findDeclarationProblems, findTypeProblems } from "./typed.js";
import { findTooLarge, weighPackages } from "./weight.js";

/*
 * Checks what a user gets: packs the build, installs the archive in an empty folder, and checks the installation. It
 * exits with code 1 if something is wrong.
 */
/** Packages that the types of these entry points name. */
const needed: Readonly<Record<string, readonly string[]>> = {
  "loyalty-kit/sqlite": ["better-sqlite3", "@types/better-sqlite3"],
};

const names = Object.keys(manifest.exports)
  .filter((name) => name !== "./package.json")
  .map((name) => name.replace(".", manifest.name));
const alone = names.filter((name) => needed[name] === undefined);

const folder = mkdtempSync(join(tmpdir(), "loyalty-kit-package-"));
const packedPackage = pack(folder);
const installed = install(folder, packedPackage);
const packageFolder = join(installed.folder, "node_modules", manifest.name);
const bundled = await listBundledPackages(packageFolder);
const { told, wrong } = weighPackages(installed);
console.log(`${told}, with ${bundled.length} packages in it.`);
const problems = [
  ...findLintProblems(packedPackage),
  ...wrong,
  ...findScriptProblems(installed),
  ...findMissingNotices(packageFolder, bundled),
  ...loadProblems(installed, names),
  ...findMissingProblems(installed),
  ...(await findUnseenProblems(installed)),
  ...(await findUnbundledProblems(installed, names)),
];
problems.push(...findTraceProblems(installed), ...findApiProblems());
const { dependencies, devDependencies } = manifest;
problems.push(...findChoiceProblems(Object.keys(dependencies), Object.keys(devDependencies), bundled));
problems.push(...(await findTooLarge(installed, names, Object.keys(peers))));
linkModules(installed, ["@types/node"]);
for (const compiler of ["typescript", "typescript-7"])
  problems.push(...findTypeProblems(installed, alone, compiler));
linkModules(installed, ["prom-client", "pg", "@opentelemetry/api", ...Object.values(needed).flat()]);
problems.push(...loadProblems(installed, names), ...findTypeProblems(installed, names, "typescript"));
problems.push(...findDeclarationProblems(installed), ...findValueProblems(installed, names));
problems.push(...findMetricsProblems(installed), ...(await findCommandProblems(installed)));
linkModules(installed, ["@resvg/resvg-wasm"]);
const picture = drawByThreads(installed);
problems.push(
  ...findBundleProblems(installed),
  ...findSqliteBundleProblems(installed, picture),
  ...(await findHostProblems(folder, packedPackage)),
);
problems.push(
  ...(await findProjectProblems(folder, packedPackage)),
  ...(await findNextProblems(folder, packedPackage, names, picture)),
);
problems.push(
  ...(await findJestProblems(folder, packedPackage)),
  ...(await findPnpProblems(folder, packedPackage, picture)),
);
rmSync(folder, { recursive: true });
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
