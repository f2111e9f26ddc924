import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { version } from "../../../../package.json";
import { findPackageFolder } from "../../../setup/installed-file.js";
import { CommandError, FAILURE_CODE, USAGE_ERROR_CODE } from "../terminal/command-error.js";
import { type Output, quoteForShell } from "../terminal/output.js";

interface Template {
  /** Description of the project, shown to the user. */
  readonly title: string;
  /** Path of the project's program within the examples folder. */
  readonly program: string;
  /** Packages needed in addition to loyalty-kit, the driver and tsx. */
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const templates = {
  cafe: { title: "a café app", program: "cafe/cafe.ts", dependencies: {}, devDependencies: {} },
  express: {
    title: "an Express app for a shop",
    program: "express/server.ts",
    dependencies: { express: "^5.0.0" },
    devDependencies: { "@types/express": "^5.0.0" },
  },
  hono: {
    title: "a Hono app",
    program: "hono/server.ts",
    dependencies: { "@hono/node-server": "^2.0.0", hono: "^4.0.0" },
    devDependencies: {},
  },
} as const satisfies Readonly<Record<string, Template>>;

export type TemplateName = keyof typeof templates;

export interface CreateOptions {
  readonly template: TemplateName;
  /**
   * Path of the loyalty-kit tarball to use as the project's dependency. Defaults to the source that this copy of loyalty-kit was
   * installed from: the same tarball, or the same version in the registry.
   */
  readonly from?: string | undefined;
}

/**
 * Creates a project from an example and prints how to run it. Doesn't use the network.
 * @throws {CommandError} if the folder isn't empty or can't be created, if the tarball doesn't exist, or if `from` is omitted and
 *   the source of this copy of loyalty-kit can't be determined.
 */
export function createProject(folder: string, { template, from }: CreateOptions, output: Output): void {
  const { title, program, dependencies, devDependencies }: Template = templates[template];
  const source = findSource(folder, from);
  const file = basename(program);
  try {
    mkdirSync(folder, { recursive: true });
    if (readdirSync(folder).length > 0)
      throw new CommandError(`${folder} is not empty; choose a new or empty folder`);
    const manifest = {
      name: toPackageName(resolve(folder)),
      private: true,
      type: "module",
      scripts: { start: `tsx ${file}`, check: "tsc" },
      // Version 12 of the driver runs on every Node.js version that this release supports.
      dependencies: { ...dependencies, "better-sqlite3": "^12.0.0", "loyalty-kit": source },
      devDependencies: { "@types/node": "^20.19.0", ...devDependencies, tsx: "^4.0.0", typescript: "^5.9.0" },
    };
    const compilerOptions = {
      target: "es2023",
      module: "nodenext",
      strict: true,
      noEmit: true,
      skipLibCheck: true,
    };
    writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
    writeFileSync(join(folder, "tsconfig.json"), `${JSON.stringify({ compilerOptions }, null, 2)}\n`);
    writeFileSync(join(folder, ".gitignore"), "node_modules\n*.db\n*.db-*\n");
    const code = readFileSync(join(findPackageFolder(), "examples", program), "utf8");
    // The comment at the top of the file explains how to run it.
    writeFileSync(join(folder, file), code.replace(`examples/${program}`, file));
  } catch (error) {
    if (error instanceof CommandError || !(error instanceof Error && "code" in error)) throw error;
    throw new CommandError(`can't create a project in ${folder}: ${error.message}`, FAILURE_CODE, {
      cause: error,
    });
  }
  output.note(`created ${title} in ${folder}. To start it:`);
  output.result(`cd ${quoteForShell(folder)}\nnpm install\nnpm start`);
}

/** Returns the loyalty-kit dependency for a project in a folder: a tarball, or this version from the registry. */
function findSource(folder: string, from: string | undefined): string {
  const tarball = from ?? findInstalledTarball();
  if (tarball === null) return `^${version}`;
  if (!existsSync(tarball))
    throw new CommandError(`no such file: ${tarball}; use --from to specify the loyalty-kit tarball`);
  return `file:${relative(resolve(folder), resolve(tarball))}`;
}

/**
 * Reads from npm's lockfile which tarball this installation came from, or `null` if it came from a registry.
 * @throws {CommandError} if there is no such lockfile, as after `npm install --global` or in a clone.
 */
function findInstalledTarball(): string | null {
  const modules = dirname(findPackageFolder());
  const lockfile = join(modules, ".package-lock.json");
  const { resolved } = existsSync(lockfile)
    ? JSON.parse(readFileSync(lockfile, "utf8")).packages["node_modules/loyalty-kit"]
    : {};
  if (typeof resolved !== "string")
    throw new CommandError(
      "can't determine which tarball loyalty-kit was installed from; specify it with --from",
      USAGE_ERROR_CODE,
    );
  return resolved.startsWith("file:") ? join(dirname(modules), resolved.slice("file:".length)) : null;
}

/** Returns the folder's name if it is a valid package name; otherwise "cafe". */
function toPackageName(folder: string): string {
  const name = basename(folder).toLowerCase();
  return /^[a-z0-9][a-z0-9._-]{0,200}$/.test(name) ? name : "cafe";
}
