import type { StorageAdapter } from "../../../../src/storage/storage-adapter.js";
import type { SuiteOrganization } from "./organization.js";

/**
 * Statements of the storage contract, each mapped to a check that rejects if a store violates it. The check receives a new, empty
 * store and `acme`, an organization in that store.
 */
export type Statements = Readonly<
  Record<string, (storage: StorageAdapter, acme: SuiteOrganization) => Promise<void>>
>;
