import { PrismaBetterSqlite3 } from "@prisma/adapter-better-sqlite3";
import { PrismaPg } from "@prisma/adapter-pg";
import { getPrismaClient } from "@prisma/client/runtime/client";

declare global {
  namespace WebAssembly {
    class Module {
      constructor(bytes: Uint8Array);
    }
  }
}

const adapters = {
  sqlite: (url: string) => new PrismaBetterSqlite3({ url: `file:${url}` }),
  postgresql: (url: string) => new PrismaPg({ connectionString: url }),
};

/**
 * Creates a Prisma client without models, as `prisma generate` would. That command would download a binary.
 * @param adapter the driver adapter. Default: the one of Prisma for this provider.
 */
export function createPrismaClient(
  provider: keyof typeof adapters,
  url: string,
  adapter = adapters[provider](url),
) {
  const compiler = `@prisma/client/runtime/query_compiler_fast_bg.${provider}`;
  const Client = getPrismaClient({
    previewFeatures: [],
    clientVersion: "7.10.1",
    engineVersion: "none",
    activeProvider: provider,
    inlineSchema: `datasource db {\n  provider = "${provider}"\n}\n`,
    runtimeDataModel: { models: {}, enums: {}, types: {} },
    parameterizationSchema: { strings: [], graph: "AAAA" },
    compilerWasm: {
      getRuntime: () => import(`${compiler}.mjs`),
      getQueryCompilerWasmModule: async () => {
        const { wasm } = await import(`${compiler}.wasm-base64.mjs`);
        return new WebAssembly.Module(Buffer.from(wasm, "base64"));
      },
      importName: "./query_compiler_fast_bg.js",
    },
  });
  return new Client({
    adapter,
    transactionOptions: { maxWait: 60_000, timeout: 60_000 },
  });
}
