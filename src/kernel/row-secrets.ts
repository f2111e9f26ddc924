import { SecretKeys } from "../base/secrets/secret-keys.js";
import type { Columns, TableRecord } from "../storage/record.js";

type Table = TableRecord<Columns, string>;

/** Seals and opens the secrets of rows: the columns that a table's record marks as sealed. */
export class RowSecrets {
  private readonly keys: SecretKeys;

  /** @throws {RangeError} if a key is too short. */
  constructor(keys: readonly string[]) {
    this.keys = new SecretKeys(keys);
  }

  /** Returns a row with its secrets encrypted, as it is stored. */
  seal<Row extends object>(table: Table, organizationId: string, row: Row): Row {
    return { ...row, ...this.transform("seal", table, organizationId, row) };
  }

  /**
   * Returns a stored row with its secrets decrypted.
   * @throws {SecretKeyError} if the key that sealed a secret is missing.
   */
  open<Row extends object>(table: Table, organizationId: string, row: Row): Row {
    return { ...row, ...this.transform("open", table, organizationId, row) };
  }

  /**
   * Returns a stored row with its secrets encrypted with the newest key, or `null` if they already are.
   * @throws {SecretKeyError} if the key that sealed a secret is missing.
   */
  reseal<Row extends object>(table: Table, organizationId: string, row: Row): Row | null {
    const currentValues = new Map<string, unknown>(Object.entries(row));
    const secrets = this.transform("reseal", table, organizationId, row);
    const isUnchanged = Object.entries(secrets).every(([name, secret]) => secret === currentValues.get(name));
    return isUnchanged ? null : { ...row, ...secrets };
  }

  private transform(
    operation: "seal" | "open" | "reseal",
    { key, columns }: Table,
    organizationId: string,
    row: object,
  ): Readonly<Record<string, string>> {
    const values = new Map<string, unknown>(Object.entries(row));
    const id = key.map((name) => values.get(name)).join(" ");
    const secrets: Record<string, string> = {};
    for (const [name, { traits }] of Object.entries(columns)) {
      const secret = values.get(name);
      if (traits.secretName === null || typeof secret !== "string") continue;
      secrets[name] = this.keys[operation]([traits.secretName, organizationId, id], secret);
    }
    return secrets;
  }
}
