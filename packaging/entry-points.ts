/** Source file of each public entry point, keyed by the name of the built file. */
export const entryPoints = {
  index: "src/index.ts",
  storage: "adapters/storage/index.ts",
  joining: "adapters/storage/joining/index.ts",
  memory: "adapters/storage/memory/index.ts",
  sqlite: "adapters/storage/sqlite/index.ts",
  postgres: "adapters/storage/postgres/index.ts",
  http: "adapters/http/index.ts",
  client: "adapters/http/client/index.ts",
  auth: "adapters/http/auth/index.ts",
  webhooks: "adapters/delivery/webhooks/index.ts",
  wallets: "adapters/delivery/wallets/index.ts",
  mail: "adapters/delivery/mail/index.ts",
  pages: "adapters/apps/pages/index.ts",
  console: "adapters/apps/console/index.ts",
  observability: "adapters/observability/index.ts",
  testing: "adapters/testing/index.ts",
} as const;
