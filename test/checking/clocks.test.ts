import fc from "fast-check";
import { isLoyaltyError, LoyaltyService, type StorageAdapter } from "loyalty-kit";
import { checkStorage } from "loyalty-kit/storage";
import { beforeAll, describe, expect, it } from "vitest";
import { seedDemo } from "../../adapters/apps/cli/server/demo.js";
import { storedRuns } from "../properties/runs.js";
import { type Damageable, databases } from "./damageable.js";

const NOW = Date.UTC(2026, 4, 10, 9);
const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;

const acts = [
  "user",
  "pass",
  "stamp",
  "redeem",
  "reverse",
  "set",
  "install",
  "revoke",
  "erase",
  "balance",
  "history",
  "grant",
  "tag",
  "zone",
  "tidy",
] as const;

/** One action of the history. `nth` chooses the customer and the variant. */
interface Act {
  readonly action: (typeof acts)[number];
  readonly nth: number;
  /** Whether the process that performs the action has an outbox. */
  readonly hasOutbox: boolean;
  readonly emit: "all" | "summary" | "none";
  /** Clock jumps at the following readings, forward or back, in milliseconds. */
  readonly jumps: readonly number[];
}

const jump = fc.oneof(
  fc.constantFrom(0, 1, 21 * SECOND, 11 * SECOND, -HOUR, -DAY, DAY, 3 * DAY),
  fc.integer({ min: -2 * DAY, max: 2 * DAY }),
);

const act: fc.Arbitrary<Act> = fc.record({
  action: fc.constantFrom(...acts),
  nth: fc.nat({ max: 100 }),
  hasOutbox: fc.integer({ min: 0, max: 7 }).map((nth) => nth > 0),
  emit: fc.constantFrom("all", "summary", "none"),
  jumps: fc.array(jump, { minLength: 1, maxLength: 4 }),
});

/** A shop whose clock jumps during calls. */
class JumpingShop {
  readonly #users: string[] = [];
  readonly #passes: string[] = [];
  #time = NOW;
  #jumps: readonly number[] = [0];
  #readings = 0;
  readonly #withOutbox: LoyaltyService;
  readonly #without: LoyaltyService;
  #templateId = "";

  constructor(
    private readonly storage: StorageAdapter,
    private readonly organizationId: string,
  ) {
    const readClock = () => {
      this.#readings += 1;
      this.#time += this.#jumps[this.#readings % this.#jumps.length] ?? 0;
      return this.#time;
    };
    this.#withOutbox = new LoyaltyService({ storage, clock: readClock });
    this.#without = new LoyaltyService({ storage, clock: readClock, outbox: false });
  }

  async open(): Promise<void> {
    const { templates, tags, passes, stamps } = this.#withOutbox.organization(this.organizationId);
    this.#templateId = (await templates.create({ name: "Card", type: "STAMP_CARD", maxStamps: 4 })).id;
    await tags.create({ name: "VIP" });
    const pass = await passes.create(this.#templateId, { user: { email: "ada@example.com" } });
    this.#users.push(pass.userId);
    this.#passes.push(pass.id);
    await stamps.add(pass.id, { count: 5 });
  }

  /** Performs the action. Skips an action that the current state rejects. */
  async perform({ action, nth, hasOutbox, emit, jumps }: Act): Promise<void> {
    this.#jumps = jumps;
    const service = hasOutbox ? this.#withOutbox : this.#without;
    const { users, passes, stamps, tags, settings } = service.organization(this.organizationId);
    const pass = this.#passes[nth % (this.#passes.length || 1)] ?? "none";
    const user = this.#users[nth % (this.#users.length || 1)] ?? "none";
    const email = `${this.#users.length}-${nth}@example.com`;
    const templateId = this.#templateId;
    const importPass = async (fields: object) => {
      const passesOfRow = [{ templateId, ...fields }];
      await passes.import([{ email, passes: passesOfRow }], { emit });
      const [first] = (await service.organization(this.organizationId).contacts.list({ search: email }))
        .content;
      if (first !== undefined) this.#users.push(first.id);
      this.#passes.push(...(first?.passInfos ?? []).map(({ passId }) => passId));
    };
    const actions = {
      user: async () => this.#users.push((await users.create({ email })).id),
      pass: async () => this.#passes.push((await passes.create(templateId, { userId: user })).id),
      stamp: () => stamps.add(pass, { count: 1 + (nth % 6) }),
      redeem: () => stamps.redeem(pass),
      reverse: async () => {
        const { content } = await stamps.history(pass);
        return stamps.reverse(pass, { entryId: content[nth % content.length]?.id ?? "none" });
      },
      set: () => stamps.set(pass, { stamps: nth % 4 }),
      install: () => passes.markInstalled(pass),
      revoke: () => passes.delete(pass),
      erase: () => users.delete(user),
      balance: () => importPass({ stamps: nth % 4, completions: 2, rewards: nth % 3 }),
      history: () =>
        importPass({ history: [{ type: "added", count: 1 + (nth % 5), at: "2024-05-01T10:00:00Z" }] }),
      grant: () => stamps.add(pass, { note: "Opening balance" }),
      tag: () => tags.assign(user, "vip"),
      zone: () => settings.update({ timeZone: nth % 2 === 0 ? "Asia/Tokyo" : "America/Lima" }),
      tidy: () =>
        this.storage.transaction(this.organizationId, (tx) =>
          tx.removeEvents({ since: this.#time - 2 * DAY, atMost: nth }, { after: 0, limit: 2_000 }),
        ),
    };
    try {
      await actions[action]();
    } catch (error) {
      if (!isLoyaltyError(error)) throw error;
    }
  }
}

describe.each(databases)("a storage check on $name", ({ open }) => {
  let shop: Damageable;
  beforeAll(async () => {
    shop = await open();
  });

  it("finds nothing wrong in a new demo whose clock moves with each reading", async () => {
    await seedDemo(new LoyaltyService({ storage: shop.storage }), shop.storage);
    const readStatistics = () =>
      new LoyaltyService({ storage: shop.storage }).organization("demo").statistics.get({ days: 60 });
    const before = await readStatistics();
    expect(before.stamps).toBeGreaterThan(1_000);
    expect(await checkStorage(shop.storage, { repair: true })).toEqual([]);
    expect(await readStatistics()).toEqual(before);
  });

  it("finds nothing wrong in organizations whose clocks jump during calls, whatever they change or delete", async () => {
    let nth = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 40 }), async (acts) => {
        nth += 1;
        const organizationId = `jumps-${nth}`;
        const jumpingShop = new JumpingShop(shop.storage, organizationId);
        await jumpingShop.open();
        for (const act of acts) await jumpingShop.perform(act);
        expect(await checkStorage(shop.storage, { organizationId })).toEqual([]);
      }),
      storedRuns(120),
    );
  });
});
