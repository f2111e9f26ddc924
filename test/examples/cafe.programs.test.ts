import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { createClient } from "loyalty-kit/client";
import { describe, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import creating from "../../packaging/create-loyalty-kit/package.json" with { type: "json" };
import { createEmptyFolder, runLoyaltyKit } from "../cli/command.js";
import { findFreePort } from "../kit/free-port.js";
import { pathToExample, startExample } from "./example.js";

const program = pathToExample("cafe/cafe.ts");

describe.concurrent("the example cafe/cafe.ts", () => {
  it("signs guests up, stamps their cards, hears of full ones, and retains its regulars after a restart", async () => {
    const [port, hooksPort] = [await findFreePort(), await findFreePort()];
    const environment = {
      PORT: `${port}`,
      HOOKS_PORT: `${hooksPort}`,
      DATABASE: join(createEmptyFolder(), "cafe.db"),
    };
    const server = startExample("cafe/cafe.ts", environment);
    const [, joinPage = ""] = await server.waitForOutput(/sign up at (\S+)\n/);
    const [, token = ""] = await server.waitForOutput(/shown only now: (\S+)\n/);
    const [, till = ""] = await server.waitForOutput(/till is at (\S+)\n/);
    expect((await fetch(till)).status).toBe(200);

    const body = new URLSearchParams({ contact: "ada@example.com" });
    const signUpResponse = await fetch(joinPage, { method: "POST", body, redirect: "manual" });
    expect(signUpResponse.status).toBe(303);
    const card = new URL(signUpResponse.headers.get("location") ?? "", joinPage);
    expect(await (await fetch(card)).text()).toContain("0 of 10 stamps");

    const { passes, stamps, segments } = createClient({ url: `http://localhost:${port}`, token });
    const { id } = await passes.lookup(card.href);
    for (const count of [1, 2, 7]) await stamps.add(id, { count });
    await server.waitForOutput(new RegExp(`A free coffee: ${id}\n`));
    expect((await fetch(`http://127.0.0.1:${hooksPort}/`, { method: "POST", body: "{}" })).status).toBe(400);

    server.process.kill("SIGTERM");
    expect(await server.exit).toMatchObject({ code: 0, stderr: "" });
    const secondServer = startExample("cafe/cafe.ts", environment);
    expect((await secondServer.waitForOutput(/sign up at (\S+)\n/))[1]).toBe(joinPage);
    expect(secondServer.output()).not.toContain("shown only now");
    expect(await segments.list()).toMatchObject([{ slug: "regulars" }]);
    await stamps.add(id, { count: 10 });
    await secondServer.waitForOutput(new RegExp(`A free coffee: ${id}\n`));
  });

  it("has fewer than 80 lines of code", () => {
    const lines = readFileSync(program, "utf8").split("\n");
    expect(lines.filter((line) => !/^\s*(\/\/|\/?\*|$)/.test(line)).length).toBeLessThan(80);
  });
});

describe.concurrent("loyalty-kit create", () => {
  it.each([
    { template: "cafe", example: "cafe/cafe.ts" },
    { template: "express", example: "express/server.ts" },
    { template: "hono", example: "hono/server.ts" },
  ])(
    "creates a project from $example, with everything that it imports, in the tested versions",
    async ({ template, example }) => {
      const emptyFolder = createEmptyFolder();
      const folder = join(emptyFolder, "My-Café", "till-1");
      const tarball = join(emptyFolder, "loyalty-kit.tgz");
      writeFileSync(tarball, "");
      const creation = await runLoyaltyKit(["create", folder, "--template", template, "--from", tarball]);
      expect(creation).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/\nnpm install\nnpm start\n$/),
      });
      const file = basename(example);
      expect(readdirSync(folder).sort()).toEqual(
        [".gitignore", file, "package.json", "tsconfig.json"].sort(),
      );
      const code = readFileSync(pathToExample(example), "utf8");
      expect(readFileSync(join(folder, file), "utf8")).toBe(code.replace(`examples/${example}`, file));
      const createdManifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      expect(createdManifest).toMatchObject({
        name: "till-1",
        type: "module",
        scripts: { start: `tsx ${file}` },
      });
      const { "loyalty-kit": ownVersion, ...others } = createdManifest.dependencies;
      expect(ownVersion).toBe("file:../../loyalty-kit.tgz");
      const packages = [...code.matchAll(/ from "((?:@[^/"]+\/)?[^/"]+)/g)].map(([, name]) => name);
      expect(Object.keys(createdManifest.dependencies)).toEqual(
        expect.arrayContaining(packages.filter((name) => !name?.startsWith("node:"))),
      );
      const testedVersions: Readonly<Record<string, string>> = manifest.devDependencies;
      for (const [name, range] of Object.entries<string>({ ...others, ...createdManifest.devDependencies }))
        expect(majorVersion(range), name).toBe(majorVersion(testedVersions[name] ?? ""));
    },
  );

  it("asks for the tarball if it can't determine it, and says which one is missing", async () => {
    const folder = join(createEmptyFolder(), "cafe");
    expect(await runLoyaltyKit(["create", folder])).toMatchObject({
      code: 2,
      stderr:
        "loyalty-kit: can't determine which tarball loyalty-kit was installed from; specify it with --from\n",
    });
    expect(await runLoyaltyKit(["create", folder, "--from", "none.tgz"])).toMatchObject({
      code: 1,
      stderr: "loyalty-kit: no such file: none.tgz; use --from to specify the loyalty-kit tarball\n",
    });
    expect(existsSync(folder)).toBe(false);
  });

  it("doesn't touch a folder that isn't empty, and says why it can't create one", async () => {
    const folder = createEmptyFolder();
    const fromArgs = ["--from", join(folder, "notes.txt")];
    writeFileSync(join(folder, "notes.txt"), "mine");
    expect(await runLoyaltyKit(["create", folder, ...fromArgs])).toMatchObject({
      code: 1,
      stdout: "",
      stderr: `loyalty-kit: ${folder} is not empty; choose a new or empty folder\n`,
    });
    expect(readdirSync(folder)).toEqual(["notes.txt"]);
    const failure = await runLoyaltyKit(["create", join(folder, "notes.txt", "cafe"), ...fromArgs]);
    expect(failure).toMatchObject({ code: 1, stderr: expect.stringContaining("can't create a project in") });
  });
});

it("the package behind npm create has the version of this release, and depends on it", () => {
  const { version, engines, dependencies } = creating;
  expect({ version, engines, dependencies }).toEqual({
    version: manifest.version,
    engines: manifest.engines,
    dependencies: { [manifest.name]: manifest.version },
  });
});

function majorVersion(version: string): string {
  return /\d+/.exec(version)?.[0] ?? version;
}
