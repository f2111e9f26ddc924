import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../imports.js";
import type { Installed } from "./installed.js";

/** What a host writes: a type that came to nothing would take any value, or none. */
const program = `
import { LoyaltyService, type User } from "loyalty-kit";
import { apiTokens, createHttpApi } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { createMetrics } from "loyalty-kit/metrics";

const loyalty = new LoyaltyService({ storage: memoryStorage() });
const metrics = createMetrics(loyalty);
const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty), onResponse: metrics.onResponse });
const user: User = await loyalty.organization("acme").users.create({ email: "ada@example.com" });
export const created: Date | string = user.createdAt;
// @ts-expect-error an email is a text
export const wrong: number = user.email;
// @ts-expect-error users have no such field
export const unknown: unknown = user.nothing;

// A route handler as Next.js checks it: it is given its own kind of Request, and how the path was matched.
interface NextRequest extends Request {
  readonly nextUrl: URL;
}
type RouteHandler = (
  request: NextRequest,
  context: { params: Promise<{ path: string[] }> },
) => Response | Promise<Response>;
export const GET = api.fetch satisfies RouteHandler;
export const POST = ((request) => api.fetch(request)) satisfies RouteHandler;
`;

/** What a host of CommonJS writes, which Node.js resolves for itself. */
const commonProgram = `
import loyalty = require("loyalty-kit");
import memory = require("loyalty-kit/memory");
export const service = new loyalty.LoyaltyService({ storage: memory.memoryStorage() });
// @ts-expect-error a service needs a storage
export const wrong = new loyalty.LoyaltyService({});
`;

/** Compiles a strict project that imports these entry points, as bundlers and as Node.js resolve them. */
export function typeProblems(
  { folder }: Installed,
  entryPoints: readonly string[],
  compiler: string,
): readonly string[] {
  const imports = entryPoints.map((name, at) => `export * as entry${at} from "${name}";`);
  writeFileSync(join(folder, "host.ts"), `${imports.join("\n")}\n${program}`);
  writeFileSync(join(folder, "common.cts"), commonProgram);
  return [
    ["bundler", "esnext", "host.ts"],
    ["nodenext", "nodenext", "host.ts", "common.cts"],
  ].flatMap(([moduleResolution, module, ...files]) => {
    const compilerOptions = {
      ...{ module, moduleResolution, target: "es2023", lib: ["es2023"], types: ["node"], noEmit: true },
      ...{ strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, preserveSymlinks: false },
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
    const file = join(root, "node_modules", compiler, "bin/tsc");
    const { status, stdout } = spawnSync(process.execPath, [file], { cwd: folder, encoding: "utf8" });
    return status === 0 ? [] : [`types with ${compiler} and ${moduleResolution}:\n${stdout.slice(0, 4_000)}`];
  });
}
