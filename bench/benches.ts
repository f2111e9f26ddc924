import type { Bench } from "./bench.js";
import { runChangingTags } from "./changing-tags.js";
import { runContacts } from "./contacts.js";
import { runCopy } from "./copy.js";
import { runCostlyCalls } from "./costly-calls.js";
import { runEntering } from "./entering.js";
import { runExpiringPoints } from "./expiring-points.js";
import { runFirstCommits } from "./first-commits.js";
import { runFusedTags } from "./fused-tags.js";
import { runGrowth } from "./growth.js";
import { runHttp } from "./http.js";
import { runImports } from "./import.js";
import { runLedgerSegments } from "./ledger-segments.js";
import { runMail } from "./mail.js";
import { runMemory } from "./memory.js";
import { runMessages } from "./messages.js";
import { runMidnight } from "./midnight.js";
import { runOrganizations } from "./organizations.js";
import { runPages } from "./pages.js";
import { runPointRead } from "./point-read.js";
import { runPostgres } from "./postgres/postgres.js";
import { runPostgresSegments } from "./postgres/segments.js";
import { runPurchases } from "./purchases.js";
import { runScreens } from "./screens.js";
import { runSearch } from "./search.js";
import { runSegments } from "./segments.js";
import { runStalls } from "./stalls.js";
import { runTagQuery } from "./tag-query.js";
import { runWalletPasses } from "./wallet-passes.js";
import { runWebhooks } from "./webhooks.js";
import { runPriceOfImport } from "./without-us/price-of-import.js";
import { runPriceOfPostgresImport } from "./without-us/price-of-postgres-import.js";
import { runPriceOfRules } from "./without-us/price-of-rules.js";
import { runPriceOfWrites } from "./without-us/price-of-writes.js";
import { runWrites } from "./writes.js";

/** All benches, in the order in which they run. */
export const benches: Readonly<Record<string, Bench>> = {
  "tag-query": runTagQuery,
  "changing-tags": runChangingTags,
  "fused-tags": runFusedTags,
  segments: runSegments,
  "ledger-segments": runLedgerSegments,
  entering: runEntering,
  midnight: runMidnight,
  "expiring-points": runExpiringPoints,
  "point-read": runPointRead,
  search: runSearch,
  contacts: runContacts,
  writes: runWrites,
  purchases: runPurchases,
  "first-commits": runFirstCommits,
  pages: runPages,
  "price-of-writes": runPriceOfWrites,
  "price-of-rules": runPriceOfRules,
  import: runImports,
  "price-of-import": runPriceOfImport,
  growth: runGrowth,
  "costly-calls": runCostlyCalls,
  organizations: runOrganizations,
  stalls: runStalls,
  memory: runMemory,
  http: runHttp,
  webhooks: runWebhooks,
  mail: runMail,
  messages: runMessages,
  "wallet-passes": runWalletPasses,
  screens: runScreens,
  postgres: runPostgres,
  "postgres-segments": runPostgresSegments,
  "price-of-postgres-import": runPriceOfPostgresImport,
  copy: runCopy,
};
