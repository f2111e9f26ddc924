import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findFreePort } from "../kit/free-port.js";
import { createPlace } from "../postgres/place.js";
import { createEmptyFolder, startServer } from "./command.js";
import { runCommand } from "./run-command.js";

describe.concurrent("serve --replica-url", () => {
  it("accepts replicas, which may be unavailable, and a database with several servers", async () => {
    const database = await createPlace();
    const url = new URL(database.url);
    const nowhere = `127.0.0.1:${await findFreePort()}`;
    const several = database.url.replace(url.host, `${nowhere},${url.host}`);
    const replica = `postgres://${nowhere}/loyalty`;
    const server = await startServer([
      "--database",
      several,
      "--replica-url",
      replica,
      "--replica-url",
      replica,
    ]);
    expect((await fetch(`${server.url}/health/ready`)).status).toBe(200);
    server.process.kill();
    await server.exit;
    await database.remove();
  });

  it("requires Postgres and a postgres:// URL", async () => {
    const database = ["--database", join(createEmptyFolder(), "loyalty.db")];
    expect(await runCommand(["serve", ...database, "--replica-url", "postgres://a/b"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--replica-url only works with Postgres"),
    });
    const secret = await runCommand(["serve", ...database, "--replica-url", "mysql://ada:secret@a/b"]);
    expect(secret).toMatchObject({ code: 2, stderr: expect.stringContaining("must be a postgres:// URL") });
    expect(secret.stderr).not.toContain("secret");
  });
});
