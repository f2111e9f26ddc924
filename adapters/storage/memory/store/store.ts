import type { WalletPlatform } from "../../../../src/storage/wallets.js";
import { OrganizationRows } from "./organization-rows.js";
import type { UndoLog } from "./undo-log.js";

interface TokenOwner {
  readonly organizationId: string;
  readonly tokenId: string;
}

/** Identifies a device or push token on one wallet platform, for looking up its passes. */
export type HolderKey = `${"device" | "token"} ${WalletPlatform} ${string}`;

export function buildDeviceKey(platform: WalletPlatform, deviceId: string): HolderKey {
  return `device ${platform} ${deviceId}`;
}

export function buildTokenKey(platform: WalletPlatform, pushToken: string): HolderKey {
  return `token ${platform} ${pushToken}`;
}

/** The rows of all organizations. An organization stays in the store even after its last row is removed. */
export class Store {
  private readonly organizations = new Map<string, OrganizationRows>();
  /** The owner of each API token, keyed by the token's hash. */
  readonly tokenOwners = new Map<string, TokenOwner>();
  /** The ID of the organization that registered each app, keyed by app ID. */
  readonly appOwners = new Map<string, string>();
  /** The owner of each authorization code and grant token, keyed by the hash of the code or token. */
  readonly grantTokenOwners = new Map<string, TokenOwner>();
  /** The ID of the organization that owns each pass with a wallet card, keyed by pass ID. */
  readonly walletOwners = new Map<string, string>();
  /** The passes for which each device and each push token is registered, along with each pass's organization ID and device ID. */
  readonly walletHolders = new Map<
    HolderKey,
    readonly (readonly [organizationId: string, passId: string, deviceId: string])[]
  >();

  /**
   * Returns an organization's rows for reading, changing, or removing them. If the organization isn't in the store, returns empty
   * rows that aren't part of the store, so don't insert anything into the result.
   */
  rows(organizationId: string): OrganizationRows {
    return this.organizations.get(organizationId) ?? new OrganizationRows();
  }

  /** Returns an organization's rows so that new ones can be inserted. First adds the organization to the store, if necessary. */
  rowsForInsert(organizationId: string, log: UndoLog): OrganizationRows {
    const existing = this.organizations.get(organizationId);
    if (existing !== undefined) return existing;
    const rows = new OrganizationRows();
    log.add(this.organizations, organizationId, rows);
    return rows;
  }

  /** Returns every organization's ID and rows. */
  all(): Iterable<[string, OrganizationRows]> {
    return this.organizations;
  }

  /** Returns the ID of the organization whose rows satisfy the condition, or `null` unless exactly one organization matches. */
  findOwner(has: (rows: OrganizationRows) => boolean): string | null {
    const [owner, secondOwner] = [...this.organizations].filter(([, rows]) => has(rows));
    return secondOwner === undefined ? (owner?.[0] ?? null) : null;
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
