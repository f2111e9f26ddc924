import type { WalletPlatform } from "../../../src/storage/wallets.js";
import { OrganizationRows } from "./organization-rows.js";
import type { UndoLog } from "./undo-log.js";

interface TokenOwner {
  readonly organizationId: string;
  readonly tokenId: string;
}

/** A device, or a push token, of one platform. */
export type HolderKey = `${"device" | "token"} ${WalletPlatform} ${string}`;

export function keyOfDevice(platform: WalletPlatform, deviceId: string): HolderKey {
  return `device ${platform} ${deviceId}`;
}

export function keyOfToken(platform: WalletPlatform, pushToken: string): HolderKey {
  return `token ${platform} ${pushToken}`;
}

/** Everything there is, by organization. An organization stays once it has stored something. */
export class Store {
  private readonly organizations = new Map<string, OrganizationRows>();
  /** The owner of each token, by the token's hash. */
  readonly tokenOwners = new Map<string, TokenOwner>();
  /** The organization that registered each app. */
  readonly appOwners = new Map<string, string>();
  /** The owner of each code and token of a grant, by its hash. */
  readonly grantTokenOwners = new Map<string, TokenOwner>();
  /** The organization of each pass that wallets know. */
  readonly walletOwners = new Map<string, string>();
  /** The passes that each device and each push token stands for, with the device's id. */
  readonly walletHolders = new Map<
    HolderKey,
    readonly (readonly [organizationId: string, passId: string, deviceId: string])[]
  >();

  /** The rows of an organization to read, change and remove; none that stay when it has never stored anything. */
  rows(organizationId: string): OrganizationRows {
    return this.organizations.get(organizationId) ?? new OrganizationRows();
  }

  /** The rows of an organization to add to. */
  rowsForInsert(organizationId: string, log: UndoLog): OrganizationRows {
    const known = this.organizations.get(organizationId);
    if (known !== undefined) return known;
    const rows = new OrganizationRows();
    log.add(this.organizations, organizationId, rows);
    return rows;
  }

  /** The rows of each organization, by its id. */
  all(): Iterable<[string, OrganizationRows]> {
    return this.organizations;
  }

  /** Returns the one organization whose rows have something; `null` if none has it, or more than one. */
  findOwner(has: (rows: OrganizationRows) => boolean): string | null {
    const [owner, another] = [...this.organizations].filter(([, rows]) => has(rows));
    return another === undefined ? (owner?.[0] ?? null) : null;
  }

  isEmpty(): boolean {
    return this.organizations.size === 0;
  }

  /** Lets go of everything. */
  clear(): void {
    this.organizations.clear();
    this.tokenOwners.clear();
    this.appOwners.clear();
    this.grantTokenOwners.clear();
    this.walletOwners.clear();
    this.walletHolders.clear();
  }
}
