import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { root } from "../imports.js";
import { type Change, nextVersion, parseReleases, releaseProblems } from "./changelog.js";

const createChangelog = (head: string, notes: string) => `# Changes

## [${head}] - unreleased

${notes}

## [0.4.2] - 2027-01-31

### Fixed

- A card
  on two lines.
`;

describe("the changelog of a release", () => {
  it("is ready for a release in this checkout", () => {
    const releases = parseReleases(readFileSync(join(root, "CHANGELOG.md"), "utf8"));
    expect(releaseProblems(releases)).toEqual([]);
    expect(releases.at(-1)?.version).toBe("0.1.0");
  });

  it("is parsed by version and heading, with notes of several lines", () => {
    const [head, last] = parseReleases(createChangelog("0.5.0", "### Added\n\n- One\n- Two"));
    expect(head).toEqual({ version: "0.5.0", date: null, notes: new Map([["Added", ["One", "Two"]]]) });
    expect(last?.date).toBe("2027-01-31");
    expect(last?.notes.get("Fixed")).toEqual(["A card\n  on two lines."]);
  });

  it.each([
    ["0.4.3", "### Fixed\n\n- One"],
    ["0.5.0", "### Added\n\n- One\n\n### Fixed\n\n- Two"],
    ["0.5.0", "### Removed\n\n- One"],
    ["0.5.0", "### Fixed\n\n- **Breaking**: one"],
  ])("requires %s after 0.4.2 if it lists %j", (version, notes) => {
    expect(releaseProblems(parseReleases(createChangelog(version, notes)))).toEqual([]);
    const other = version === "0.5.0" ? "0.4.3" : "0.5.0";
    expect(releaseProblems(parseReleases(createChangelog(other, notes)))).toEqual([
      `the changelog calls ${other} what its notes make ${version}`,
    ]);
  });

  it("is rejected without a version, without notes, or if its first version is already released", () => {
    expect(releaseProblems([])).toHaveLength(1);
    expect(releaseProblems(parseReleases(createChangelog("0.4.3", "### Fixed")))).toEqual([
      "0.4.3 has no notes",
    ]);
    const out = createChangelog("0.4.3", "### Fixed\n\n- One").replace("unreleased", "2027-02-01");
    expect(releaseProblems(parseReleases(out))).toEqual([
      "0.4.3 came out on 2027-02-01: nothing is unreleased",
    ]);
  });

  it("leads to a greater version, by one step of one of its numbers", () => {
    const part = fc.nat({ max: 50 });
    const changes = fc.constantFrom<Change>("breaking", "feature", "fix");
    fc.assert(
      fc.property(part, part, part, changes, (major, minor, patch, change) => {
        const expected = {
          breaking: major > 0 ? [major + 1, 0, 0] : [0, minor + 1, 0],
          feature: [major, minor + 1, 0],
          fix: [major, minor, patch + 1],
        }[change];
        expect(nextVersion(`${major}.${minor}.${patch}`, change)).toBe(expected.join("."));
      }),
    );
  });
});
