import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DockerfileParser, JSONInstruction } from "dockerfile-ast";
import { validate } from "dockerfile-utils";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(root, "deploy", file), "utf8");

describe("the Dockerfile", () => {
  const text = read("Dockerfile");
  const last = text.slice(text.lastIndexOf("\nFROM "));

  it("has nothing that its grammar refuses", () => {
    expect(validate(text).map(({ message }) => message)).toEqual([]);
  });

  it("runs the server as a user without rights, and copies only what that needs", () => {
    expect(last).toMatch(/\nUSER node\n/);
    expect(last.match(/^COPY .+$/gm)).toEqual([
      "COPY --from=build /build/package.json ./",
      "COPY --from=build /build/node_modules ./node_modules",
      "COPY --from=build /build/dist ./dist",
    ]);
  });

  it("names a command that the build makes", () => {
    const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const command = DockerfileParser.parse(text).getCMDs().at(-1);
    if (!(command instanceof JSONInstruction)) throw new Error("CMD is no list");
    const words = command.getJSONStrings().map((word) => JSON.parse(word.getValue()));
    expect(words).toEqual(["node", manifest.bin["loyalty-kit"].replace("./", ""), "serve"]);
    expect(existsSync(join(root, "package-lock.json"))).toBe(true);
  });
});

describe("the systemd unit", () => {
  const lines = read("loyalty-kit.service")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));

  it("has sections of assignments only, each of the latter once but for the environment", () => {
    const names = new Set<string>();
    for (const line of lines) {
      if (/^\[(Unit|Service|Install)\]$/.test(line)) continue;
      const [, name = ""] = /^([A-Z][A-Za-z]+)=/.exec(line) ?? [];
      expect(name, line).not.toBe("");
      if (name !== "Environment") expect(names.has(name), line).toBe(false);
      names.add(name);
    }
  });

  it("gives the server longer to end than it takes, and a place that only it may read", () => {
    expect(lines).toEqual(
      expect.arrayContaining([
        "TimeoutStopSec=15",
        "DynamicUser=yes",
        "UMask=0077",
        "StateDirectoryMode=0700",
      ]),
    );
  });
});
