import { sql } from "kysely";
import type { Step } from "../../../../src/base/concurrency/step.js";
import type { BehaviorTest } from "../../../../src/storage/behavior.js";
import { Bitmap } from "../../../../src/storage/bitmap.js";
import type { WalletPlatform } from "../../../../src/storage/wallets.js";
import type { ReadSession } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";

/** Maximum number of rows per statement, because a statement blocks the process until it is done. */
const PASSES = 5_000;

const platforms: readonly WalletPlatform[] = ["apple", "google"];

export type WalletTest = Extract<BehaviorTest, { readonly of: "wallet" }>;

interface Page {
  readonly organizationId: string;
  readonly after: string;
}

/**
 * Creates a function that finds the users with a card in a wallet. The function reads the tables instead of using columns, because
 * an organization's only change might be a device registration, which cached columns wouldn't reflect.
 */
export function walletHolders({ db }: SqlDialect) {
  // A pass appears once for each of its devices, but a page may end between them, because one is enough.
  const registered = (slot: Slot<Page>) =>
    db
      .selectFrom("loyalty_wallet_devices")
      .innerJoin("loyalty_wallet_passes", (join) =>
        join
          .onRef("loyalty_wallet_passes.organization_id", "=", "loyalty_wallet_devices.organization_id")
          .onRef("loyalty_wallet_passes.id", "=", "loyalty_wallet_devices.pass_id"),
      )
      .select(["pass_id as passId", "user_ordinal as ordinal", "template_id as templateId"])
      .where("loyalty_wallet_devices.organization_id", "=", slot("organizationId"))
      .where("pass_id", ">", slot("after"))
      .where("state", "=", "registered")
      .orderBy("pass_id")
      .limit(PASSES);
  const onDevices = prepare(registered);
  // The expression makes the database read in pass order, which an index on platforms doesn't provide.
  const platform = sql<WalletPlatform>`coalesce(platform, '')`;
  const ofPlatform = prepare((slot: Slot<Page & { platform: WalletPlatform }>) =>
    registered(slot).where(platform, "=", slot("platform")),
  );

  const installed = prepare((slot: Slot<Page>) =>
    db
      .selectFrom("loyalty_wallet_passes")
      .select(["id as passId", "user_ordinal as ordinal", "template_id as templateId"])
      .where("organization_id", "=", slot("organizationId"))
      .where("id", ">", slot("after"))
      .where("installation_status", "=", "INSTALLED")
      .orderBy("id")
      .limit(PASSES),
  );

  /** Reads each row only once, no matter how many tests there are. */
  return function* (
    session: ReadSession,
    organizationId: string,
    tests: readonly WalletTest[],
  ): Step<ReadonlyMap<WalletTest, Bitmap>> {
    const holders = new Map(tests.map((test) => [test, new Set<number>()]));
    const ofTemplate = new Map<string | null, WalletTest[]>();
    for (const test of tests) {
      ofTemplate.set(test.templateId, [...(ofTemplate.get(test.templateId) ?? []), test]);
    }
    const isAsked = (platform: WalletTest["platform"]) => tests.some((test) => test.platform === platform);
    const scans = [
      { platform: null, queries: [onDevices, installed] },
      ...platforms.map((platform) => ({
        platform,
        queries: [(page: Page) => ofPlatform({ ...page, platform })],
      })),
    ];
    for (const { platform, queries } of scans) {
      if (!isAsked(platform)) continue;
      for (const query of queries) {
        for (let after = ""; ; ) {
          const rows = yield* session.all(query({ organizationId, after }));
          for (const { ordinal, templateId } of rows) {
            for (const test of [...(ofTemplate.get(null) ?? []), ...(ofTemplate.get(templateId) ?? [])]) {
              if (test.platform === platform) holders.get(test)?.add(ordinal);
            }
          }
          const last = rows.at(-1);
          if (last === undefined || rows.length < PASSES) break;
          after = last.passId;
        }
      }
    }
    return new Map([...holders].map(([test, ordinals]) => [test, Bitmap.of(ordinals)]));
  };
}
