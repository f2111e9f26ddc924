import { isLoyaltyError } from "loyalty-kit";
import pg from "pg";
import { describe, expect, it } from "vitest";
import { toPortError } from "../../adapters/storage/postgres/errors.js";

/** Creates an error that the server reported. */
function createServerError(code: string): Error {
  return Object.assign(new pg.DatabaseError("it failed", 0, "error"), { code, severity: "ERROR" });
}

/** Creates an error of the operating system or of Node.js. */
function createSystemError(code: string): Error {
  return Object.assign(new Error("it failed"), { code });
}

describe("an error from the server", () => {
  it.each([
    ["08006", "connection failure"],
    ["25P03", "idle in a transaction for too long"],
    ["25P04", "a transaction took too long"],
    ["28000", "the role may not log in"],
    ["28P01", "wrong password"],
    ["3D000", "unknown database"],
    ["40001", "serialization failure"],
    ["40P01", "deadlock"],
    ["53100", "disk full"],
    ["53300", "too many connections"],
    ["55P03", "lock not available"],
    ["57014", "statement timeout"],
    ["57P01", "shutdown"],
    ["57P02", "crash of another backend"],
    ["57P03", "starting up"],
    ["57P05", "idle for too long"],
  ])("%s is storage_unavailable: %s", (code) => {
    const error = createServerError(code);
    expect(isLoyaltyError(toPortError(error), "storage_unavailable")).toBe(true);
    expect(toPortError(error)).toMatchObject({ cause: error });
  });

  it.each([
    ["28P01", "Check the connection string."],
    ["40P01", "Run it again."],
    ["53100", "Free up some space"],
    ["53300", "Too many calls"],
    ["55P03", "locked for too long"],
    ["57P01", "can't be reached"],
    ["25006", "is read-only"],
  ])("%s has a message that helps: %s", (code, remedy) => {
    expect(toPortError(createServerError(code))).toMatchObject({ message: expect.stringContaining(remedy) });
  });

  it("25006 is storage_unavailable, and says that the server is read-only", () => {
    const error = createServerError("25006");
    expect(isLoyaltyError(toPortError(error), "storage_unavailable")).toBe(true);
    expect(toPortError(error)).toMatchObject({
      cause: { code: "25006", message: expect.stringMatching(/read-only.*replica.*primary/), cause: error },
    });
  });

  it.each([
    ["23503", "foreign key violation"],
    ["23505", "unique violation"],
    ["25P02", "an earlier statement failed"],
    ["42501", "insufficient privilege"],
    ["42P01", "unknown table"],
    ["XX001", "data corrupted"],
  ])("%s is returned unchanged: %s", (code) => {
    const error = createServerError(code);
    expect(toPortError(error)).toBe(error);
  });
});

describe("a connection error", () => {
  it.each(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ENOTFOUND", "EAI_AGAIN", "ERR_STREAM_DESTROYED"])(
    "%s is storage_unavailable",
    (code) => {
      expect(isLoyaltyError(toPortError(createSystemError(code)), "storage_unavailable")).toBe(true);
    },
  );

  it.each([
    "Connection terminated unexpectedly",
    "Connection terminated due to connection timeout",
    "Client has encountered a connection error and is not queryable",
    "timeout exceeded when trying to connect",
    "timeout expired",
    "Query read timeout",
    "Cannot use a pool after calling end on the pool",
  ])("'%s' is storage_unavailable", (message) => {
    expect(isLoyaltyError(toPortError(new Error(message)), "storage_unavailable")).toBe(true);
  });

  it.each(["ERR_INVALID_URL", "ERR_INVALID_ARG_TYPE", "DEPTH_ZERO_SELF_SIGNED_CERT"])(
    "%s is returned unchanged, because a retry doesn't help",
    (code) => {
      const error = createSystemError(code);
      expect(toPortError(error)).toBe(error);
    },
  );
});
