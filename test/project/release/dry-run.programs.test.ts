import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { root } from "../imports.js";

const folder = mkdtempSync(join(tmpdir(), "loyalty-kit-dry-run-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A registry at whose address no server listens. */
const offline = { npm_config_registry: "http://127.0.0.1:9", npm_config_fetch_retries: "0" };

it("a dry run creates all files of a release without a network, and leaves the checkout unchanged", () => {
  const readGitState = () => execFileSync("git", ["status", "--porcelain"], { cwd: root, encoding: "utf8" });
  const before = readGitState();
  const args = ["--import", "tsx", "test/project/release/main.ts", "--out", folder];
  const env = { ...process.env, ...offline };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, env, encoding: "utf8" });
  expect(status, stdout + stderr).toBe(0);
  expect(readGitState()).toBe(before);

  const { name, version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const archive = `${name}-${version}.tgz`;
  expect(readdirSync(folder).sort()).toEqual([archive, "notes.md", "provenance.json", "sbom.cdx.json"]);
  const read = (file: string) => readFileSync(join(folder, file));
  const { subject, predicate } = JSON.parse(String(read("provenance.json")));
  const sha512 = createHash("sha512").update(read(archive)).digest("hex");
  expect(subject).toEqual([{ name: `pkg:npm/${name}@${version}`, digest: { sha512 } }]);
  const commit = execFileSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" }).trim();
  expect(predicate.buildDefinition.resolvedDependencies[0].digest).toEqual({ gitCommit: commit });
  const { components, metadata } = JSON.parse(String(read("sbom.cdx.json")));
  expect(metadata.component).toMatchObject({ name, version });
  const parts = components.map((each: { name: string }) => each.name);
  expect(parts).toEqual(expect.arrayContaining(["undici", "zod"]));
  expect(String(read("notes.md"))).toContain("### Added");
});
