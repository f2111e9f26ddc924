import type { StorageAdapter } from "../../storage/storage-adapter.js";
import type { SuiteOrganization } from "./organization.js";

/**
 * Statements of the storage contract, each with a check that rejects if a store violates it. The store is new and empty; `acme` is
 * an organization in it.
 */
export type Statements = Readonly<
  Record<string, (storage: StorageAdapter, acme: SuiteOrganization) => Promise<void>>
>;
