import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../imports.js";
import type { Installed } from "./installed.js";

/** A server whose interface a page asks, each in one file. */
const server = `
  import { createServer } from "node:http";
  import { LoyaltyService } from "loyalty-kit";
  import { apiTokens, createHttpApi, nodeListener } from "loyalty-kit/http";
  import { memoryStorage } from "loyalty-kit/memory";

  export async function started() {
    const loyalty = new LoyaltyService({ storage: memoryStorage() });
    const { token } = await loyalty.organization("cafe").apiTokens.create({ name: "page", scopes: ["user:create"] });
    const http = createServer(nodeListener(createHttpApi(loyalty, { authenticate: apiTokens(loyalty) })));
    await new Promise((resolve) => http.listen(0, "127.0.0.1", resolve));
    return { url: "http://127.0.0.1:" + http.address().port, token, close: () => http.close(() => loyalty.close()) };
  }`;

const page = `
  import { createClient } from "loyalty-kit/client";
  export const join = (url, token, email) => createClient({ url, token }).users.create({ email });`;

const program = `
  import { started } from "./bundles/server.js";
  import { join } from "./bundles/page.js";
  const { url, token, close } = await started();
  console.log((await join(url, token, "ada@example.com")).email);
  close();`;

/** Each bundler with its own way to say: a server for Node.js with all packages in it, and a page. */
const bundlers: Readonly<Record<string, readonly (readonly string[])[]>> = {
  esbuild: [
    [
      ...["server.js", "--bundle", "--platform=node", "--format=esm"],
      ...["--outdir=bundles", "--log-level=warning"],
    ],
    [...["page.js", "--bundle", "--format=esm", "--minify"], ...["--outdir=bundles", "--log-level=warning"]],
  ],
  vite: [
    ["build", "--logLevel", "warn", "--mode", "server"],
    ["build", "--logLevel", "warn", "--mode", "page"],
  ],
};

const viteConfig = `
  export default ({ mode }) => ({
    ssr: { noExternal: true },
    build: {
      ...(mode === "server" ? { ssr: "server.js" } : { lib: { entry: "page.js", formats: ["es"], fileName: "page" } }),
      outDir: "bundles",
      emptyOutDir: false,
    },
  });`;

/** Bundles a server and a page as hosts do, and has the page ask the server. */
export function bundleProblems({ folder }: Installed): readonly string[] {
  const ran = (program: string, args: readonly string[]) =>
    spawnSync(program, args, { cwd: folder, encoding: "utf8" });
  const files = { "server.js": server, "page.js": page, "asked.js": program, "vite.config.js": viteConfig };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return Object.entries(bundlers).flatMap(([name, commands]) => {
    rmSync(join(folder, "bundles"), { recursive: true, force: true });
    const bundled = commands.map((args) => ran(join(root, "node_modules/.bin", name), args));
    const asked = ran(process.execPath, ["asked.js"]);
    const wrong = [...bundled, asked].filter(({ status, stderr }) => status !== 0 || stderr !== "");
    if (wrong.length > 0) return wrong.map(({ stdout, stderr }) => `bundled by ${name}:\n${stdout}${stderr}`);
    return asked.stdout === "ada@example.com\n" ? [] : [`bundled by ${name}, a page gets ${asked.stdout}`];
  });
}
