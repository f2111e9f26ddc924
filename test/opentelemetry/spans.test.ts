import { SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-node";
import { LoyaltyService, type StorageAdapter } from "loyalty-kit";
import { bearerTokens, createHttpApi } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { openTelemetry } from "loyalty-kit/observability";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { createWebhookWorker } from "loyalty-kit/webhooks";
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { everyAdapter } from "../kit/every-adapter.js";
import { createTemporaryFile } from "../sqlite/temporary-file.js";

const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
provider.register();
const host = trace.getTracer("host");
const tracer = await openTelemetry();

beforeEach(() => exporter.reset());
afterAll(() => provider.shutdown());

function open(storage: StorageAdapter = memoryStorage()) {
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const loyalty = new LoyaltyService({
    storage,
    tracer,
    onError,
    webhooks: { allowLoopback: true },
  });
  onTestFinished(() => loyalty.close());
  return { loyalty, acme: loyalty.organization("acme"), errors, onError };
}

/** Returns the finished span with this name. @throws unless there is exactly one. */
function findSpan(name: string): ReadableSpan {
  const [span, other] = exporter.getFinishedSpans().filter((each) => each.name === name);
  if (span === undefined || other !== undefined) throw new Error(`there is not one span ${name}`);
  return span;
}

/** Runs work in a span of the host. */
function runInSpan<T>(name: string, work: () => Promise<T>): Promise<T> {
  return host.startActiveSpan(name, (span) => work().finally(() => span.end()));
}

const getParentId = ({ parentSpanContext }: ReadableSpan) => parentSpanContext?.spanId;
const getSpanId = (span: ReadableSpan) => span.spanContext().spanId;

describe("a call", () => {
  it("is a span inside the active one, with the events of its change", async () => {
    const { acme } = open();
    const { id } = await runInSpan("sign-up", () => acme.users.create({ email: "ada@example.com" }));
    const span = findSpan("loyalty.users.create");
    expect(getParentId(span)).toBe(getSpanId(findSpan("sign-up")));
    expect(span.kind).toBe(SpanKind.INTERNAL);
    expect(span.status.code).toBe(SpanStatusCode.UNSET);
    expect(span.attributes).toEqual({ "loyalty.organization.id": "acme" });
    expect(span.events.map(({ attributes }) => attributes)).toEqual([
      { "loyalty.event.id": expect.stringMatching(/^evt_/), "loyalty.event.type": "user.created" },
    ]);
    expect(JSON.stringify([span.attributes, span.name])).not.toContain(id);
  });

  it("that is refused records the error code, and nothing that was sent", async () => {
    const { acme } = open();
    await expect(acme.users.create({ email: "ada" })).rejects.toThrow();
    const { status, attributes, events } = findSpan("loyalty.users.create");
    expect(status).toEqual({ code: SpanStatusCode.ERROR });
    expect(attributes["error.type"]).toBe("validation_failed");
    expect(events).toEqual([]);
  });

  it("that fails records the exception", async () => {
    const storage = memoryStorage();
    storage.transaction = () => Promise.reject(new RangeError("the disk is on fire"));
    const { acme } = open(storage);
    await expect(acme.users.create({ email: "ada@example.com" })).rejects.toThrow();
    const { attributes, events } = findSpan("loyalty.users.create");
    expect(attributes["error.type"]).toBe("RangeError");
    expect(events[0]?.attributes).toMatchObject({
      "exception.type": "RangeError",
      "exception.message": "the disk is on fire",
    });
  });

  it("that returns a list ends when the list is read or abandoned", async () => {
    const { acme } = open();
    for (const name of ["ada", "bob"]) await acme.users.create({ email: `${name}@example.com` });
    exporter.reset();
    const list = acme.users.list();
    expect(exporter.getFinishedSpans()).toEqual([]);
    for await (const _ of list) break;
    expect(findSpan("loyalty.users.list").status.code).toBe(SpanStatusCode.UNSET);
    expect((await list).content).toHaveLength(2);
    const spans = exporter.getFinishedSpans().filter(({ name }) => name === "loyalty.users.list");
    expect(spans).toHaveLength(2);
  });
});

describe.each(everyAdapter)("on $name", ({ open: openStorage }) => {
  it("a listener's span belongs to the call that emitted its event, even among concurrent calls", async () => {
    const { loyalty, acme } = open(await openStorage());
    const notifications: Promise<void>[] = [];
    loyalty.on("user.created", ({ data }) => {
      notifications.push(runInSpan(`heard ${data.email}`, () => Promise.resolve()));
    });
    const emails = Array.from({ length: 20 }, (_, at) => `c${at}@example.com`);
    await Promise.all(
      emails.map((email) => runInSpan(`signs up ${email}`, () => acme.users.create({ email }))),
    );
    // Events of a change that ends while others are emitted come after its result.
    await expect.poll(() => notifications).toHaveLength(emails.length);
    await Promise.all(notifications);
    for (const email of emails) {
      const [listener, signUp] = [findSpan(`heard ${email}`), findSpan(`signs up ${email}`)];
      expect(listener.spanContext().traceId).toBe(signUp.spanContext().traceId);
      const call = exporter.getFinishedSpans().find((span) => getSpanId(span) === getParentId(listener));
      expect(call?.name).toBe("loyalty.users.create");
      expect(getParentId(call ?? listener)).toBe(getSpanId(signUp));
      expect(call?.events).toHaveLength(1);
    }
  });
});

it("a call in a host transaction, and a listener that runs after the commit, belong to the host's span", async () => {
  const { loyalty } = open(await sqliteStorage(createTemporaryFile()));
  const notification = new Promise<void>((resolve) => {
    loyalty.on("user.created", () => {
      void runInSpan("heard", () => Promise.resolve()).then(resolve);
    });
  });
  await runInSpan("checkout", () =>
    loyalty.transaction((_tx, organization) =>
      organization("acme").users.create({ email: "ada@example.com" }),
    ),
  );
  await notification;
  const call = findSpan("loyalty.users.create");
  expect(getParentId(call)).toBe(getSpanId(findSpan("checkout")));
  expect(getParentId(findSpan("heard"))).toBe(getSpanId(call));
});

describe("a request", () => {
  async function openServed() {
    const service = open();
    const { loyalty, acme, onError } = service;
    const api = createHttpApi(loyalty, { authenticate: bearerTokens(loyalty), onError });
    const { token } = await acme.apiTokens.create({ name: "till", scopes: ["user:read"] });
    exporter.reset();
    const get = (path: string, headers: Record<string, string> = {}, method = "GET") =>
      api.fetch(
        new Request(`http://localhost${path}`, {
          method,
          headers: { authorization: `Bearer ${token}`, ...headers },
        }),
      );
    return { ...service, get };
  }

  it("continues the trace that its header names, and the call continues the request's", async () => {
    const { get } = await openServed();
    const traceId = "0af7651916cd43dd8448eb211c80319c";
    await get("/v1/users/ada%40example.com?x=secret", { traceparent: `00-${traceId}-b7ad6b7169203331-01` });
    const request = findSpan("GET /v1/users/{userId}");
    expect(request.spanContext().traceId).toBe(traceId);
    expect(getParentId(request)).toBe("b7ad6b7169203331");
    expect(request.kind).toBe(SpanKind.SERVER);
    expect(request.status.code).toBe(SpanStatusCode.UNSET);
    expect(request.attributes).toEqual({
      "http.request.method": "GET",
      "http.route": "/v1/users/{userId}",
      "http.response.status_code": 404,
    });
    const call = findSpan("loyalty.users.get");
    expect(getParentId(call)).toBe(getSpanId(request));
    expect(call.attributes["error.type"]).toBe("resource_not_found");
  });

  it("belongs to the host's own span if there is one, whatever its header names", async () => {
    const { get } = await openServed();
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    await runInSpan("the host's", () => get("/v1/contacts", { traceparent }));
    const { kind, ...request } = findSpan("GET /v1/contacts");
    expect(kind).toBe(SpanKind.INTERNAL);
    expect(request.parentSpanContext?.spanId).toBe(getSpanId(findSpan("the host's")));
  });

  it("without a route has a name that no client chose", async () => {
    const { get } = await openServed();
    await get("/v1/anything", {}, "BREW");
    expect(findSpan("HTTP").attributes).toEqual({
      "http.request.method": "_OTHER",
      "http.response.status_code": 404,
    });
  });

  it("that fails is an error, unlike a refused one", async () => {
    const { loyalty, get } = await openServed();
    await loyalty.close();
    expect((await get("/v1/contacts")).status).toBeGreaterThanOrEqual(500);
    const { status, attributes } = findSpan("GET /v1/contacts");
    expect(status.code).toBe(SpanStatusCode.ERROR);
    expect(attributes["error.type"]).toBe(String(attributes["http.response.status_code"]));
  });
});

describe("an attempt to deliver a webhook", () => {
  it("has its own trace, which is sent to the receiver, and the event of the change", async () => {
    const { loyalty, acme } = open();
    const { webhookEndpoint } = await acme.webhooks.create({
      url: "http://127.0.0.1:9/secret-path",
      types: ["user.created"],
    });
    const requestHeaders: Readonly<Record<string, string>>[] = [];
    const worker = createWebhookWorker(loyalty, {
      send: async ({ headers }) => {
        requestHeaders.push(headers);
        return { status: 500, retryAfter: null, answer: "" };
      },
    });
    await runInSpan("sign-up", () => acme.users.create({ email: "ada@example.com" }));
    await expect.poll(() => requestHeaders.length).toBe(1);
    await worker.close();
    const attempt = findSpan("POST");
    const [event] = findSpan("loyalty.users.create").events;
    expect(attempt.kind).toBe(SpanKind.CLIENT);
    expect(attempt.attributes).toEqual({
      "http.request.method": "POST",
      "server.address": "127.0.0.1",
      "http.response.status_code": 500,
      "error.type": "500",
      "loyalty.organization.id": "acme",
      "loyalty.webhook_endpoint.id": webhookEndpoint.id,
      "loyalty.event.id": event?.attributes?.["loyalty.event.id"],
    });
    const { traceId, spanId } = attempt.spanContext();
    expect(requestHeaders[0]?.traceparent).toBe(`00-${traceId}-${spanId}-01`);
    expect(getParentId(attempt)).toBeUndefined();
    expect(traceId).not.toBe(findSpan("sign-up").spanContext().traceId);
  });
});

it("without a tracer no span is recorded, and requests name no trace", async () => {
  const loyalty = new LoyaltyService({ storage: memoryStorage(), webhooks: { allowLoopback: true } });
  onTestFinished(() => loyalty.close());
  const acme = loyalty.organization("acme");
  await acme.webhooks.create({ url: "http://127.0.0.1:9/hook" });
  const headerNames: string[] = [];
  createWebhookWorker(loyalty, {
    send: async ({ headers }) => {
      headerNames.push(...Object.keys(headers).map((name) => name.toLowerCase()));
      return { status: 200, retryAfter: null, answer: "" };
    },
  });
  await acme.users.create({ email: "ada@example.com" });
  await expect.poll(() => headerNames).toContain("content-type");
  expect(headerNames).not.toContain("traceparent");
  expect(exporter.getFinishedSpans()).toEqual([]);
  expect(Object.getPrototypeOf(acme.users).constructor.name).toBe("Users");
});
