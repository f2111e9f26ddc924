import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { peers } from "../../../adapters/setup/peers.js";
import manifest from "../../../package.json" with { type: "json" };
import { bundledPackages } from "../../../packaging/bundled-packages.js";
import { apiProblems } from "./api-kept.js";
import { bundleProblems, sqliteBundleProblems } from "./bundled.js";
import { choiceProblems } from "./choices.js";
import { projectProblems } from "./created.js";
import { drawnByThreads } from "./drawn.js";
import { hostProblems } from "./hosts.js";
import { install, lend, scriptProblems } from "./installed.js";
import { jestProblems } from "./jest.js";
import { loadProblems, metricsProblems, traceProblems, valueProblems } from "./loaded.js";
import { missingProblems, unbundledProblems, unseenProblems } from "./missing.js";
import { nextProblems } from "./next.js";
import { missingNotices } from "./notices.js";
import { lintProblems, pack } from "./packed.js";
import { pnpProblems } from "./pnp.js";
import { commandProblems } from "./started.js";
import { declarationProblems, typeProblems } from "./typed.js";
import { tooLarge, weighed } from "./weight.js";

/*
 * Checks what a stranger gets: packs what is built, installs the archive in an empty folder, and looks at what came. It ends
 * with exit code 1 when something is wrong.
 */
/** What the types of these entry points name. */
const needed: Readonly<Record<string, readonly string[]>> = {
  "loyalty-kit/sqlite": ["better-sqlite3", "@types/better-sqlite3"],
};

const names = Object.keys(manifest.exports)
  .filter((name) => name !== "./package.json")
  .map((name) => name.replace(".", manifest.name));
const alone = names.filter((name) => needed[name] === undefined);

const folder = mkdtempSync(join(tmpdir(), "loyalty-kit-package-"));
const packed = pack(folder);
const installed = install(folder, packed);
const packageFolder = join(installed.folder, "node_modules", manifest.name);
const bundled = await bundledPackages(packageFolder);
const { told, wrong } = weighed(installed);
console.log(`${told}, with ${bundled.length} packages in it.`);
const problems = [
  ...lintProblems(packed),
  ...wrong,
  ...scriptProblems(installed),
  ...missingNotices(packageFolder, bundled),
  ...loadProblems(installed, names),
  ...missingProblems(installed),
  ...(await unseenProblems(installed)),
  ...(await unbundledProblems(installed, names)),
];
problems.push(...traceProblems(installed), ...apiProblems());
const { dependencies, devDependencies } = manifest;
problems.push(...choiceProblems(Object.keys(dependencies), Object.keys(devDependencies), bundled));
problems.push(...(await tooLarge(installed, names, Object.keys(peers))));
lend(installed, ["@types/node"]);
for (const compiler of ["typescript", "typescript-7"])
  problems.push(...typeProblems(installed, alone, compiler));
lend(installed, ["prom-client", "pg", "@opentelemetry/api", ...Object.values(needed).flat()]);
problems.push(...loadProblems(installed, names), ...typeProblems(installed, names, "typescript"));
problems.push(...declarationProblems(installed), ...valueProblems(installed, names));
problems.push(...metricsProblems(installed), ...(await commandProblems(installed)));
lend(installed, ["@resvg/resvg-wasm"]);
const drawn = drawnByThreads(installed);
problems.push(
  ...bundleProblems(installed),
  ...sqliteBundleProblems(installed, drawn),
  ...(await hostProblems(folder, packed)),
);
problems.push(
  ...(await projectProblems(folder, packed)),
  ...(await nextProblems(folder, packed, names, drawn)),
);
problems.push(...(await jestProblems(folder, packed)), ...(await pnpProblems(folder, packed, drawn)));
rmSync(folder, { recursive: true });
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
