import type { OpenTransaction } from "../../src/storage/storage-adapter.js";
import { memoizeByHost, readPath, returnsRows } from "./bridge.js";

/** The part that is used of the client that an interactive transaction of Prisma gives. */
export interface PrismaTransaction {
  $queryRawUnsafe(sql: string, ...parameters: never[]): PromiseLike<unknown>;
  $executeRawUnsafe(sql: string, ...parameters: never[]): PromiseLike<number>;
}

/**
 * An interactive transaction of Prisma: the argument of `prisma.$transaction(async (tx) => …)`.
 * @throws {TypeError} for the client itself, which is in no transaction.
 * @example
 * import { fromPrisma, type PrismaTransaction } from "loyalty-kit/joining";
 *
 * // await prisma.$transaction(welcome)
 * const welcome = async (tx: PrismaTransaction) => {
 *   await cafe.joining(fromPrisma(tx)).users.create({ email: "anna@example.com" });
 * };
 */
export const fromPrisma: (tx: PrismaTransaction) => OpenTransaction = memoizeByHost(
  (tx: PrismaTransaction) => ({
    // Prisma itself refuses statements after the end of a transaction.
    isOpen: () => null,
    async query(sql, parameters) {
      // Prisma's type for them is its own.
      const values = [...parameters] as never[];
      try {
        if (!returnsRows(sql)) return { rows: [], count: await tx.$executeRawUnsafe(sql, ...values) };
        const rows = await tx.$queryRawUnsafe(sql, ...values);
        if (!Array.isArray(rows)) throw new TypeError("a transaction of Prisma is needed");
        return { rows, count: rows.length };
      } catch (error) {
        throw ofDriver(error);
      }
    },
  }),
  "the tx that prisma.$transaction(async (tx) => …) gives",
  // Only the client itself connects.
  (tx) => typeof tx.$queryRawUnsafe === "function" && !("$connect" in tx),
);

/** Prisma wraps what the driver throws, and keeps its code. */
function ofDriver(error: unknown): unknown {
  const cause = readPath(error, "meta", "driverAdapterError", "cause");
  const code = readPath(cause, "originalCode");
  if (!(error instanceof Error) || typeof code !== "string") return error;
  return Object.assign(new Error(error.message, { cause: error }), { code, severity: "ERROR" });
}
