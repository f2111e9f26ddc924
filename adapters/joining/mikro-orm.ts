import type { HostTransaction, KyselyTransaction } from "../../src/storage/storage-adapter.js";
import { isHostObject } from "./bridge.js";
import { fromKnex, type KnexTransaction } from "./knex.js";

/** The part of an entity manager of MikroORM that is used. */
export interface MikroOrmManager {
  getTransactionContext(): unknown;
}

/**
 * A transaction of MikroORM 7 or 6: the entity manager that `em.transactional(async (em) => …)` gives.
 * @throws {TypeError} for one that is in no transaction.
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
  if (isOfKnex(context)) return fromKnex(context);
  if (isOfKysely(context)) return context;
  throw new TypeError(
    "the entity manager of a transaction of MikroORM is needed: the one from em.transactional",
  );
}

/** 7 stands on Kysely. */
function isOfKysely(context: unknown): context is KyselyTransaction {
  return isHostObject(context) && "isTransaction" in context && context.isTransaction === true;
}

/** 6 stands on Knex. */
function isOfKnex(context: unknown): context is KnexTransaction {
  return typeof context === "function" && "raw" in context && typeof context.raw === "function";
}
