import fc from "fast-check";
import {
  createSteps,
  mostlyRight,
  names,
  newUser,
  nth,
  paging,
  resolveUserId,
  type Steps,
  userRef,
} from "./steps.js";

const maxStamps = fc.constantFrom(1, 3, 10);
const stampInput = {
  count: mostlyRight(fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constantFrom(7, 100)), 101),
  note: fc.option(fc.constantFrom("Receipt", ""), { nil: undefined }),
};

const templateSteps: Steps[] = [
  createSteps(
    2,
    "templates.create",
    fc.record({ name: names, maxStamps: fc.option(maxStamps), reward: fc.option(names) }),
    async (player, { name, maxStamps, reward }) => {
      const kind =
        maxStamps === null
          ? { type: "LOYALTY_CARD" as const, maxStamps }
          : { type: "STAMP_CARD" as const, maxStamps };
      return player.make("template", await player.subject.templates.create({ name, reward, ...kind }));
    },
  ),
  createSteps(
    2,
    "templates.update",
    fc.tuple(nth, fc.record({ name: names, maxStamps, reward: fc.option(names) }, { requiredKeys: [] })),
    (player, [template, change]) =>
      player.subject.templates.update(player.getId("template", template), change),
  ),
  createSteps(1, "templates.delete", nth, (player, template) =>
    player.subject.templates.delete(player.getId("template", template)),
  ),
];

const issuing: Steps[] = [
  createSteps(
    6,
    "passes.create",
    fc.tuple(nth, userRef, fc.boolean()),
    async (player, [template, user, isPreviewPass]) => {
      const owner = { userId: resolveUserId(player, user) };
      const templateId = player.getId("template", template);
      return player.make("pass", await player.subject.passes.create(templateId, owner, { isPreviewPass }));
    },
  ),
  createSteps(3, "passes.create with a user", fc.tuple(nth, newUser), async (player, [template, user]) => {
    const pass = await player.subject.passes.create(player.getId("template", template), { user });
    player.make("user", { id: pass.userId });
    return player.make("pass", pass);
  }),
];

const passSteps: Steps[] = [
  createSteps(3, "passes.markInstalled", nth, (player, pass) =>
    player.subject.passes.markInstalled(player.getId("pass", pass)),
  ),
  createSteps(3, "passes.markUninstalled", nth, (player, pass) =>
    player.subject.passes.markUninstalled(player.getId("pass", pass)),
  ),
  createSteps(1, "passes.delete", fc.tuple(nth, fc.option(nth)), (player, [pass, template]) => {
    const place = template === null ? {} : { templateId: player.getId("template", template) };
    return player.subject.passes.delete(player.getId("pass", pass), place);
  }),
];

const stampSteps: Steps[] = [
  createSteps(10, "stamps.add", fc.tuple(nth, fc.record(stampInput)), (player, [pass, input]) =>
    player.subject.stamps.add(player.getId("pass", pass), input),
  ),
  createSteps(4, "stamps.remove", fc.tuple(nth, fc.record(stampInput)), (player, [pass, input]) =>
    player.subject.stamps.remove(player.getId("pass", pass), input),
  ),
  createSteps(3, "stamps.set", fc.tuple(nth, fc.integer({ min: -1, max: 10 })), (player, [pass, stamps]) =>
    player.subject.stamps.set(player.getId("pass", pass), { stamps }),
  ),
  createSteps(1, "stamps.reset", nth, (player, pass) =>
    player.subject.stamps.reset(player.getId("pass", pass)),
  ),
  createSteps(4, "stamps.redeem", nth, (player, pass) =>
    player.subject.stamps.redeem(player.getId("pass", pass)),
  ),
  createSteps(4, "stamps.reverse", fc.tuple(nth, nth), async (player, [pass, nthEntry]) => {
    const passId = player.getId("pass", pass);
    const { content } = await player.subject.stamps.history(passId, { size: 200 });
    const entry = content[nthEntry % content.length];
    return player.subject.stamps.reverse(passId, { entryId: entry?.id ?? "none" });
  }),
  createSteps(2, "stamps.history", fc.tuple(nth, fc.record(paging)), (player, [pass, page]) =>
    player.subject.stamps.history(player.getId("pass", pass), page),
  ),
];

/** Steps with templates, passes and stamps. */
export const cardSteps: Steps[] = [...templateSteps, ...issuing, ...passSteps, ...stampSteps];
