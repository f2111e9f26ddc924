import { CompiledQuery } from "kysely";
import type { Fence } from "../../kysely/session/fence.js";
import type { Connection } from "./connection.js";

/** Tells the newest version of the tables. */
export const tablesVersion: CompiledQuery<{ readonly version: number | null }> = CompiledQuery.raw(
  "select max(version) as version from loyalty_migrations",
);

/** Looks at the version of the tables on one connection: in the table again only when another connection has committed. */
export class VersionLook {
  #dataVersion: number | null = null;
  #version: number | null = null;

  constructor(
    private readonly connection: Connection,
    private readonly fence: Fence,
  ) {}

  /** True once a look, on whichever connection, has found tables that are not those of this release. */
  get isDue(): boolean {
    return this.fence.isBroken;
  }

  /**
   * In a transaction it is about what that sees.
   * @throws {LoyaltyError} `storage_unavailable` when the tables are not those of this release.
   * @throws what SQLite throws.
   */
  assertCurrent(): void {
    const dataVersion = this.connection.dataVersion();
    if (dataVersion !== this.#dataVersion) {
      this.#version = this.connection.all(tablesVersion)[0]?.version ?? null;
      this.#dataVersion = dataVersion;
    }
    this.fence.assertCurrent(this.#version);
  }
}
