import type { WalletPlatform } from "../../../src/storage/wallets.js";
import { OrganizationRows } from "./organization-rows.js";
import type { UndoLog } from "./undo-log.js";

interface TokenOwner {
  readonly organizationId: string;
  readonly tokenId: string;
}

/** Key of a device or push token on one platform. */
export type HolderKey = `${"device" | "token"} ${WalletPlatform} ${string}`;

export function keyOfDevice(platform: WalletPlatform, deviceId: string): HolderKey {
  return `device ${platform} ${deviceId}`;
}

export function keyOfToken(platform: WalletPlatform, pushToken: string): HolderKey {
  return `token ${platform} ${pushToken}`;
}

/** All rows, by organization. An organization's entry stays even after its rows are removed. */
export class Store {
  private readonly organizations = new Map<string, OrganizationRows>();
  /** Each API token's owner, keyed by the token's hash. */
  readonly tokenOwners = new Map<string, TokenOwner>();
  /** The organization that registered each app. */
  readonly appOwners = new Map<string, string>();
  /** The owner of each grant's codes and tokens, keyed by hash. */
  readonly grantTokenOwners = new Map<string, TokenOwner>();
  /** The organization of each pass that has a wallet card. */
  readonly walletOwners = new Map<string, string>();
  /** The passes registered under each device and each push token, with the device's id. */
  readonly walletHolders = new Map<
    HolderKey,
    readonly (readonly [organizationId: string, passId: string, deviceId: string])[]
  >();

  /**
   * Returns an organization's rows to read, change or remove. If it has never stored anything, returns empty rows that are not
   * kept.
   */
  rows(organizationId: string): OrganizationRows {
    return this.organizations.get(organizationId) ?? new OrganizationRows();
  }

  /** Returns an organization's rows to insert into, and creates them if needed. */
  rowsForInsert(organizationId: string, log: UndoLog): OrganizationRows {
    const known = this.organizations.get(organizationId);
    if (known !== undefined) return known;
    const rows = new OrganizationRows();
    log.add(this.organizations, organizationId, rows);
    return rows;
  }

  /** Returns each organization's id and rows. */
  all(): Iterable<[string, OrganizationRows]> {
    return this.organizations;
  }

  /** Returns the only organization whose rows match; `null` if none or several do. */
  findOwner(has: (rows: OrganizationRows) => boolean): string | null {
    const [owner, another] = [...this.organizations].filter(([, rows]) => has(rows));
    return another === undefined ? (owner?.[0] ?? null) : null;
  }

  isEmpty(): boolean {
    return this.organizations.size === 0;
  }

  clear(): void {
    this.organizations.clear();
    this.tokenOwners.clear();
    this.appOwners.clear();
    this.grantTokenOwners.clear();
    this.walletOwners.clear();
    this.walletHolders.clear();
  }
}
