import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A runtime for the files of a host, which an npm package provides. */
export interface Runtime {
  readonly name: string;
  readonly command: readonly string[];
  /** The folder of a Node.js, which has what native modules are compiled with. */
  readonly home?: string;
}

const lines = ["20.19", "22", "24", "26"];

function fetchRuntime(name: string, packageName: string, ...command: readonly string[]): Runtime {
  return { name, command: ["npx", "--yes", `--package=${packageName}`, "--", ...command] };
}

const workerd = fetchRuntime("workerd", "workerd@1.20261117.1", "workerd", "test", "worker.capnp");

/** Installs each supported line of Node.js in a folder, and adds the other runtimes, which `npx` fetches. */
export async function fetchRuntimes(folder: string): Promise<{ servers: readonly Runtime[]; edge: Runtime }> {
  const toAlias = (line: string) => `node${line.replace(".", "-")}`;
  const platform = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  const packages = lines.map((line) => `${toAlias(line)}@npm:${platform}@${line}`);
  await run("npm", ["install", "--prefix", folder, "--no-save", "--prefer-offline", ...packages]);
  const nodes = lines.map((line) => {
    const home = join(folder, "node_modules", toAlias(line));
    return { name: `Node.js ${line}`, command: [join(home, "bin/node")], home };
  });
  const deno = ["deno", "run", "--allow-all", "--no-lock", "--node-modules-dir=manual"];
  const others = [
    fetchRuntime("Bun 1.4", "bun@1.4.5", "bun"),
    fetchRuntime("Deno 2.9", "deno@2.9.6", ...deno),
  ];
  return { servers: [...nodes, ...others], edge: workerd };
}

/** Returns the version of native modules that a Node.js accepts. */
export async function readModulesVersion({ command }: Runtime): Promise<string> {
  const [program = "", ...args] = command;
  return (await run(program, [...args, "--print", "process.versions.modules"])).stdout.trim();
}

/** Runs a file of a host for at most two minutes. Returns its output, or only the error if it failed. */
export async function runProgram(
  { command }: Runtime,
  cwd: string,
  ...files: readonly string[]
): Promise<string> {
  const [program = "", ...args] = command;
  return run(program, [...args, ...files], { cwd, timeout: 120_000 }).then(
    ({ stdout, stderr }) => stdout + stderr,
    (error) => `${error}\n${error.stderr}`,
  );
}
