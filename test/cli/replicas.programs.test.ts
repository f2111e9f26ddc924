import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findFreePort } from "../kit/free-port.js";
import { createPlace } from "../postgres/place.js";
import { emptyFolder, serve } from "./command.js";
import { ran } from "./ran.js";

describe.concurrent("serve --replica-url", () => {
  it("takes replicas, which may be away, and a database of several servers", async () => {
    const place = await createPlace();
    const url = new URL(place.url);
    const nowhere = `127.0.0.1:${await findFreePort()}`;
    const several = place.url.replace(url.host, `${nowhere},${url.host}`);
    const replica = `postgres://${nowhere}/loyalty`;
    const server = await serve(["--database", several, "--replica-url", replica, "--replica-url", replica]);
    expect((await fetch(`${server.url}/health/ready`)).status).toBe(200);
    server.process.kill();
    await server.ended;
    await place.remove();
  });

  it("is for Postgres, and a URL of it", async () => {
    const database = ["--database", join(emptyFolder(), "loyalty.db")];
    expect(await ran(["serve", ...database, "--replica-url", "postgres://a/b"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--replica-url only works with Postgres"),
    });
    const secret = await ran(["serve", ...database, "--replica-url", "mysql://ada:secret@a/b"]);
    expect(secret).toMatchObject({ code: 2, stderr: expect.stringContaining("must be a postgres:// URL") });
    expect(secret.stderr).not.toContain("secret");
  });
});
