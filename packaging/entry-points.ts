/** The source of each entry point that others import, by the name of its built file. */
export const entryPoints = {
  index: "src/index.ts",
  storage: "adapters/storage/index.ts",
  joining: "adapters/joining/index.ts",
  memory: "adapters/memory/index.ts",
  sqlite: "adapters/sqlite/index.ts",
  postgres: "adapters/postgres/index.ts",
  http: "adapters/http/index.ts",
  client: "adapters/client/index.ts",
  auth: "adapters/auth/index.ts",
  webhooks: "adapters/webhooks/index.ts",
  wallets: "adapters/wallets/index.ts",
  mail: "adapters/mail/index.ts",
  pages: "adapters/pages/index.ts",
  console: "adapters/console/index.ts",
  observability: "adapters/observability/index.ts",
  testing: "adapters/testing/index.ts",
} as const;
