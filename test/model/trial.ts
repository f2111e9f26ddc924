import { isLoyaltyError, type LoyaltyService } from "loyalty-kit";
import { expect } from "vitest";
import { createHttpClient } from "../client/over-http.js";
import { listTypesAndData, recordEvents } from "../events/heard.js";
import { createModelPasses, createModelTemplates } from "./model-passes.js";
import { createModelStamps } from "./model-stamps.js";
import { createModelStatistics } from "./model-statistics.js";
import { createModelTags } from "./model-tags.js";
import { createModelContacts, createModelUsers } from "./model-users.js";
import type { Subject } from "./subject.js";
import { World } from "./world.js";

/** One of those who are compared: does what it is told, with ids and answers of its own. */
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

  /** Through the client, but for what only the library has. */
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

  /** The n-th of a kind that was made, counted around; a text that is no id when there is none. */
  getId(kind: string, nth: number): string {
    const ids = this.made.get(kind) ?? [];
    return ids[nth % ids.length] ?? "none";
  }

  /** Notes that one of a kind was made. */
  make<T extends { readonly id: string }>(kind: string, one: T): T {
    this.made.set(kind, [...(this.made.get(kind) ?? []), one.id]);
    return one;
  }

  /** What comes of it: the answer or the refusal, and what was told, with ids by the order in which they are seen. */
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

/** All of them, who must come to the same. The first is the model. */
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
