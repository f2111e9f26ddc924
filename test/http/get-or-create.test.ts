import { describe, expect, test } from "vitest";
import { denied, invalid, notFound, ok, taken, wrongType } from "./answers.js";
import { textAt } from "./client.js";
import { onEachDatabase } from "./every-mount.js";

onEachDatabase((http) => {
  describe("get or create", () => {
    test("updates a user who is known, and creates one who is not", async () => {
      const { call, acme } = await http.organization();
      const answer = await call("POST", "/v1/users:upsert", { email: "ada@example.com", externalId: "7" });
      expect(answer).toMatchObject(ok({ email: "ada@example.com", externalId: "7" }));
      const named = await call("POST", "/v1/users:upsert", { email: "ADA@example.com", name: "Ada" });
      const ada = { id: textAt(answer, "id"), name: "Ada", externalId: "7" };
      expect(named).toMatchObject(ok(ada));
      expect(await call("GET", "/v1/users:find?email=ada%40EXAMPLE.com")).toEqual(ok(named.body));
      await acme.users.create({ email: "bob@example.com", externalId: "8" });
      expect(await call("POST", "/v1/users:upsert", { email: "ada@example.com", externalId: "8" })).toEqual(
        taken({ email: "ada@example.com" }),
      );
      expect(await call("POST", "/v1/users:upsert", { name: "Ada" })).toEqual(invalid("email"));
    });

    test("finds nobody by an email that nobody has, and asks for one", async () => {
      const { call } = await http.organization();
      expect(await call("GET", "/v1/users:find?email=ada@example.com")).toEqual(notFound);
      expect(await call("GET", "/v1/users:find")).toEqual(invalid("email"));
      expect(await call("GET", "/v1/users:find?email=a&email=b")).toEqual(wrongType("email"));
    });

    test("answers the pass that a user has, or issues it", async () => {
      const { call, acme } = await http.organization();
      const card = await acme.templates.create({ name: "Card", type: "STAMP_CARD", maxStamps: 10 });
      const ensure = `/v1/templates/${card.id}/walletpasses:ensure`;
      const answer = await call("POST", ensure, { user: { email: "ada@example.com" } });
      expect(answer).toMatchObject(ok({ template: card, stampProgress: { currentStamps: 0 } }));
      expect(await call("POST", ensure, { userId: textAt(answer, "userId") })).toEqual(answer);
      expect(await call("POST", ensure, {})).toEqual(invalid("userId"));
      expect(await call("POST", "/v1/templates/none/walletpasses:ensure", { userId: "7" })).toEqual(notFound);
    });

    test("needs both scopes", async () => {
      const { tokenWith } = await http.organization();
      const { call } = http.caller(await tokenWith("user:update", "pass:create"));
      expect(await call("POST", "/v1/users:upsert", {})).toEqual(denied("user:create"));
      expect(await call("POST", "/v1/templates/x/walletpasses:ensure", {})).toEqual(denied("pass:read"));
    });
  });
});
