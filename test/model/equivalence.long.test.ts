import fc from "fast-check";
import { LoyaltyService } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, it } from "vitest";
import { readVisibleState } from "../faults/visible-state.js";
import { adapters } from "../kit/adapters.js";
import { ManualClock } from "../kit/manual-clock.js";
import { runs } from "../properties/runs.js";
import { cardSteps } from "./pass-steps.js";
import { clockSteps } from "./steps.js";
import { tagSteps } from "./tag-steps.js";
import { Player, Trial } from "./trial.js";
import { userSteps } from "./user-steps.js";

/** Creates something for the first steps to work on. */
async function begin(player: Player): Promise<void> {
  const { users, tags, templates, passes } = player.subject;
  for (const email of ["ada@example.com", "bob@example.com", "cy@example.com"]) {
    player.make("user", await users.create({ email }));
  }
  for (const name of ["VIP", "Gold", "High Value"]) await tags.create({ name });
  for (const maxStamps of [3, 10, null]) {
    const kind =
      maxStamps === null ? { type: "LOYALTY_CARD" as const } : { type: "STAMP_CARD" as const, maxStamps };
    const { id } = player.make("template", await templates.create({ name: "Card", ...kind }));
    player.make("pass", await passes.create(id, { userId: player.getId("user", 0) }));
  }
}

describe("random steps", () => {
  it("get the results, errors and events of the model from every adapter, and from the client over HTTP", async () => {
    const step = fc.oneof(...userSteps, ...tagSteps, ...cardSteps, clockSteps);
    const commands = fc.commands([step], { maxCommands: 150, size: "max" });
    await fc.assert(
      fc.asyncProperty(commands, async (steps) => {
        const clock = new ManualClock();
        const players = [Player.forModel(clock.read)];
        const services: LoyaltyService[] = [];
        for (const [name, open] of Object.entries(adapters)) {
          const loyalty = new LoyaltyService({ storage: await open(), clock: clock.read });
          services.push(loyalty);
          players.push(Player.forService(name, loyalty));
        }
        const loyalty = new LoyaltyService({ storage: memoryStorage(), clock: clock.read });
        services.push(loyalty);
        players.push(Player.forHttp("the client", loyalty));
        try {
          const trial = new Trial(players);
          await trial.compare("at the beginning", begin);
          await fc.asyncModelRun(() => ({ model: clock, real: trial }), steps);
          await trial.compare("in the end", ({ subject }) => readVisibleState(subject));
        } finally {
          for (const loyalty of services) await loyalty.close();
        }
      }),
      runs(40),
    );
  });
});
