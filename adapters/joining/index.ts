/**
 * Adapts transactions from other libraries so that an organization can join them. Importing this module needs none of those
 * libraries.
 */
export type { OpenTransaction, StatementResult, SyncTransaction } from "../../src/storage/storage-adapter.js";
export { type BetterSqlite3Connection, fromBetterSqlite3 } from "./better-sqlite3.js";
export { type DrizzlePgTransaction, type DrizzleSqliteTransaction, fromDrizzle } from "./drizzle.js";
export { fromKnex, type KnexTransaction } from "./knex.js";
export { fromMikroOrm, type MikroOrmManager } from "./mikro-orm.js";
export { fromPg, type PgClient } from "./pg.js";
export { fromPrisma, type PrismaTransaction } from "./prisma.js";
export { fromTypeOrm, type TypeOrmManager, type TypeOrmQueryRunner } from "./typeorm.js";
