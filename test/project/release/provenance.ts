import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { root } from "../imports.js";

/**
 * Creates the statement of an archive's origin, in the format of in-toto and SLSA 1.0 that npm signs with the identity
 * of CI when the package is published. This one has no signature.
 */
export function createProvenance(name: string, version: string, file: string) {
  const runGit = (...args: readonly string[]) =>
    execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  const commit = runGit("rev-parse", "HEAD");
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_REF, GITHUB_RUN_ID } = process.env;
  const repository = GITHUB_REPOSITORY === undefined ? null : `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`;
  const ref = GITHUB_REF ?? runGit("rev-parse", "--symbolic-full-name", "HEAD");
  return {
    _type: "https://in-toto.io/Statement/v1",
    subject: [
      {
        name: `pkg:npm/${name}@${version}`,
        digest: { sha512: createHash("sha512").update(readFileSync(file)).digest("hex") },
      },
    ],
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: "https://slsa-framework.github.io/github-actions-buildtypes/workflow/v1",
        externalParameters: { workflow: { ref, repository, path: ".github/workflows/check.yml" } },
        resolvedDependencies: [
          { uri: `git+${repository ?? "file:."}@${ref}`, digest: { gitCommit: commit } },
        ],
      },
      runDetails: {
        builder: { id: repository === null ? "local" : "https://github.com/actions/runner/github-hosted" },
        metadata: { invocationId: GITHUB_RUN_ID ?? "dry run" },
      },
    },
  };
}
