import { join } from "node:path";
import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { describe, expect, it } from "vitest";
import { openCustomers } from "./customers.js";

/** Opens the customers of a shop that has a stamp card. */
async function openShop() {
  const acme = openCustomers();
  const withLibrary = async <T>(work: (loyalty: LoyaltyService) => Promise<T>) => {
    const loyalty = new LoyaltyService({ storage: await sqliteStorage(join(acme.folder, "loyalty.db")) });
    return work(loyalty).finally(() => loyalty.close());
  };
  const template = await withLibrary((loyalty) =>
    loyalty.organization("acme").templates.create({ name: "Coffee card", type: "STAMP_CARD", maxStamps: 10 }),
  );
  const withOrganization = <T>(work: (acme: ReturnType<LoyaltyService["organization"]>) => Promise<T>) =>
    withLibrary((loyalty) => work(loyalty.organization("acme")));
  return { ...acme, template, withOrganization };
}

const file = `email,joined_at,template,code,stamps,completions,rewards,lastStampAt,issuedAt,tags
ada@example.com,2021-05-31,Coffee card,7001,7,3,1,2024-12-24T18:00:00Z,2021-06-01,VIP
bob@example.com,2022-01-01,,,,,,,,
eve@example.com,2022-01-02,,7002,x,,,,,
`;

describe.concurrent("importing cards", () => {
  it("imports codes, balances and times, reports each failed row, and changes nothing when run again", async () => {
    const acme = await openShop();
    const options = ["--create-tags", "--template", acme.template.id, "--no-events"];
    const first = await acme.import(file, ...options);
    expect(first).toEqual({
      code: 1,
      stdout: "3 rows: 2 created, 0 updated, 0 unchanged, 1 failed\n",
      stderr: 'record 3: stamps must be a whole number, not "x"\nloyalty-kit: some rows failed\n',
    });
    const readImported = () =>
      acme.withOrganization(async ({ passes, stamps, users, events }) => {
        const { id, userId, createdAt } = await passes.lookup("7001");
        const { content } = await events.list();
        const eventTypes = content.map(({ type }) => type);
        const [card, ada] = [await stamps.state(id), await users.get(userId)];
        return { eventTypes, issuedAt: createdAt, joined: ada.createdAt, card };
      });
    const before = await readImported();
    expect(before).toMatchObject({
      eventTypes: ["template.created"],
      issuedAt: "2021-06-01T00:00:00.000Z",
      joined: "2021-05-31T00:00:00.000Z",
      card: { currentStamps: 7, timesCompleted: 3, rewardsAvailable: 1 },
    });
    expect((await acme.import(file, ...options)).stdout).toBe(
      "3 rows: 0 created, 0 updated, 2 unchanged, 1 failed\n",
    );
    expect(await readImported()).toEqual(before);
  });

  it("imports points with the expiry date from the file, and rejects them for a template without points", async () => {
    const acme = await openShop();
    await acme.withOrganization(({ templates }) =>
      templates.create({ name: "Points", type: "LOYALTY_CARD", points: {} }),
    );
    const points = `email,template,code,Points,points_expire_at
ada@example.com,Points,7001,1500,31.12.2099
bob@example.com,Coffee card,7002,3,
`;
    expect(await acme.import(points)).toEqual({
      code: 1,
      stdout: "2 rows: 1 created, 0 updated, 0 unchanged, 1 failed\n",
      stderr: "record 2: Points is only allowed if the template has points\nloyalty-kit: some rows failed\n",
    });
    const { pointCard } = await acme.withOrganization(({ passes }) => passes.lookup("7001"));
    expect(pointCard?.expiring).toEqual([{ points: 1_500, at: "2100-01-01T00:00:00.000Z" }]);
  });

  it("rejects an unknown template, for all rows or for one", async () => {
    const acme = await openShop();
    const wrong = await acme.import(file, "--template", "Tea card");
    expect(wrong).toMatchObject({ code: 1, stdout: "" });
    expect(wrong.stderr).toContain(
      'no template has the ID or unique name "Tea card"; available templates: "Coffee card"',
    );
    const { stderr } = await acme.import("email,template\nada@example.com,Tea card\n");
    expect(stderr).toContain(`record 1: template must be a template's ID or unique name, not "Tea card"`);
  });

  it("says how to name the template if a card has none", async () => {
    const acme = await openShop();
    const { stderr } = await acme.import("email,stamps\nada@example.com,3\n");
    expect(stderr).toContain(
      "record 1: template is missing; specify it in each row that has a card, or use --template",
    );
  });

  it("emits one event for the whole import with --summary", async () => {
    const acme = await openShop();
    expect(await acme.import("email\nada@example.com\n", "--summary")).toMatchObject({ code: 0 });
    const events = await acme.withOrganization(async ({ events }) => (await events.list()).content);
    expect(events.map(({ type }) => type)).toEqual(["template.created", "import.completed"]);
    expect(await acme.import("email\nada@example.com\n", "--summary", "--no-events")).toMatchObject({
      code: 2,
    });
  });

  it("imports the dated history of a card", async () => {
    const acme = await openShop();
    const history =
      "2024-01-05T10:00Z +9 moved in; 2024-02-01 +2;2024-02-01T12:00+02:00 redeem; 2024-03-01 -1";
    const { stdout, stderr } = await acme.import(
      `email,template,code,history\nada@example.com,Coffee card,7001,${history}\n`,
    );
    expect({ stdout, stderr }).toEqual({
      stdout: "1 rows: 1 created, 0 updated, 0 unchanged, 0 failed\n",
      stderr: "",
    });
    const { issuedAt, entries } = await acme.withOrganization(async ({ passes, stamps }) => {
      const { id, createdAt } = await passes.lookup("7001");
      return { issuedAt: createdAt, entries: (await stamps.history(id)).content };
    });
    expect(issuedAt).toBe("2024-01-05T10:00:00.000Z");
    expect(
      entries.map(({ type, delta, createdAt, note }) => [type, delta, createdAt.slice(0, 16), note]),
    ).toEqual([
      ["removed", -1, "2024-03-01T00:00", null],
      ["redeemed", 0, "2024-02-01T10:00", null],
      ["added", 2, "2024-02-01T00:00", null],
      ["added", 9, "2024-01-05T10:00", "moved in"],
    ]);
  });

  it.each([
    [
      "2024-01-05 +1; yesterday",
      'has "yesterday" for entry 2: use a date or time, then +3, -1, redeem or reset',
    ],
    ["2024-01-05 +x", 'has "2024-01-05 +x" for entry 1: use a date or time, then +3, -1, redeem or reset'],
    ["05/01/2024 +1", "entry 1, must be a date such as 2024-05-31, or a time such as 2024-05-31T09:30:00Z"],
    ["2024-02-01 +1; 2024-01-05 +1; 2024-01-05 -1", "entry 2, is older than the previous entry"],
    ["2024-01-05 +1; 2024-02-01 redeem", "entry 2, can't have been: The card has no reward"],
  ])("names the record, the header and the entry of a wrong history such as %s", async (history, reason) => {
    const acme = await openShop();
    const rows = `ada@example.com,Coffee card,2024-01-05 +1\nbob@example.com,Coffee card,${history}\n`;
    const { stdout, stderr } = await acme.import(
      `email,template,Verlauf\n${rows}`,
      "--map",
      "Verlauf=history",
    );
    expect(stdout).toBe("2 rows: 1 created, 0 updated, 0 unchanged, 1 failed\n");
    expect(stderr).toContain(`record 2: Verlauf${reason.startsWith("entry") ? "," : ""} ${reason}`);
  });
});
