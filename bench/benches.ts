import type { Bench } from "./bench.js";
import { changingTags } from "./changing-tags.js";
import { contacts } from "./contacts.js";
import { copy } from "./copy.js";
import { costlyCalls } from "./costly-calls.js";
import { entering } from "./entering.js";
import { firstCommits } from "./first-commits.js";
import { fusedTags } from "./fused-tags.js";
import { growth } from "./growth.js";
import { http } from "./http.js";
import { imports } from "./import.js";
import { mail } from "./mail.js";
import { memory } from "./memory.js";
import { messages } from "./messages.js";
import { midnight } from "./midnight.js";
import { organizations } from "./organizations.js";
import { pages } from "./pages.js";
import { pointRead } from "./point-read.js";
import { postgres } from "./postgres/postgres.js";
import { postgresSegments } from "./postgres/segments.js";
import { screens } from "./screens.js";
import { search } from "./search.js";
import { segments } from "./segments.js";
import { stalls } from "./stalls.js";
import { tagQuery } from "./tag-query.js";
import { walletPasses } from "./wallet-passes.js";
import { webhooks } from "./webhooks.js";
import { priceOfImport } from "./without-us/price-of-import.js";
import { priceOfPostgresImport } from "./without-us/price-of-postgres-import.js";
import { priceOfRules } from "./without-us/price-of-rules.js";
import { priceOfWrites } from "./without-us/price-of-writes.js";
import { writes } from "./writes.js";

/** All benches, in the order in which they run. */
export const benches: Readonly<Record<string, Bench>> = {
  "tag-query": tagQuery,
  "changing-tags": changingTags,
  "fused-tags": fusedTags,
  segments,
  entering,
  midnight,
  "point-read": pointRead,
  search,
  contacts,
  writes,
  "first-commits": firstCommits,
  pages,
  "price-of-writes": priceOfWrites,
  "price-of-rules": priceOfRules,
  import: imports,
  "price-of-import": priceOfImport,
  growth,
  "costly-calls": costlyCalls,
  organizations,
  stalls,
  memory,
  http,
  webhooks,
  mail,
  messages,
  "wallet-passes": walletPasses,
  screens,
  postgres,
  "postgres-segments": postgresSegments,
  "price-of-postgres-import": priceOfPostgresImport,
  copy,
};
