import type { HostTransaction, KyselyTransaction } from "../../../src/storage/storage-adapter.js";
import { isHostObject } from "./bridge.js";
import { fromKnex, type KnexTransaction } from "./knex.js";

/** The subset of a MikroORM entity manager that {@link fromMikroOrm} uses. */
export interface MikroOrmManager {
  /** Returns the entity manager's current Knex or Kysely transaction, if any. */
  getTransactionContext(): unknown;
}

/**
 * Adapts a MikroORM 6 or 7 transaction so that an organization can join it. Pass the entity manager that the
 * `em.transactional(async (em) => …)` callback receives.
 * @throws {TypeError} if the entity manager is not in a transaction.
 * @example
 * import { fromMikroOrm, type MikroOrmManager } from "loyalty-kit/joining";
 *
 * // await em.transactional(welcome)
 * const welcome = async (em: MikroOrmManager) => {
 *   await cafe.joining(fromMikroOrm(em)).users.create({ email: "anna@example.com" });
 * };
 */
export function fromMikroOrm(manager: MikroOrmManager): HostTransaction {
  const isManager = isHostObject(manager) && "getTransactionContext" in manager;
  const context = isManager ? manager.getTransactionContext() : undefined;
  if (isKnexTransaction(context)) return fromKnex(context);
  if (isKyselyTransaction(context)) return context;
  throw new TypeError("expected the entity manager of a MikroORM transaction: the one from em.transactional");
}

/** MikroORM 7 is built on Kysely. */
function isKyselyTransaction(context: unknown): context is KyselyTransaction {
  return isHostObject(context) && "isTransaction" in context && context.isTransaction === true;
}

/** MikroORM 6 is built on Knex. */
function isKnexTransaction(context: unknown): context is KnexTransaction {
  return typeof context === "function" && "raw" in context && typeof context.raw === "function";
}
