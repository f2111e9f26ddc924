import { describe, expect, it } from "vitest";
import { hear } from "../events/heard.js";
import { openAcme, someEmail } from "../kit/acme.js";
import { everyAdapter } from "../kit/adapters.js";
import { emitting } from "./emitting.js";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe.each(everyAdapter)("entering and leaving segments, on $name", ({ open }) => {
  it("is told in the transaction of the change, after its own event: first who left, then who entered", async () => {
    const storage = await open();
    const { loyalty, acme, clock } = openAcme({ storage });
    const { id: templateId } = await acme.templates.create({
      name: "Card",
      type: "STAMP_CARD",
      maxStamps: 5,
    });
    await emitting(storage, clock.now, "one", {
      operator: "AND",
      conditions: [{ stamps: { templateId, min: 1 } }],
    });
    await emitting(storage, clock.now, "none", {
      operator: "AND",
      conditions: [{ stamps: { templateId, max: 0 } }],
    });
    const user = await acme.users.create({ email: someEmail() });
    const pass = await acme.passes.create(templateId, { userId: user.id });
    const heard = hear(loyalty);
    await acme.stamps.add(pass.id);
    await acme.stamps.add(pass.id);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(heard.map(({ type, data }) => [type, "segment" in data ? data.segment.slug : null])).toEqual([
      ["stamp.added", null],
      ["segment.left", "none"],
      ["segment.entered", "one"],
      ["stamp.added", null],
    ]);
  });

  it("by time is told at midnight by a sweep", async () => {
    const storage = await open();
    const { loyalty, acme, clock } = openAcme({ storage });
    const midnight = clock.now;
    clock.move(HOUR);
    const { id: templateId } = await acme.templates.create({
      name: "Card",
      type: "STAMP_CARD",
      maxStamps: 5,
    });
    await emitting(storage, clock.now, "today", {
      operator: "AND",
      conditions: [{ lastVisit: { templateId, withinDays: 0 } }],
    });
    const user = await acme.users.create({ email: someEmail() });
    const pass = await acme.passes.create(templateId, { userId: user.id });
    const heard = hear(loyalty);
    await acme.stamps.add(pass.id);
    clock.move(DAY);
    expect(await loyalty.sweepSegments()).toEqual({ midnights: 1, entered: 0, left: 1, refused: false });
    expect(await loyalty.sweepSegments()).toEqual({ midnights: 0, entered: 0, left: 0, refused: false });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(heard.slice(1).map(({ type, data }) => [type, "at" in data ? data.at : null])).toEqual([
      ["segment.entered", new Date(midnight + HOUR).toISOString()],
      ["segment.left", new Date(midnight + DAY).toISOString()],
    ]);
  });
});
