import { isIP } from "node:net";
import { domainToASCII } from "node:url";
import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openAcme } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { getErrorDetail, getRefusedFields } from "../kit/refusal.js";
import { runs } from "../properties/runs.js";

/** Builds an address of exactly this length. */
function buildAddress(length: number): string {
  const domain = `${"d".repeat(60)}.${"e".repeat(60)}.${"f".repeat(60)}.`;
  const local = "l".repeat(64);
  return `${local}@${domain}${"g".repeat(length - local.length - 1 - domain.length)}`;
}

describe("an email", () => {
  it.each([
    "ada@example.com",
    "Ada.Lovelace+news@Mail.Example.co.uk",
    "o'hara@example.com",
    "1_2-3@example.museum",
    "smith&jones@example.com",
    "customer/department=shipping@example.com",
    "!def!xyz%abc@example.com",
    "ada@bücher.example",
    "ada@b\u0075\u0308cher.example",
    "ada@xn--bcher-kva.example",
    "ada@例え.テスト",
    "a@b.cd",
    buildAddress(254),
  ])("may be %s", async (email) => {
    const { acme } = openAcme();
    expect((await acme.users.create({ email })).email).toBe(email);
  });

  it.each([
    "",
    " ",
    "ada",
    "@example.com",
    "ada@",
    "ada@@example.com",
    "ada@example@com",
    "ada@localhost",
    "ada@.com",
    "ada@example.",
    "ada@exam..ple.com",
    "ada@-example.com",
    "ada@example-.com",
    ".ada@example.com",
    "ada.@example.com",
    "a..b@example.com",
    "a b@example.com",
    " ada@example.com",
    "ada@example.com ",
    "ada@exa mple.com",
    "adä@example.com",
    "ada@example.com\n",
    "Ada <ada@example.com>",
    "mailto:ada@example.com",
    "ada@example.com,bob@example.com",
    "ada@127.0.0.1",
    "ada@127.0.0.0x1",
    "ada@1.0x7f",
    "ada@xn--a.example",
    "ada@\u05D0a.example",
    "ada@\u0301bc.example",
    `ada@${"ü".repeat(58)}.example`,
    `${"l".repeat(65)}@example.com`,
    `ada@${"d".repeat(64)}.com`,
    buildAddress(255),
    "ada\0@example.com",
    "ada@exam\uD800ple.com",
    `ada@${"\u0301\u0316".repeat(30_000)}.com`,
    `${"a.".repeat(60_000)}@example.com`,
    `a@${"a.".repeat(60_000)}com`,
    `a@${"-".repeat(120_000)}`,
  ])("may not be %j", async (email) => {
    const { acme } = openAcme();
    expect(await getRefusedFields(acme.users.create({ email }))).toEqual(["email"]);
    const { id } = await acme.users.create({ email: "free@example.com" });
    expect(await getRefusedFields(acme.users.update(id, { email }))).toEqual(["email"]);
  });
});

describe("the domain of an email", () => {
  const units = fc.constantFrom(..."abZ09-éüßςİ客\u0301א١ﬁ①⒈ａⅧªｱ", "xn--", "0x7f");
  const labels = fc.string({ unit: units, minLength: 1, maxLength: 8 });
  const tops = fc.oneof(fc.constantFrom("example", "CoM", "рф", "xn--p1ai", "1", "0x1"), labels);

  it("is valid if a mail can be sent to it by Node's rules", async () => {
    const { acme } = openAcme();
    await fc.assert(
      fc.asyncProperty(fc.array(labels, { maxLength: 2 }), tops, async (before, top) => {
        const email = `ada@${[...before, top].join(".")}`;
        const asciiDomain = domainToASCII(email.slice("ada@".length));
        const isName = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(
          asciiDomain,
        );
        if (isName && isIP(asciiDomain) === 0 && asciiDomain.split(".").every(({ length }) => length < 64)) {
          const { id } = await acme.users.create({ email });
          expect(await acme.users.find({ email: `ADA@${asciiDomain}` })).toMatchObject({ id, email });
          await acme.users.delete(id);
        } else {
          expect(await getRefusedFields(acme.users.create({ email }))).toEqual(["email"]);
        }
      }),
      runs(200),
    );
  });
});

describe("an email of 120 kB of reordering marks", () => {
  it("is refused before it is normalized", async () => {
    const { acme } = openAcme();
    const normalize = vi.spyOn(String.prototype, "normalize");
    onTestFinished(() => normalize.mockRestore());
    const email = `ada@${"\u0301\u0316".repeat(30_000)}.com`;
    expect(await getRefusedFields(acme.users.create({ email }))).toEqual(["email"]);
    expect(normalize).not.toHaveBeenCalled();
  });
});

describe.each(everyAdapter)("emails on $name", ({ open }) => {
  it.each([
    ["ADA@example.com", "ada@EXAMPLE.com"],
    ["ada@bücher.example", "Ada@BU\u0308CHER.example"],
    ["ada@\u212Belle.example", "ada@\u00C5ELLE.example"],
    ["kim@example.com", "Kim@EXAMPLE.COM"],
    ["ada@münchen.example", "ADA@XN--MNCHEN-3YA.Example"],
    ["ada@xn--mnchen-3ya.example", "Ada@mu\u0308nchen.EXAMPLE"],
    ["ada@ｅxample.com", "ada@example.com"],
    ["ada@βόλος.example", "ada@xn--nxasmm1c.example"],
    ["ada@βόλοσ.example", "ada@ΒΌΛΟΣ.example"],
  ])("treat %s and %s as the same", async (first, second) => {
    const { acme } = openAcme({ storage: await open() });
    await acme.users.create({ email: first });
    const other = await acme.users.create({ email: "other@example.com", name: "Other" });
    const card = await acme.templates.create({ name: "Card", type: "LOYALTY_CARD" });
    const takenError = { code: "user_already_exists", conflicts: { email_already_exists: [second] } };
    expect(await getErrorDetail(acme.users.create({ email: second }))).toEqual(takenError);
    expect(await getErrorDetail(acme.users.update(other.id, { email: second, name: "New" }))).toEqual(
      takenError,
    );
    expect(await getErrorDetail(acme.passes.create(card.id, { user: { email: second } }))).toEqual(
      takenError,
    );
    expect(await acme.users.get(other.id)).toEqual(other);
    expect((await acme.contacts.list()).totalElements).toBe(2);
  });

  it("of one user may change their case, and are free again when they are changed or deleted", async () => {
    const { acme } = openAcme({ storage: await open() });
    const { id } = await acme.users.create({ email: "ada@example.com" });
    expect((await acme.users.update(id, { email: "ADA@example.com" })).email).toBe("ADA@example.com");
    await acme.users.update(id, { email: "countess@example.com" });
    const next = await acme.users.create({ email: "ada@example.com" });
    await acme.users.delete(next.id);
    await acme.users.create({ email: "Ada@example.com" });
  });
});
