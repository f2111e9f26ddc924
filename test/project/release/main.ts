import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import manifest from "../../../package.json" with { type: "json" };
import { root } from "../imports.js";
import { findApiProblems } from "../package/api-reports.js";
import { findLintProblems, pack } from "../package/packed.js";
import { parseReleases, releaseProblems } from "./changelog.js";
import { createProvenance } from "./provenance.js";

/*
 * Creates all files of a release from the build, in a folder (`--out`, or a new one): the archive, its bill of
 * materials, its provenance and its notes. It publishes nothing, leaves the checkout unchanged and uses no network. It
 * exits with code 1 if the release would be wrong, and lists what remains to be done by hand.
 */
const { values } = parseArgs({ options: { out: { type: "string" } } });
const folder = values.out ?? mkdtempSync(join(tmpdir(), "loyalty-kit-release-"));
mkdirSync(folder, { recursive: true });

const runGit = (...args: readonly string[]) =>
  execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
const writeNotes = (name: string, text: string) => writeFileSync(join(folder, name), `${text.trim()}\n`);

const releases = parseReleases(readFileSync(join(root, "CHANGELOG.md"), "utf8"));
const [head, last] = releases;
const version = head?.version ?? manifest.version;
const notes = [...(head?.notes ?? [])].map(
  ([name, lines]) => `### ${name}\n\n${lines.map((line) => `- ${line}`).join("\n")}`,
);
writeNotes("notes.md", notes.join("\n\n"));

const packedPackage = pack(folder);
const sbom = ["--import", "tsx", join(root, "test/project/sbom.ts")];
const bill = execFileSync(process.execPath, sbom, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 });
writeNotes("sbom.cdx.json", bill);
writeNotes(
  "provenance.json",
  JSON.stringify(createProvenance(manifest.name, version, packedPackage.file), null, 2),
);

const problems = [...releaseProblems(releases), ...findApiProblems(), ...findLintProblems(packedPackage)];
const remainingSteps = [
  ...(manifest.version === version ? [] : [`npm version ${version} --no-git-tag-version`]),
  `give [${version}] its day in CHANGELOG.md, commit, and tag v${version}`,
  ...(runGit("status", "--porcelain") === "" ? [] : ["commit what the work tree has changed"]),
  ...("repository" in manifest ? [] : ["name the repository in package.json, which npm compares with CI's"]),
  `npm publish ${packedPackage.file} --provenance --access public, from CI`,
  "npm publish packaging/create-loyalty-kit, of the same version, after it",
];
console.log(`${manifest.name} ${version}, ${last === undefined ? "the first" : `after ${last.version}`}`);
console.log(
  `${packedPackage.files} files, ${(packedPackage.bytes / 1e6).toFixed(2)} MB packed, ${(packedPackage.unpackedBytes / 1e6).toFixed(2)} MB unpacked`,
);
console.log(`archive, notes.md, sbom.cdx.json and provenance.json are in ${folder}`);
console.log(`\nleft to do:\n${remainingSteps.map((each) => `- ${each}`).join("\n")}`);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
