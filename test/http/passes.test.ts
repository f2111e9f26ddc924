import { describe, expect, test } from "vitest";
import { conflict, created, deleted, invalid, notFound, ok, taken, wrongType } from "./answers.js";
import { readText } from "./client.js";
import { type HttpUnderTest, SHORT_LINK_BASE, testOnEachDatabase } from "./every-mount.js";

/** Opens an organization with a user, a stamp card and a loyalty card. */
async function openShop(http: HttpUnderTest) {
  const organization = await http.createOrganization();
  const { acme, call } = organization;
  const ada = await acme.users.create({ email: "ada@example.com", externalId: "c-1" });
  const card = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 10 });
  const plain = await acme.templates.create({ name: "Member", type: "LOYALTY_CARD" });
  const issuePass = (body: unknown, templateId = card.id) =>
    call("POST", `/v1/templates/${templateId}/walletpasses`, body);
  return { ...organization, ada, card, plain, issuePass };
}

testOnEachDatabase((http) => {
  const timestampNow = () => new Date(http.clock.now()).toISOString();

  describe("a pass", () => {
    test("is issued to a user by service id or external id", async () => {
      const { issuePass, ada, card, call } = await openShop(http);
      for (const userId of [ada.id, "c-1"]) {
        const response = await issuePass({ userId });
        expect(response).toEqual(
          created({
            id: expect.stringMatching(/^wp_/),
            object: "wallet_pass",
            userId: ada.id,
            templateId: card.id,
            qrCodeValue: expect.stringMatching(/^https:\/\/qr\.example\/p\/[0-9A-Za-z]{12}$/),
            isPreviewPass: false,
            installationStatus: null,
            createdAt: timestampNow(),
            updatedAt: timestampNow(),
          }),
        );
        const id = readText(response, "id");
        expect(await call("GET", `/v1/walletpasses/${id}`)).toEqual(ok(response.body));
        expect(await call("GET", `/v1/templates/${card.id}/walletpasses/${id}`)).toEqual(ok(response.body));
      }
    });

    test("is issued to a user who is created with it", async () => {
      const { issuePass, call } = await openShop(http);
      const user = {
        email: "bob@example.com",
        name: " Bob ",
        phone: null,
        externalId: "c-2",
        metadata: { a: 1 },
      };
      const response = await issuePass({ user });
      expect(response).toMatchObject({ status: 201 });
      expect(await call("GET", `/v1/users/${readText(response, "userId")}`)).toMatchObject(
        ok({ ...user, name: "Bob" }),
      );
      expect(await call("GET", "/v1/users/c-2/passes")).toMatchObject(ok([{ id: readText(response, "id") }]));
    });

    test("requires only pass:create, even with an inline user", async () => {
      const { card, createToken } = await openShop(http);
      const { call } = http.createCaller(await createToken("pass:create"));
      const user = { email: "bob@example.com" };
      expect(await call("POST", `/v1/templates/${card.id}/walletpasses`, { user })).toMatchObject({
        status: 201,
      });
    });

    test("requires exactly one of userId and user", async () => {
      const { issuePass } = await openShop(http);
      const user = { email: "bob@example.com" };
      expect(await issuePass({})).toEqual(invalid("userId"));
      expect(await issuePass({ userId: "c-1", user })).toEqual(invalid("userId"));
      expect(await issuePass({ userId: "c-1", user: null })).toEqual(wrongType("user"));
      expect(await issuePass({ userId: null, user })).toEqual(wrongType("userId"));
    });

    test("is refused with the invalid fields of its inline user", async () => {
      const { issuePass } = await openShop(http);
      expect(await issuePass({ user: {} })).toEqual(invalid("user.email"));
      const user = { email: "x", name: " ", phone: "", externalId: "", metadata: { a: "\ud800" } };
      expect(await issuePass({ user })).toEqual(
        invalid(...Object.keys(user).map((field) => `user.${field}`)),
      );
      expect(await issuePass({ user: { email: 5, metadata: [] } })).toEqual(
        wrongType("user.email", "user.metadata"),
      );
    });

    test("requires an existing user and an existing template", async () => {
      const { issuePass, ada } = await openShop(http);
      for (const userId of ["nobody", "", "ada@example.com", ada.id.slice(0, -1)]) {
        expect(await issuePass({ userId })).toEqual(notFound);
      }
      expect(await issuePass({ userId: ada.id }, "tpl_unknown")).toEqual(notFound);
      expect(await issuePass({ user: { email: "bob@example.com" } }, "tpl_unknown")).toEqual(notFound);
    });

    test("and its inline user are created together or not at all", async () => {
      const { issuePass, call } = await openShop(http);
      const before = await call("GET", "/v1/contacts");
      const userInput = { email: "ADA@example.com", externalId: "c-1" };
      expect(await issuePass({ user: userInput })).toEqual(taken(userInput));
      expect(await issuePass({ user: { email: "bob@example.com" } }, "tpl_unknown")).toEqual(notFound);
      expect(await call("GET", "/v1/contacts")).toEqual(before);
      expect(await issuePass({ user: { email: "bob@example.com" } })).toMatchObject({ status: 201 });
    });

    test("is not a preview, whatever the body says", async () => {
      const { issuePass } = await openShop(http);
      const body = { userId: "c-1", isPreviewPass: true, installationStatus: "INSTALLED", id: "wp_1" };
      expect(await issuePass(body)).toMatchObject(
        created({ isPreviewPass: false, installationStatus: null }),
      );
    });

    test("that is a preview says so", async () => {
      const { acme, ada, card, call } = await openShop(http);
      const pass = await acme.passes.create(card.id, { userId: ada.id }, { isPreviewPass: true });
      expect(await call("GET", `/v1/walletpasses/${pass.id}`)).toEqual(ok({ ...pass, isPreviewPass: true }));
    });

    test("is not found under another template, nor deleted there", async () => {
      const { acme, ada, card, plain, call } = await openShop(http);
      const pass = await acme.passes.create(card.id, { userId: ada.id });
      for (const templateId of [plain.id, "tpl_unknown"]) {
        const path = `/v1/templates/${templateId}/walletpasses/${pass.id}`;
        expect(await call("GET", path)).toEqual(notFound);
        expect(await call("DELETE", path)).toEqual(notFound);
      }
      expect(await call("GET", `/v1/walletpasses/${pass.id}`)).toEqual(ok(pass));
    });

    test("is deleted on either path, once, and its user remains", async () => {
      const { acme, ada, card, call } = await openShop(http);
      for (const templatePath of ["", `/templates/${card.id}`]) {
        const pass = await acme.passes.create(card.id, { userId: ada.id });
        await acme.stamps.add(pass.id);
        const path = `/v1${templatePath}/walletpasses/${pass.id}`;
        expect(await call("DELETE", path)).toEqual(deleted);
        for (const method of ["DELETE", "GET"]) expect(await call(method, path)).toEqual(notFound);
        expect(await call("GET", `/v1/walletpasses/${pass.id}/stamps`)).toEqual(notFound);
        const code = encodeURIComponent(pass.qrCodeValue);
        expect(await call("GET", `/v1/walletpasses/lookup?qrCodeValue=${code}`)).toEqual(notFound);
      }
      expect(await call("GET", "/v1/users/c-1/passes")).toEqual(ok([]));
      expect(await call("GET", "/v1/users/c-1")).toEqual(ok(ada));
    });
  });

  test("a user's passes are returned with template and stamp progress, oldest first", async () => {
    const { acme, ada, card, plain, call } = await openShop(http);
    const first = await acme.passes.create(card.id, { userId: ada.id });
    const second = await acme.passes.create(plain.id, { userId: ada.id });
    const third = await acme.passes.create(card.id, { userId: ada.id });
    await acme.stamps.add(first.id, { count: 12 });
    const progress = { templateId: card.id, maxStamps: 10 };
    for (const userId of [ada.id, "c-1"]) {
      expect(await call("GET", `/v1/users/${userId}/passes`)).toEqual(
        ok([
          {
            ...first,
            template: card,
            stampProgress: { ...progress, passId: first.id, currentStamps: 2, timesCompleted: 1 },
            rewardsAvailable: 1,
            pointCard: null,
          },
          { ...second, template: plain, stampProgress: null, rewardsAvailable: null, pointCard: null },
          {
            ...third,
            template: card,
            stampProgress: { ...progress, passId: third.id, currentStamps: 0, timesCompleted: 0 },
            rewardsAvailable: 0,
            pointCard: null,
          },
        ]),
      );
    }
  });

  describe("a scan", () => {
    test("finds a pass by its QR code value and by the code without the URL", async () => {
      const { acme, ada, card, plain, call } = await openShop(http);
      for (const template of [card, plain]) {
        const pass = await acme.passes.create(template.id, { userId: ada.id });
        const { qrCodeValue } = pass;
        for (const value of [qrCodeValue, qrCodeValue.slice(-12)]) {
          const path = `/v1/walletpasses/lookup?qrCodeValue=${encodeURIComponent(value)}`;
          expect(await call("GET", path)).toEqual(
            ok({
              ...pass,
              template,
              stampProgress: template === plain ? null : expect.any(Object),
              rewardsAvailable: template === plain ? null : 0,
              pointCard: null,
            }),
          );
        }
      }
    });

    test("finds a pass by its value as scanners and link tools change it", async () => {
      const { acme, ada, card, call } = await openShop(http);
      const pass = await acme.passes.create(card.id, { userId: ada.id });
      const code = pass.qrCodeValue.slice(-12);
      for (const value of [` ${code}`, `${code}\r\n`, `${pass.qrCodeValue}/`, `${pass.qrCodeValue}?x=1#y`]) {
        const path = `/v1/walletpasses/lookup?qrCodeValue=${encodeURIComponent(value)}`;
        expect(await call("GET", path)).toMatchObject({ status: 200, body: { id: pass.id } });
      }
    });

    test("finds nothing by anything else", async () => {
      const { acme, ada, card, call } = await openShop(http);
      const pass = await acme.passes.create(card.id, { userId: ada.id });
      const code = pass.qrCodeValue.slice(-12);
      const swappedCode = code.replace(/[a-z]|[A-Z]/g, (letter) =>
        letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
      );
      for (const value of [
        ...[pass.id, "", code.slice(1), `/${code}`, `${SHORT_LINK_BASE}/`],
        ...[`https://other.example/p/${code}`, `${SHORT_LINK_BASE}${code}`, `${SHORT_LINK_BASE}//${code}`],
        ...[`${SHORT_LINK_BASE}/${SHORT_LINK_BASE}/${code}`, `${pass.qrCodeValue}//`, `?${pass.qrCodeValue}`],
        ...["%", "_".repeat(12), "x".repeat(5_000), ...(swappedCode === code ? [] : [swappedCode])],
      ]) {
        const path = `/v1/walletpasses/lookup?qrCodeValue=${encodeURIComponent(value)}`;
        expect(await call("GET", path)).toEqual(notFound);
      }
    });

    test("requires a value, exactly once", async () => {
      const { call } = await openShop(http);
      expect(await call("GET", "/v1/walletpasses/lookup")).toEqual(invalid("qrCodeValue"));
      expect(await call("GET", "/v1/walletpasses/lookup?qrcodevalue=x")).toEqual(invalid("qrCodeValue"));
      expect(await call("GET", "/v1/walletpasses/lookup?qrCodeValue=a&qrCodeValue=a")).toEqual(
        wrongType("qrCodeValue"),
      );
    });

    test('leaves other methods and longer paths to a pass with the id "lookup"', async () => {
      const { call } = await openShop(http);
      expect(await call("DELETE", "/v1/walletpasses/lookup")).toEqual(notFound);
      expect(await call("GET", "/v1/walletpasses/lookup/stamps")).toEqual(notFound);
    });
  });

  describe("the installation of a pass", () => {
    test("goes from never installed to installed, to uninstalled, and back", async () => {
      const { acme, ada, card, plain, call } = await openShop(http);
      for (const template of [card, plain]) {
        const pass = await acme.passes.create(template.id, { userId: ada.id });
        const path = `/v1/walletpasses/${pass.id}/installation`;
        let before = pass;
        for (const status of ["INSTALLED", "UNINSTALLED", "INSTALLED"]) {
          expect(await call("PUT", path, { status })).toEqual(
            ok({
              ...pass,
              installationStatus: status,
              updatedAt: expect.any(String),
              template,
              stampProgress: template === plain ? null : expect.any(Object),
              rewardsAvailable: template === plain ? null : 0,
              pointCard: null,
            }),
          );
          const after = await acme.passes.get(pass.id);
          expect(after.updatedAt > before.updatedAt).toBe(true);
          http.clock.move(100);
          const repeatedResponse = await call("PUT", path, { status });
          expect(repeatedResponse).toMatchObject(
            ok({ installationStatus: status, updatedAt: after.updatedAt }),
          );
          expect(await call("GET", `/v1/walletpasses/${pass.id}`)).toEqual(ok(after));
          before = after;
        }
      }
    });

    test("can't become uninstalled before it was installed", async () => {
      const { acme, ada, card, call } = await openShop(http);
      const pass = await acme.passes.create(card.id, { userId: ada.id });
      const path = `/v1/walletpasses/${pass.id}/installation`;
      expect(await call("PUT", path, { status: "UNINSTALLED" })).toEqual(conflict("pass_never_installed"));
      expect(await call("GET", `/v1/walletpasses/${pass.id}`)).toEqual(ok(pass));
    });

    test("changes only the pass", async () => {
      const { acme, ada, card, call } = await openShop(http);
      const pass = await acme.passes.create(card.id, { userId: ada.id });
      http.clock.move(100);
      await call("PUT", `/v1/walletpasses/${pass.id}/installation`, { status: "INSTALLED" });
      expect(await call("GET", "/v1/users/c-1")).toEqual(ok(ada));
      expect(await call("GET", `/v1/templates/${card.id}`)).toEqual(ok(card));
    });

    test("requires a known status and an existing pass", async () => {
      const { acme, ada, card, call } = await openShop(http);
      const pass = await acme.passes.create(card.id, { userId: ada.id });
      const path = `/v1/walletpasses/${pass.id}/installation`;
      for (const body of [{}, { status: "installed" }, { status: "" }, { installationStatus: "INSTALLED" }]) {
        expect(await call("PUT", path, body)).toEqual(invalid("status"));
      }
      expect(await call("PUT", path, { status: null })).toEqual(wrongType("status"));
      expect(await call("PUT", "/v1/walletpasses/wp_x/installation", { status: "INSTALLED" })).toEqual(
        notFound,
      );
    });
  });
});
