/**
 * Adapters that let an organization join another library's transaction. Importing this module doesn't load any of those libraries.
 */
export type {
  OpenTransaction,
  StatementResult,
  SyncTransaction,
} from "../../../src/storage/storage-adapter.js";
export { type BetterSqlite3Connection, fromBetterSqlite3 } from "./better-sqlite3.js";
export { type DrizzlePgTransaction, type DrizzleSqliteTransaction, fromDrizzle } from "./drizzle.js";
export { fromKnex, type KnexTransaction } from "./knex.js";
export { fromMikroOrm, type MikroOrmManager } from "./mikro-orm.js";
export { fromPg, type PgClient } from "./pg.js";
export { fromPrisma, type PrismaTransaction } from "./prisma.js";
export { fromTypeOrm, type TypeOrmManager, type TypeOrmQueryRunner } from "./typeorm.js";
