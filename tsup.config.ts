import { defineConfig } from "tsup";

export default defineConfig({
  entry: {
    index: "src/index.ts",
    testing: "src/testing/index.ts",
    memory: "adapters/memory/index.ts",
    sqlite: "adapters/sqlite/index.ts",
    postgres: "adapters/postgres/index.ts",
    http: "adapters/http/index.ts",
    express: "adapters/express/index.ts",
    fastify: "adapters/fastify/index.ts",
    oauth: "adapters/oauth/index.ts",
    jwt: "adapters/jwt/index.ts",
    "rate-limits": "adapters/rate-limits/index.ts",
    webhooks: "adapters/webhooks/index.ts",
    "webhook-worker": "adapters/webhook-worker/index.ts",
    cli: "adapters/cli/main.ts",
  },
  format: "esm",
  target: "node20.19",
  dts: true,
  // One copy of every class: an error thrown behind one entry point is an instance behind another.
  splitting: true,
  sourcemap: true,
  clean: true,
});
