import { writeFile } from "node:fs/promises";
import { defineConfig } from "tsup";

/** What others import, and the command line. */
const entry = {
  index: "src/index.ts",
  testing: "adapters/testing/index.ts",
  checking: "adapters/checking/index.ts",
  copying: "adapters/copying/index.ts",
  joining: "adapters/joining/index.ts",
  memory: "adapters/memory/index.ts",
  sqlite: "adapters/sqlite/index.ts",
  postgres: "adapters/postgres/index.ts",
  http: "adapters/http/index.ts",
  client: "adapters/client/index.ts",
  express: "adapters/express/index.ts",
  fastify: "adapters/fastify/index.ts",
  oauth: "adapters/oauth/index.ts",
  jwt: "adapters/jwt/index.ts",
  "rate-limits": "adapters/rate-limits/index.ts",
  webhooks: "adapters/webhooks/index.ts",
  "webhook-worker": "adapters/webhook-worker/index.ts",
  wallets: "adapters/wallets/index.ts",
  "wallets-testing": "adapters/wallets/testing/index.ts",
  mail: "adapters/mail/index.ts",
  "mail-testing": "adapters/mail/testing/index.ts",
  metrics: "adapters/metrics/index.ts",
  opentelemetry: "adapters/opentelemetry/index.ts",
  console: "adapters/console/index.ts",
  pages: "adapters/pages/index.ts",
  cli: "adapters/cli/main.ts",
};

export default defineConfig({
  entry,
  format: "esm",
  target: "node20.19",
  // Workers know Node's modules by `node:` alone.
  removeNodeProtocol: false,
  // One copy of every class: an error thrown behind one entry point is an instance behind another.
  splitting: true,
  sourcemap: true,
  clean: true,
  // tsc writes the declarations file by file; an entry point leads to its own.
  onSuccess: async () => {
    for (const [name, source] of Object.entries(entry)) {
      const declarations = `./types/${source.replace(/\.ts$/, ".js")}`;
      await writeFile(`dist/${name}.d.ts`, `export * from "${declarations}";\n`);
    }
  },
});
