import { describe, expect, test } from "vitest";
import { created, invalid, ok } from "./answers.js";
import { readText } from "./client.js";
import { testOnEveryMount } from "./every-mount.js";

const email = "ada@example.com";

testOnEveryMount((http) => {
  describe.each([true, false])("if requiresEmail is %j, a user", (requiresEmail) => {
    const openOrganization = async () => {
      const organization = await http.createOrganization();
      await organization.call("PUT", "/v1/settings", { requiresEmail });
      return organization;
    };

    test.each([
      [{ phone: "1" }, true],
      [{ email: null, phone: "1" }, true],
      [{ email: null, externalId: "7" }, true],
      [{ name: "Ada" }, false],
      [{ email: null, phone: null, externalId: null }, false],
    ])("created with %j has a null email, or is refused", async (givenUser, isKnown) => {
      const { call } = await openOrganization();
      const isTaken = isKnown && !requiresEmail;
      const user = { email: null, phone: null, externalId: null, ...givenUser };
      const expectedResponse = isTaken
        ? expect.objectContaining(created(expect.objectContaining(user)))
        : invalid("email");
      expect(await call("POST", "/v1/users", givenUser)).toEqual(expectedResponse);
      const { body } = await call("GET", "/v1/contacts");
      expect(body).toMatchObject({ content: isTaken ? [user] : [] });
    });

    test.each([
      [{ email }, { email: null }, ["email"], ["email"]],
      [{ email, phone: "1" }, { email: null }, ["email"], []],
      [{ email, externalId: "7" }, { email: null }, ["email"], []],
      [{ email, phone: "1" }, { email: null, phone: null }, ["email", "phone"], ["email", "phone"]],
      [{ phone: "1" }, { phone: null }, ["phone"], ["phone"]],
      [{ phone: "1" }, { email: null, name: "Ada" }, [], []],
      [{ phone: "1" }, { email, phone: null }, [], []],
    ])(
      "%j changed with %j is updated, or the change is refused",
      async (givenUser, change, requiredFields, free) => {
        const { acme, call } = await openOrganization();
        await acme.settings.update({ requiresEmail: false });
        const user = await call("POST", "/v1/users", givenUser);
        await acme.settings.update({ requiresEmail });
        const rejectedFields = requiresEmail ? requiredFields : free;
        const response = await call("PATCH", `/v1/users/${readText(user, "id")}`, change);
        if (rejectedFields.length > 0) expect(response).toEqual(invalid(...rejectedFields));
        else expect(response).toMatchObject(ok(change));
      },
    );
  });
});
