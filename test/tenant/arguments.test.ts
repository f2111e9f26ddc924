import Sqlite from "better-sqlite3";
import { isLoyaltyError, LoyaltyService, type Span, type Tracer } from "loyalty-kit";
import { fromBetterSqlite3 } from "loyalty-kit/joining";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import type { RunInContext } from "../../src/base/tracing.js";
import { serviceInternals } from "../../src/internals.js";
import type { Argument } from "../../src/kernel/operation-arguments.js";
import type { Groups } from "../../src/operation-groups.js";
import { type AnyOperation, listArguments, operations, routeTable } from "../../src/operation-table.js";
import { createHttpClient } from "../client/over-http.js";
import { openAcme } from "../kit/acme.js";
import { untyped } from "../kit/refusal.js";
import { createTemporaryFile } from "../sqlite/temporary-file.js";

const noTexts = [undefined, null, 0, Number.NaN, true, 1n, Symbol("id"), {}, [], ["a"], () => "a"];
const boxed = [new Date(), Object("a"), { toString: () => "a" }];
const noOptions = [null, 0, true, 1n, "", "a", Symbol("options"), [], [{}], () => ({})];

/** Values that are no argument of their kind. */
const wrong: Readonly<Record<Argument["kind"], readonly unknown[]>> = {
  text: [...noTexts, ...boxed],
  options: noOptions,
  rows: [undefined, ...noOptions.filter((value) => !Array.isArray(value)), {}],
  field: noTexts,
  input: noOptions,
};

/** A valid argument of each kind, which refers to nothing that exists. */
const right = { text: "nothing", options: {}, rows: [], field: {}, input: {} };

/** Lists every call, such as `stamps.add`, with each of its arguments in turn wrong in each way. */
function* listWrongCalls() {
  for (const group of Object.keys(operations) as (keyof Groups)[]) {
    for (const [name, operation] of Object.entries<AnyOperation>(operations[group])) {
      if ("call" in operation) continue;
      const places = listArguments(operation, routeTable[group][name]);
      const before: readonly unknown[] = places.map(({ kind }) => right[kind]);
      for (const [at, place] of places.entries()) {
        for (const value of wrong[place.kind])
          yield { group, name, place, given: before.with(at, value), value };
      }
    }
  }
}

/** Makes all wrong calls, and lists those that aren't refused correctly. */
async function findMisjudged(groups: object): Promise<string[]> {
  const found: string[] = [];
  for (const { group, name, place, given, value } of listWrongCalls()) {
    const calls = untyped(groups)[group];
    if (calls?.[name] === undefined) continue;
    const error = await getOutcome(() => calls[name](...given));
    const fields =
      isLoyaltyError(error) && "fields" in error.detail ? Object.keys(error.detail.fields) : null;
    // Arguments that a schema reads may be left out, and are refused in their own way.
    const isRefused =
      place.kind === "field" || place.kind === "input"
        ? isLoyaltyError(error) || !(error instanceof Error)
        : fields?.[0] === place.name;
    if (!isRefused)
      found.push(`${group}.${name}: ${place.name} ${describeOutcome(value)}: ${describeOutcome(error)}`);
  }
  return found;
}

function describeOutcome(what: unknown): string {
  return what instanceof Error ? what.message : typeof what;
}

async function getOutcome(call: () => unknown): Promise<unknown> {
  try {
    const answer = await call();
    return typeof answer === "object" && answer !== null && Symbol.asyncIterator in answer
      ? await untyped(answer).next()
      : answer;
  } catch (error) {
    return error;
  }
}

describe("an argument of the wrong kind is refused and named", () => {
  it("in every call of an organization", async () => {
    const { acme } = openAcme();
    expect(await findMisjudged(acme)).toEqual([]);
  });

  it("when the organization is strict and traced", async () => {
    const within: RunInContext = (work) => work();
    const span: Span = { run: within, set: () => {}, headers: () => ({}), end: () => {} };
    const tracer: Tracer = { begin: () => span, captureContext: () => within, note: () => {} };
    expect(await findMisjudged(openAcme({ strict: true, tracer }).acme)).toEqual([]);
  });

  it("over HTTP, without sending a request", async () => {
    const { loyalty } = openAcme();
    expect(await findMisjudged(createHttpClient(loyalty, "acme"))).toEqual([]);
  });
});

describe("an argument of the wrong kind is refused and named, in a transaction of the host", () => {
  async function openFileShop() {
    const file = createTemporaryFile();
    const loyalty = new LoyaltyService({ storage: await sqliteStorage(file, { synchronous: "NORMAL" }) });
    onTestFinished(() => loyalty.close());
    return { file, loyalty };
  }

  it("that is asynchronous", async () => {
    const { loyalty } = await openFileShop();
    await loyalty.transaction(async (_tx, organization) => {
      expect(await findMisjudged(organization("acme"))).toEqual([]);
    });
  });

  it("that is synchronous", async () => {
    const { file, loyalty } = await openFileShop();
    const connection = new Sqlite(file);
    onTestFinished(() => void connection.close());
    const joinedOrganization = loyalty.organization("acme").joiningSync(fromBetterSqlite3(connection));
    connection.exec("begin immediate");
    const found = await findMisjudged(joinedOrganization);
    connection.exec("rollback");
    expect(found).toEqual([]);
    expect(() => joinedOrganization.stamps.add(untyped(undefined))).toThrow("passId is required");
  });
});

describe("a service", () => {
  it.each([...noTexts, ...boxed, ""])("has no organization with an id of the wrong kind: %s", (id) => {
    const { loyalty } = openAcme();
    expect(() => loyalty.organization(untyped(id))).toThrow("organizationId must be a text");
  });

  it("refuses options and scopes of the wrong kind, which could be mistaken for none or for others", () => {
    const { loyalty } = openAcme();
    for (const options of noOptions)
      expect(() => loyalty.organization("acme", untyped(options))).toThrow("options must be an object");
    for (const scopes of [null, 0, true, "", "user:read", {}])
      expect(() => loyalty.organization("acme", untyped({ scopes }))).toThrow("scopes must be a list");
  });

  it("verifies no token of the wrong kind, and refuses such a code, template and card", async () => {
    const { loyalty } = openAcme();
    for (const value of [...noTexts, ...boxed].map(untyped)) {
      expect(await loyalty.verifyToken(value)).toBe(null);
      expect(await loyalty.verifyApiToken(value)).toBe(null);
      await expect(serviceInternals(loyalty).findOrganizationByCode(value)).rejects.toMatchObject({
        code: "validation_failed",
      });
      await expect(serviceInternals(loyalty).findOrganizationByTemplate(value)).rejects.toMatchObject({
        code: "validation_failed",
      });
      const validationError = { code: "validation_failed" };
      await expect(serviceInternals(loyalty).findCardMessage(value, "pas_1")).rejects.toMatchObject(
        validationError,
      );
      await expect(serviceInternals(loyalty).findCardMessage("acme", value)).rejects.toMatchObject(
        validationError,
      );
    }
    expect(await serviceInternals(loyalty).findCardMessage("nobody", "pas_\0")).toBeNull();
  });
});
