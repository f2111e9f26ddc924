import type { CreateTemplate } from "loyalty-kit";
import { describe, expect, it, test } from "vitest";
import { createHttpClient } from "../client/over-http.js";
import { conflict, created, invalid, notFound, ok, wrongType } from "../http/answers.js";
import { type HttpUnderTest, testOnEachDatabase } from "../http/every-mount.js";
import { openAcme } from "../kit/acme.js";
import { getErrorDetail } from "../kit/refusal.js";

const program = {
  earning: { currency: "EUR", rules: [{ give: 1, per: { amount: 1_000 } }] },
  points: { expiry: { months: 12, to: "month" } },
} satisfies Partial<CreateTemplate>;

const bought = { currency: "EUR", lines: [{ id: "coffee", quantity: 2, amount: 760 }, { amount: 490 }] };

/** Creates a customer whose card gives a point for every 10.00, and helpers that call the API for purchases. */
async function createShop(http: HttpUnderTest) {
  const { acme, call, send } = await http.createOrganization();
  const template = await acme.templates.create({ name: "Points", type: "LOYALTY_CARD", ...program });
  const pass = await acme.passes.create(template.id, { user: { email: "ada@example.com" } });
  const { userId } = pass;
  const pathOf = (receipt: string, source = "till-7") =>
    `/v1/purchases/${encodeURIComponent(source)}/${encodeURIComponent(receipt)}`;
  const put = (receipt: string, body: unknown = { userId, ...bought }) => call("PUT", pathOf(receipt), body);
  const addReturn = (receipt: string, body: unknown) => call("POST", `${pathOf(receipt)}/returns`, body);
  const countPoints = async () => (await acme.points.state(pass.id)).available;
  return { acme, call, send, pass, template, userId, pathOf, put, addReturn, countPoints };
}

const conflictOf = (...lines: string[]) => ({
  status: 422,
  body: { CUSTOM_VALIDATION: { more_than_bought: lines } },
});

testOnEachDatabase((http) => {
  describe("a purchase over HTTP", () => {
    test("is answered with 201 when it is recorded, and with 200 when it is sent again unchanged", async () => {
      const { put, pass, template, userId, countPoints } = await createShop(http);
      const purchase = {
        id: expect.stringMatching(/^pur_/),
        object: "purchase",
        source: "till-7",
        receipt: "991",
        revision: null,
        userId,
        at: new Date(http.clock.now()).toISOString(),
        currency: "EUR",
        lines: [
          {
            ...{ id: "coffee", sku: null, category: null, name: null, kind: "goods", quantity: 2 },
            ...{ amount: 760, tax: 0, returned: { quantity: 0, amount: 0 } },
          },
          {
            ...{ id: "1", sku: null, category: null, name: null, kind: "goods", quantity: 1 },
            ...{ amount: 490, tax: 0, returned: { quantity: 0, amount: 0 } },
          },
        ],
        total: 1_250,
        returnedTotal: 0,
        paidWithPoints: 0,
        note: null,
        effects: [
          {
            ...{ walletPassId: pass.id, templateId: template.id, unit: "points", units: 1 },
            ...{ notTaken: 0, cut: 0, because: null },
          },
        ],
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      };
      const change = { walletPassId: pass.id, templateId: template.id, unit: "points", units: 1 };
      const changes = [{ ...change, entryId: expect.stringMatching(/^pte_/) }];
      expect(await put("991")).toEqual(created({ ...purchase, changes, isApplied: true }));
      expect(await put("991")).toEqual(ok({ ...purchase, changes: [], isApplied: false }));
      expect(await countPoints()).toBe(1);
    });

    test.each(["2026/991", "50%", "%2F", "a b+c", "🧾 991", "..x", "?a=b#c", "Ä".repeat(255)])(
      "can have the receipt %s",
      async (receipt) => {
        const { call, put, addReturn, pathOf } = await createShop(http);
        expect(await put(receipt)).toMatchObject({ status: 201, body: { receipt } });
        expect(await call("GET", pathOf(receipt))).toMatchObject(ok({ receipt, total: 1_250 }));
        expect(await addReturn(receipt, { returnId: receipt, all: true })).toMatchObject(
          ok({ receipt, returnedTotal: 1_250 }),
        );
        expect(await call("POST", `${pathOf(receipt)}/confirm`)).toMatchObject(ok({ receipt }));
      },
    );

    test.each([
      ["TILL", "991", ["source"]],
      ["till 7", "991", ["source"]],
      ["ä", "991", ["source"]],
      ["t".repeat(51), "991", ["source"]],
      ["till-7", "r".repeat(256), ["receipt"]],
      ["Till", "r".repeat(256), ["source", "receipt"]],
    ])(
      "is refused with the source %s and the receipt %s, and isn't found",
      async (source, receipt, fields) => {
        const { call, pathOf, userId } = await createShop(http);
        const path = pathOf(receipt, source);
        expect(await call("PUT", path, { userId, ...bought })).toEqual(invalid(...fields));
        expect(await call("GET", path)).toEqual(notFound);
        expect(await call("POST", `${path}/returns`, { returnId: "1", all: true })).toEqual(notFound);
        expect(await call("POST", `${path}/confirm`)).toEqual(notFound);
      },
    );

    test.each(["a%00", "%00"])("isn't found with NUL in its path: %s", async (text) => {
      const { call, userId } = await createShop(http);
      for (const path of [`/v1/purchases/${text}/991`, `/v1/purchases/till-7/${text}`]) {
        expect(await call("PUT", path, { userId, ...bought })).toEqual(notFound);
        expect(await call("GET", path)).toEqual(notFound);
      }
    });

    test("must name an existing customer", async () => {
      const { put, call, pathOf } = await createShop(http);
      for (const name of ["userId", "walletPassId", "qrCodeValue"])
        expect(await put("991", { [name]: "nobody", ...bought })).toEqual(notFound);
      expect(await call("GET", pathOf("991"))).toEqual(notFound);
    });

    test("has one state for each revision", async () => {
      const { put, userId, countPoints } = await createShop(http);
      const first = { userId, ...bought, revision: 2 };
      const second = { ...first, lines: [{ amount: 2_000 }] };
      expect(await put("991", first)).toMatchObject({ status: 201, body: { revision: 2 } });
      expect(await put("991", second)).toEqual(conflict("purchase_conflict"));
      expect(await put("991", { ...second, revision: 1 })).toMatchObject(
        ok({ revision: 2, total: 1_250, isApplied: false }),
      );
      expect(await put("991", { userId, ...bought })).toEqual(invalid("revision"));
      expect(await put("991", { ...second, revision: 3 })).toMatchObject(
        ok({ revision: 3, total: 2_000, isApplied: true }),
      );
      expect(await countPoints()).toBe(2);
    });

    test.each([
      ["without a currency", { lines: [{ amount: 1 }] }, invalid("currency")],
      ["with an invalid currency", { ...bought, currency: "eur" }, invalid("currency")],
      ["without lines", { currency: "EUR", lines: [] }, invalid("lines")],
      [
        "with too many lines",
        { currency: "EUR", lines: Array.from({ length: 501 }, () => ({ amount: 1 })) },
        invalid("lines"),
      ],
      ["with an amount below 0", { currency: "EUR", lines: [{ amount: -1 }] }, invalid("lines.0.amount")],
      [
        "with more tax than its amount",
        { currency: "EUR", lines: [{ amount: 1, tax: 2 }] },
        invalid("lines.0.tax"),
      ],
      [
        "with a duplicate line id",
        {
          currency: "EUR",
          lines: [
            { id: "1", amount: 1 },
            { id: "1", amount: 1 },
          ],
        },
        invalid("lines.1.id"),
      ],
      [
        "paid with more points than its total",
        { ...bought, paidWithPoints: 1_251 },
        invalid("paidWithPoints"),
      ],
      ["of two customers", { ...bought, userId: "a", walletPassId: "b" }, invalid("userId")],
      ["with a number as its note", { ...bought, note: 5 }, wrongType("note")],
    ])("%s isn't recorded", async (_, body, response) => {
      const { put } = await createShop(http);
      expect(await put("991", body)).toEqual(response);
    });

    test("more than five minutes in the future isn't recorded", async () => {
      const { put } = await createShop(http);
      const at = (ms: number) => new Date(http.clock.now() + ms).toISOString();
      expect(await put("991", { ...bought, at: at(300_001) })).toEqual(invalid("at"));
      expect(await put("991", { ...bought, at: at(300_000) })).toMatchObject({ status: 201 });
    });

    test("with an unknown field isn't recorded if the handling is strict", async () => {
      const { send, userId, pathOf } = await createShop(http);
      const sendStrictly = async (body: unknown) => {
        const headers = { "content-type": "application/json", prefer: "handling=strict" };
        const response = await send("PUT", pathOf("991"), { headers, body: JSON.stringify(body) });
        return { status: response.status, body: response.body };
      };
      const nested = { userId, currency: "EUR", lines: [{ amount: 1_250, ammount: 5 }] };
      expect(await sendStrictly({ userId, ...bought, curency: "EUR" })).toEqual(invalid("curency"));
      expect(await sendStrictly(nested)).toEqual(invalid("lines.0.ammount"));
      expect(await sendStrictly({ userId, ...bought })).toMatchObject({ status: 201 });
    });

    test("can be returned in parts, each of them once, up to what was bought", async () => {
      const { put, addReturn, countPoints } = await createShop(http);
      await put("991");
      const half = { returnId: "a", lines: [{ id: "coffee", quantity: 1 }] };
      expect(await addReturn("991", half)).toMatchObject(
        ok({ returnedTotal: 380, isApplied: true, changes: [{ units: -1 }] }),
      );
      expect(await addReturn("991", half)).toMatchObject(
        ok({ returnedTotal: 380, isApplied: false, changes: [] }),
      );
      expect(await addReturn("991", { ...half, note: "broken" })).toEqual(conflict("return_conflict"));
      const tooMany = { returnId: "b", lines: [{ id: "1" }, { id: "coffee", quantity: 2 }] };
      expect(await addReturn("991", tooMany)).toEqual(conflictOf("lines.1"));
      expect(await addReturn("991", { returnId: "b", lines: [{ id: "2" }] })).toEqual(invalid("lines.0.id"));
      expect(await addReturn("991", { returnId: "b" })).toEqual(invalid("lines"));
      expect(await addReturn("991", { returnId: "b", lines: [{ id: "1" }], all: true })).toEqual(
        invalid("lines"),
      );
      expect(await put("991", { ...bought, lines: [{ id: "coffee", amount: 379 }] })).toEqual(
        conflictOf("lines.0"),
      );
      expect(await addReturn("991", { returnId: "b", all: true })).toMatchObject(
        ok({ returnedTotal: 1_250, isApplied: true }),
      );
      expect(await addReturn("991", { returnId: "c", all: true })).toMatchObject(ok({ isApplied: false }));
      expect(await countPoints()).toBe(0);
    });

    test("is listed newest first, with pages and filters", async () => {
      const { call, put, pass, userId } = await createShop(http);
      const at = (day: number) => `2026-01-0${day}T12:00:00.000Z`;
      for (const day of [2, 1, 3]) await put(`r${day}`, { ...bought, userId, at: at(day) });
      await put("nobody's", { ...bought, at: at(4) });
      const list = async (query: string) => {
        const { status, body } = await call("GET", `/v1/purchases?${query}`);
        expect(status).toBe(200);
        return JSON.parse(JSON.stringify(body)).content.map(
          ({ receipt }: { readonly receipt: string }) => receipt,
        );
      };
      expect(await list("")).toEqual(["nobody's", "r3", "r2", "r1"]);
      expect(await list("size=1&page=1")).toEqual(["r3"]);
      for (const query of [`userId=${userId}`, `walletPassId=${pass.id}`])
        expect(await list(query)).toEqual(["r3", "r2", "r1"]);
      expect(await list("source=till-8")).toEqual([]);
      expect(await list(`from=${at(2)}&to=${at(3)}`)).toEqual(["r2"]);
      expect(await call("GET", "/v1/purchases?userId=nobody")).toEqual(notFound);
      expect(await call("GET", "/v1/purchases?source=TILL")).toEqual(invalid("source"));
      expect(await call("GET", "/v1/purchases?from=yesterday")).toEqual(invalid("from"));
    });
  });

  describe("points over HTTP", () => {
    test("can be added, spent, restored by a reversal and removed", async () => {
      const { call, pass } = await createShop(http);
      const path = `/v1/walletpasses/${pass.id}/points`;
      expect(await call("POST", `${path}/add`, { points: 100 })).toMatchObject(ok({ available: 100 }));
      expect(await call("POST", `${path}/spend`, { points: 101 })).toEqual(conflict("not_enough_points"));
      const spent = await call("POST", `${path}/spend`, { points: 60 });
      expect(spent).toMatchObject(ok({ available: 40, entryId: expect.stringMatching(/^pte_/) }));
      const { entryId } = JSON.parse(JSON.stringify(spent.body));
      expect(await call("POST", `${path}/reverse`, { entryId })).toMatchObject(ok({ available: 100 }));
      expect(await call("POST", `${path}/reverse`, { entryId })).toEqual(conflict("already_reversed"));
      expect(await call("POST", `${path}/reverse`, { entryId: "pte_none" })).toEqual(notFound);
      expect(await call("POST", `${path}/remove`, { points: 150, allowsDebt: true })).toMatchObject(
        ok({ available: 0, debt: 50 }),
      );
      expect(await call("GET", `${path}/history?size=2`)).toMatchObject(
        ok({ content: [{ type: "removed" }, { type: "reversed" }], totalElements: 4 }),
      );
    });

    test.each([
      [{ points: 0 }, invalid("points")],
      [{ points: 1_000_000_001 }, invalid("points")],
      [{ points: 1.5 }, wrongType("points")],
      [{ points: "5" }, wrongType("points")],
      [{}, invalid("points")],
    ])("aren't added, removed or spent with the body %j", async (body, response) => {
      const { call, pass } = await createShop(http);
      for (const kind of ["add", "remove", "spend"])
        expect(await call("POST", `/v1/walletpasses/${pass.id}/points/${kind}`, body)).toEqual(response);
    });

    test("can't be read from a stamp card", async () => {
      const { acme, call, userId } = await createShop(http);
      const template = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 5 });
      const { id } = await acme.passes.create(template.id, { userId });
      expect(await call("GET", `/v1/walletpasses/${id}/points`)).toEqual(conflict("not_a_point_card"));
    });
  });
});

describe("the typed client", () => {
  it.each(["991", "2026/991", "50%", "%2F", "🧾 991", "a b+c", "?a=b#c"])(
    "encodes the receipt %s",
    async (receipt) => {
      const { loyalty, acme } = openAcme();
      const client = createHttpClient(loyalty, "acme");
      const put = () =>
        client.purchases.put("till-7", receipt, { currency: "EUR", lines: [{ amount: 1_250 }] });
      expect(await put()).toMatchObject({ receipt, isApplied: true });
      expect(await put()).toMatchObject({ receipt, isApplied: false });
      expect(await acme.purchases.get("till-7", receipt)).toEqual(
        await client.purchases.get("till-7", receipt),
      );
      const all = { returnId: receipt, all: true } as const;
      expect(await client.purchases.addReturn("till-7", receipt, all)).toMatchObject({
        returnedTotal: 1_250,
      });
      expect(await client.purchases.confirm("till-7", receipt)).toMatchObject({ receipt });
    },
  );

  it("reports which line was returned beyond what was bought", async () => {
    const { purchases } = createHttpClient(openAcme().loyalty, "acme");
    await purchases.put("till-7", "991", { currency: "EUR", lines: [{ amount: 1_250 }] });
    const excess = { returnId: "1", lines: [{ id: "0", amount: 1_251 }] };
    expect(await getErrorDetail(purchases.addReturn("till-7", "991", excess))).toEqual({
      code: "more_than_bought",
      params: ["lines.0"],
    });
  });
});
