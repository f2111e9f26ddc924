import type { OpenTransaction } from "../../../src/storage/storage-adapter.js";
import { memoizeByHost, readPath, returnsRows } from "./bridge.js";

/** The subset of Prisma's interactive transaction client that {@link fromPrisma} uses. */
export interface PrismaTransaction {
  /** Runs a statement that returns rows, and resolves to those rows. */
  $queryRawUnsafe(sql: string, ...parameters: never[]): PromiseLike<unknown>;
  /** Runs a statement that returns no rows, and resolves to the number of rows it changed. */
  $executeRawUnsafe(sql: string, ...parameters: never[]): PromiseLike<number>;
}

/**
 * Adapts an interactive Prisma transaction so that an organization can join it. Pass the client that the `prisma.$transaction(async
 * (tx) => …)` callback receives.
 * @throws {TypeError} if the argument is the Prisma client itself instead of a transaction.
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
    // Prisma itself rejects statements after its transaction ends.
    isOpen: () => null,
    async query(sql, parameters) {
      // Prisma has its own type for parameters.
      const values = [...parameters] as never[];
      try {
        if (!returnsRows(sql)) return { rows: [], count: await tx.$executeRawUnsafe(sql, ...values) };
        const rows = await tx.$queryRawUnsafe(sql, ...values);
        if (!Array.isArray(rows)) throw new TypeError("expected a Prisma transaction");
        return { rows, count: rows.length };
      } catch (error) {
        throw unwrapDriverError(error);
      }
    },
  }),
  "the tx from prisma.$transaction(async (tx) => …)",
  // Only the Prisma client itself has `$connect`.
  (tx) => typeof tx.$queryRawUnsafe === "function" && !("$connect" in tx),
);

/** Returns an error that has the driver's error code, which Prisma's own error only has in its metadata. */
function unwrapDriverError(error: unknown): unknown {
  const cause = readPath(error, "meta", "driverAdapterError", "cause");
  const code = readPath(cause, "originalCode");
  if (!(error instanceof Error) || typeof code !== "string") return error;
  return Object.assign(new Error(error.message, { cause: error }), { code, severity: "ERROR" });
}
