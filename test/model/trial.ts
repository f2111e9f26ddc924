import { isLoyaltyError, type LoyaltyService } from "loyalty-kit";
import { expect } from "vitest";
import { createHttpClient } from "../client/over-http.js";
import { listTypesAndData, recordEvents } from "../events/recorded-events.js";
import { createModelPasses, createModelTemplates } from "./model-passes.js";
import { createModelStamps } from "./model-stamps.js";
import { createModelStatistics } from "./model-statistics.js";
import { createModelTags } from "./model-tags.js";
import { createModelContacts, createModelUsers } from "./model-users.js";
import type { Subject } from "./subject.js";
import { World } from "./world.js";

/** A participant of the comparison: runs steps, with its own ids and results. */
export class Player {
  private readonly made = new Map<string, string[]>();
  private readonly numbers = new Map<string, string>();

  private constructor(
    readonly name: string,
    readonly subject: Subject,
    private readonly told: () => unknown,
  ) {}

  static forModel(clock: () => number): Player {
    const world = new World(clock);
    const subject: Subject = {
      users: createModelUsers(world),
      contacts: createModelContacts(world),
      tags: createModelTags(world),
      templates: createModelTemplates(world),
      passes: createModelPasses(world),
      stamps: createModelStamps(world),
      statistics: createModelStatistics(world),
      apiTokens: { list: async () => [] },
    };
    return new Player("the model", subject, () => world.told.splice(0));
  }

  static forService(name: string, loyalty: LoyaltyService): Player {
    const events = recordEvents(loyalty);
    return new Player(name, loyalty.organization("acme"), () => listTypesAndData(events.splice(0)));
  }

  /** Uses the client, except for what only the library has. */
  static forHttp(name: string, loyalty: LoyaltyService): Player {
    const events = recordEvents(loyalty);
    const library = loyalty.organization("acme");
    const { tags, passes, ...client } = createHttpClient(loyalty, "acme");
    const subject: Subject = {
      ...client,
      tags: { ...tags, verifyIndex: () => library.tags.verifyIndex() },
      passes: {
        ...passes,
        create: (templateId, input, options) =>
          options?.isPreviewPass === true
            ? library.passes.create(templateId, input, options)
            : passes.create(templateId, input),
      },
    };
    return new Player(name, subject, () => listTypesAndData(events.splice(0)));
  }

  /** Returns the id of the n-th of a kind, counting around; a text that is no id if there is none. */
  getId(kind: string, nth: number): string {
    const ids = this.made.get(kind) ?? [];
    return ids[nth % ids.length] ?? "none";
  }

  /** Records that one of a kind was created. */
  make<T extends { readonly id: string }>(kind: string, one: T): T {
    this.made.set(kind, [...(this.made.get(kind) ?? []), one.id]);
    return one;
  }

  /** Runs the work. @returns the result or refusal, and the emitted events, with ids numbered as they appear. */
  async play(work: (player: Player) => Promise<unknown>): Promise<unknown> {
    const outcome = await work(this).then(
      (answer) => ({ answer }),
      (error: unknown) => {
        if (!isLoyaltyError(error)) throw error;
        const { detail } = error;
        return {
          refused: "fields" in detail ? { ...detail, fields: Object.keys(detail.fields).sort() } : detail,
        };
      },
    );
    return this.toComparable({ ...outcome, told: this.told() });
  }

  private toComparable(value: unknown): unknown {
    const idsAndCodes =
      /\b(usr|utag|uta|wp|tpl|ste)_[0-9a-f-]{36}\b|https:\/\/pass\.invalid\/[0-9A-Za-z]{12}/g;
    const text = JSON.stringify(value).replaceAll(idsAndCodes, (id, prefix = "qr") => {
      const number = this.numbers.get(id) ?? `${prefix} ${this.numbers.size}`;
      this.numbers.set(id, number);
      return number;
    });
    return JSON.parse(text);
  }
}

/** All players, who must have the same results. The first is the model. */
export class Trial {
  constructor(private readonly players: readonly Player[]) {}

  async compare(what: string, work: (player: Player) => Promise<unknown>): Promise<void> {
    const outcomes: [name: string, outcome: unknown][] = [];
    for (const player of this.players) outcomes.push([player.name, await player.play(work)]);
    const [expected, ...others] = outcomes;
    for (const [name, outcome] of others) {
      expect(outcome, `${what}: ${name} and the model differ`).toEqual(expected?.[1]);
    }
  }
}
