import { Validator } from "@seriousme/openapi-schema-validator";
import { errorCodes } from "loyalty-kit";
import { describe, expect, test } from "vitest";
import { eventTypes } from "../events/heard.js";
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

    test("lists the endpoints of the interface, and besides only itself", () => {
      const documentedTitles = http.document.operations
        .map(titleOf)
        .filter((title) => title !== "GET /v1/openapi.json");
      expect(documentedTitles.sort()).toEqual(endpoints.map(titleOf).sort());
    });

    test("names the status of each success, and only known errors", () => {
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

    test("names the errors that follow from token, scope and body", () => {
      for (const endpoint of endpoints) {
        const statuses = http.document.operations.find(
          (other) => titleOf(other) === titleOf(endpoint),
        )?.statuses;
        const expected = [401, 403, ...(endpoint.body ? [400, 413, 415, 422] : [])];
        expect(statuses, titleOf(endpoint)).toEqual(expect.arrayContaining(expected));
      }
    });

    test("has no reference that leads nowhere", () => {
      const all = new Set([...listObjects(http.document.source)].map(([path]) => `#${path}`));
      for (const [path, object] of listObjects(http.document.source)) {
        const reference: unknown = Reflect.get(object, "$ref");
        if (typeof reference === "string") expect(all, path).toContain(reference);
      }
    });

    test("says in a sentence what each field and each parameter is", () => {
      const describedObjects = [...listObjects(http.document.source)].filter(
        ([path]) => /\/(?:properties\/\w+|parameters\/\d+)$/.test(path) && !/\/examples?\//.test(path),
      );
      expect(describedObjects.length).toBeGreaterThan(1_000);
      const wrong = describedObjects.filter(([, field]) => {
        return !/^[A-Z`].*[^.]\.$/s.test(String(Reflect.get(field, "description")));
      });
      expect(wrong.map(([path]) => path)).toEqual([]);
    });

    test("says nothing after the end of a sentence but another sentence", () => {
      const texts = [...listObjects(http.document.source)].flatMap(([path, object]) => {
        const text = String(Reflect.get(object, "description")).replace(/`[^`]*`/g, "X");
        // The names of fields may begin a sentence of an error.
        return /[a-z][.!?] (?!params )[a-z]/.test(text) ? [`${path}: ${text}`] : [];
      });
      expect(texts).toEqual([]);
    });

    test("gives each operation a name of its own", () => {
      const names = [...listObjects(http.document.source)].flatMap(([, object]) => {
        const name: unknown = Reflect.get(object, "operationId");
        return typeof name === "string" ? [name] : [];
      });
      expect(new Set(names).size).toBe(names.length);
      const webhooks = Object.keys(Object(http.document.source.webhooks));
      expect(names.length).toBe(http.document.operations.length + webhooks.length);
    });

    test("describes what webhook endpoints get, kind by kind", () => {
      const { webhooks } = http.document.source;
      expect(Object.keys(Object(webhooks)).sort()).toEqual([...eventTypes, "webhook.test"].sort());
      expect(webhooks).toHaveProperty(
        ["stamp.added", "post", "requestBody", "content", "application/json", "schema", "$ref"],
        "#/components/schemas/StampAddedEvent",
      );
    });

    test("lets the type of an event say which data it has", () => {
      const { oneOf } = Object(Object(http.document.source.components).schemas.Event);
      expect(oneOf).toHaveLength(eventTypes.length);
    });
  });
});

testOnEveryMount((http) => {
  test("the OpenAPI document says where the API stands", () => {
    const servers = http.document.source.servers ?? [{ url: "/" }];
    expect(servers).toEqual([expect.objectContaining({ url: http.mount.prefix || "/" })]);
  });
});
