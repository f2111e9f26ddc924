import { readdir } from "node:fs/promises";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { errorCodes, LoyaltyService } from "loyalty-kit";
import { apiTokens, createHttpApi, routes } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { listObjects } from "../document.js";

const loyalty = new LoyaltyService({ storage: memoryStorage() });
const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty) });
const response = await api.fetch(new Request("https://api.example/v1/openapi.json"));
const source = z.looseObject({}).parse(await response.json());

const parameter = z.object({ name: z.string(), description: z.string().optional() });
const content = z.object({
  schema: z.unknown(),
  examples: z.record(z.string(), z.object({ value: z.unknown() })).optional(),
});
const responseSchema = z.object({ content: z.record(z.string(), content).optional() });
const document = z
  .object({
    paths: z.record(
      z.string(),
      z.record(
        z.string(),
        z.object({
          summary: z.string().optional(),
          security: z.array(z.record(z.string(), z.array(z.string()))),
          parameters: z.array(parameter).optional(),
          responses: z.record(z.string(), responseSchema),
        }),
      ),
    ),
    components: z.object({
      schemas: z.record(z.string(), z.object({ examples: z.array(z.unknown()).optional() })),
      responses: z.record(z.string(), responseSchema),
    }),
  })
  .parse(source);

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ title: `${method} ${path}`, path, ...operation })),
);

const ajv = addFormats.default(new Ajv2020({ strict: false, formats: { "idn-email": true } }));
ajv.addSchema(source, "document");

describe("the OpenAPI document", () => {
  test.each(
    Object.entries(document.components.schemas).flatMap(([name, { examples = [] }]) =>
      examples.map((example) => ({ name, example })),
    ),
  )("has a valid example of $name", ({ name, example }) => {
    const validate = ajv.compile({ $ref: `document#/components/schemas/${name}` });
    expect(validate(example), ajv.errorsText(validate.errors)).toBe(true);
  });

  test("describes the items of every list and the fields of every object", () => {
    const unsaid = [...listObjects(Object(source.components).schemas)].filter(
      ([path, object]) => Object.keys(object).length === 0 && !path.includes("/examples/"),
    );
    // The texts of the details depend on the action.
    expect(unsaid.map(([path]) => path)).toEqual(["/AuditEntry/properties/details/additionalProperties"]);
  });

  test("has every query of the library", async () => {
    const core = new URL("../../../src/", import.meta.url);
    const names = (await readdir(core, { recursive: true })).filter((name) => /[/\\-]schema\.ts$/.test(name));
    const modules: object[] = await Promise.all(names.map((name) => import(new URL(name, core).href)));
    const queries = modules
      .flatMap((file) => Object.entries(file))
      .filter(([name]) => name.endsWith("QuerySchema") && name !== "pageQuerySchema");
    const inputSchemas = new Set<unknown>(
      routes.flatMap((route) => (route.scope === null ? [] : [route.query, route.body])),
    );
    expect(queries.length).toBeGreaterThan(7);
    expect(queries.filter(([, schema]) => !inputSchemas.has(schema)).map(([name]) => name)).toEqual([]);
  });

  test("has an example of everything that is sent or returned on its own", () => {
    const { schemas } = document.components;
    const withoutExamples = Object.keys(schemas).filter((name) => schemas[name]?.examples === undefined);
    expect(withoutExamples).toEqual([
      "ContactPage",
      "AccessDenied",
      "StandardValidation",
      "CustomValidation",
    ]);
  });

  test("has valid examples of errors", () => {
    const responses = [
      ...Object.values(document.components.responses),
      ...operations.flatMap(({ responses }) => Object.values(responses)),
    ];
    for (const { schema, examples = {} } of responses.flatMap(({ content = {} }) => Object.values(content))) {
      for (const [code, { value }] of Object.entries(examples)) {
        const text = JSON.stringify(schema).replaceAll('"#/', '"document#/');
        const validate = ajv.compile(JSON.parse(text));
        expect(validate(value), `${code}: ${ajv.errorsText(validate.errors)}`).toBe(true);
      }
    }
  });

  test("has a response for every error code", () => {
    expect(Object.keys(document.components.responses)).toEqual(Object.keys(errorCodes));
  });

  test("describes every operation and every parameter", () => {
    for (const { title, path, summary, parameters = [] } of operations) {
      expect(summary, title).toBeTruthy();
      for (const { name, description } of parameters) expect(description, `${title} ${name}`).toBeTruthy();
      const parameterNames = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(parameters.map(({ name }) => name)).toEqual(expect.arrayContaining(parameterNames));
    }
  });

  test("names one scope, or either of two, for every operation but its own, whatever the kind of token", () => {
    const otherLimits: Readonly<Record<string, number>> = {
      "get /v1/openapi.json": 0,
      "get /v1/message-deliveries/{messageDeliveryId}": 2,
    };
    for (const { title, security } of operations) {
      const scopes = new Set(security.flatMap((requirement) => Object.values(requirement).flat()));
      expect(scopes.size, title).toBe(otherLimits[title] ?? 1);
      expect(security.flatMap((requirement) => Object.keys(requirement))).toEqual(
        [...scopes].flatMap(() => ["bearerToken", "oauth2"]),
      );
    }
  });

  test.each([
    ["CreateWalletPass", { userId: "7" }, { user: { email: "ada@example.com" } }],
    ["UserSelection", { userIds: ["7"] }, { filter: { operator: "NOT", conditions: [{ slug: "vip" }] } }],
    ["Replay", { deliveryId: "whd_1" }, { eventId: "evt_1" }],
    ["SegmentCondition", { slug: "vip" }, { joined: { withinDays: 3 } }],
  ])("requires exactly one of several fields in %s", (name, one, other) => {
    const validate = ajv.compile({ $ref: `document#/components/schemas/${name}` });
    expect([one, other, {}, { ...one, ...other }].map((body) => validate(body))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  test("requires a field in every form of an object that needs one, so that generated types do too", () => {
    const forms = [...listObjects(Object(source.components).schemas), ...listObjects(source.paths)].flatMap(
      ([path, object]) => ("properties" in object || "oneOf" in object ? [[path, object] as const] : []),
    );
    const isValid = (schema: object, value: unknown) =>
      ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')))(value);
    const typedSchema = z.looseObject({
      properties: z.record(z.string(), z.unknown()),
      required: z.array(z.string()).default([]),
    });
    const isRequiring = (schema: object): boolean => {
      const { success, data } = typedSchema.safeParse(schema);
      if (success) return data.required.some((name) => name in data.properties);
      const { oneOf = [] } = z.looseObject({ oneOf: z.array(z.looseObject({})).optional() }).parse(schema);
      return oneOf.every((form) => "$ref" in form || form.type !== "object" || isRequiring(form));
    };
    const lax = forms.filter(([, schema]) => !isRequiring(schema) && !isValid(schema, {}));
    expect(forms.length).toBeGreaterThan(300);
    expect(lax.map(([path]) => path)).toEqual([]);
  });

  test("lists the event types that a delivery may have", () => {
    const validate = ajv.compile({
      $ref: "document#/components/schemas/WebhookDelivery/properties/eventType",
    });
    expect(["stamp.added", "webhook.test", "stamp.eaten"].map((type) => validate(type))).toEqual([
      true,
      true,
      false,
    ]);
  });

  test("accepts the types of an existing endpoint to create another", () => {
    const validate = ajv.compile({ $ref: "document#/components/schemas/CreateWebhookEndpoint" });
    const url = "https://shop.example/hooks";
    expect([["stamp.added"], null, ["webhook.test"]].map((types) => validate({ url, types }))).toEqual([
      true,
      true,
      false,
    ]);
  });

  test("has no defaults in bodies, because generators treat such fields as always present", () => {
    expect(JSON.stringify(source.components)).not.toContain('"default":');
  });
});
