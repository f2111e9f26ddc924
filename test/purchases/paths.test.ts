import { describe, expect, test } from "vitest";
import { created, invalid, malformed, notFound } from "../http/answers.js";
import { testOnEachDatabase } from "../http/every-mount.js";

testOnEachDatabase((http) => {
  describe("the path of a purchase", () => {
    test("is refused with 422 on PUT if it is invalid, and with 404 on GET", async () => {
      const { call } = await http.createOrganization();
      const purchase = { currency: "EUR", lines: [{ amount: 1_000 }] };
      const long = "x".repeat(256);
      expect(await call("PUT", "/v1/purchases/Till/1", purchase)).toEqual(invalid("source"));
      expect(await call("PUT", `/v1/purchases/till/${long}`, purchase)).toEqual(invalid("receipt"));
      expect(await call("GET", "/v1/purchases/Till/1")).toEqual(notFound);
      expect(await call("GET", `/v1/purchases/till/${long}`)).toEqual(notFound);
      expect(await call("GET", "/v1/purchases/till/a%00b")).toEqual(notFound);
      expect(await call("PUT", "/v1/purchases/till/a%00b", purchase)).toEqual(notFound);
      expect(await call("GET", "/v1/purchases/till/%ZZ")).toEqual(malformed);
      expect(await call("PUT", "/v1/purchases/till/a%2Fb", purchase)).toEqual(
        created(expect.objectContaining({ receipt: "a/b" })),
      );
    });
  });
});
