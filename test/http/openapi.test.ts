import { Validator } from "@seriousme/openapi-schema-validator";
import { errorCodes } from "loyalty-kit";
import { describe, expect, test } from "vitest";
import { eventTypes } from "../events/recorded-events.js";
import { listObjects } from "./document.js";
import { endpoints, titleOf } from "./endpoints.js";
import { testOnEachDatabase, testOnEveryMount } from "./every-mount.js";

testOnEachDatabase((http) => {
  describe("the OpenAPI document", () => {
    test("is valid OpenAPI 3.1", async () => {
      const { valid, errors } = await new Validator().validate(structuredClone(http.document.source));
      expect(errors).toBeUndefined();
      expect(valid).toBe(true);
      expect(http.document.source.openapi).toMatch(/^3\.1\./);
    });

    test("lists the endpoints of the API and itself, and no others", () => {
      const documentedTitles = http.document.operations
        .map(titleOf)
        .filter((title) => title !== "GET /v1/openapi.json");
      expect(documentedTitles.sort()).toEqual(endpoints.map(titleOf).sort());
    });

    test("lists the status of each success, and only known errors", () => {
      const knownStatuses = new Set(Object.values(errorCodes).map(({ status }) => status));
      for (const operation of http.document.operations) {
        const endpoint = endpoints.find((other) => titleOf(other) === titleOf(operation));
        const [successes, failures] = [
          operation.statuses.filter((status) => status < 400),
          operation.statuses.filter((status) => status >= 400),
        ];
        const { status = 200, otherStatus = status } = endpoint ?? {};
        expect(new Set(successes), titleOf(operation)).toEqual(new Set([status, otherStatus]));
        for (const status of failures) expect([...knownStatuses], titleOf(operation)).toContain(status);
      }
    });

    test("lists the errors for token, scope and body", () => {
      for (const endpoint of endpoints) {
        const statuses = http.document.operations.find(
          (other) => titleOf(other) === titleOf(endpoint),
        )?.statuses;
        const expected = [401, 403, ...(endpoint.body ? [400, 413, 415, 422] : [])];
        expect(statuses, titleOf(endpoint)).toEqual(expect.arrayContaining(expected));
      }
    });

    test("has no broken reference", () => {
      const all = new Set([...listObjects(http.document.source)].map(([path]) => `#${path}`));
      for (const [path, object] of listObjects(http.document.source)) {
        const reference: unknown = Reflect.get(object, "$ref");
        if (typeof reference === "string") expect(all, path).toContain(reference);
      }
    });

    test("describes each field and each parameter in sentences", () => {
      const describedObjects = [...listObjects(http.document.source)].filter(
        ([path]) => /\/(?:properties\/\w+|parameters\/\d+)$/.test(path) && !/\/examples?\//.test(path),
      );
      expect(describedObjects.length).toBeGreaterThan(1_000);
      const wrong = describedObjects.filter(([, field]) => {
        return !/^[A-Z`].*[^.]\.$/s.test(String(Reflect.get(field, "description")));
      });
      expect(wrong.map(([path]) => path)).toEqual([]);
    });

    test("continues after the end of a sentence only with a new sentence", () => {
      const texts = [...listObjects(http.document.source)].flatMap(([path, object]) => {
        const text = String(Reflect.get(object, "description")).replace(/`[^`]*`/g, "X");
        // The name of the field `params` may begin a sentence.
        return /[a-z][.!?] (?!params )[a-z]/.test(text) ? [`${path}: ${text}`] : [];
      });
      expect(texts).toEqual([]);
    });

    test("gives each operation a unique name", () => {
      const names = [...listObjects(http.document.source)].flatMap(([, object]) => {
        const name: unknown = Reflect.get(object, "operationId");
        return typeof name === "string" ? [name] : [];
      });
      expect(new Set(names).size).toBe(names.length);
      const webhooks = Object.keys(Object(http.document.source.webhooks));
      expect(names.length).toBe(http.document.operations.length + webhooks.length);
    });

    test("describes what webhook endpoints receive, for each event type", () => {
      const { webhooks } = http.document.source;
      expect(Object.keys(Object(webhooks)).sort()).toEqual([...eventTypes, "webhook.test"].sort());
      expect(webhooks).toHaveProperty(
        ["stamp.added", "post", "requestBody", "content", "application/json", "schema", "$ref"],
        "#/components/schemas/StampAddedEvent",
      );
    });

    test("describes the data of each event type separately", () => {
      const { oneOf } = Object(Object(http.document.source.components).schemas.Event);
      expect(oneOf).toHaveLength(eventTypes.length);
    });
  });
});

testOnEveryMount((http) => {
  test("the OpenAPI document contains the base path of the API", () => {
    const servers = http.document.source.servers ?? [{ url: "/" }];
    expect(servers).toEqual([expect.objectContaining({ url: http.mount.prefix || "/" })]);
  });
});
