import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { npmInstall } from "../../adapters/setup/npm-install.js";

/** The path of a file of the package below a folder, which is a project or is not. */
function installedIn(folder: string, { isProject }: { readonly isProject: boolean }): string {
  const place = mkdtempSync(join(tmpdir(), "npm-install-"));
  onTestFinished(() => rmSync(place, { recursive: true }));
  mkdirSync(join(place, folder), { recursive: true });
  if (isProject) writeFileSync(join(place, folder, "package.json"), "{}");
  return join(place, folder, "node_modules/loyalty-kit/dist/cli.js");
}

describe("the command that installs a package beside this one", () => {
  it("is for all projects where this one was installed so, which would not find a package of one project", () => {
    expect(npmInstall(installedIn("lib", { isProject: false }))).toBe("npm install --global");
  });

  it("is for the project in a project, and in a checkout", () => {
    expect(npmInstall(installedIn("shop", { isProject: true }))).toBe("npm install");
    expect(npmInstall()).toBe("npm install");
  });

  it("is the plain one in a bundle, which knows no folder of the package", () => {
    expect(npmInstall("")).toBe("npm install");
    expect(npmInstall("/srv/shop/server.mjs")).toBe("npm install");
  });
});
