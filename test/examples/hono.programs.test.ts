import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createEmptyFolder } from "../cli/command.js";
import { startExample } from "./example.js";

async function startCafe() {
  const server = startExample("hono/server.ts", {
    PORT: "0",
    DATABASE: join(createEmptyFolder(), "cafe.db"),
  });
  const [, port] = await server.waitForOutput(/listening on port (\d+)/);

  /** Sends a request as a browser with these headers does. */
  async function send(path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { "content-type": "application/json", ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const [cookie = ""] = response.headers.getSetCookie().map((each) => each.split(";")[0]);
    const text = await response.text();
    return { status: response.status, cookie, body: text === "" ? null : JSON.parse(text) };
  }

  /** Logs in with the newest of two requested codes, because only the newest one counts. */
  async function logIn(email: string) {
    const sentBefore = server.output().split(`mail to ${email}:`).length - 1;
    for (const _ of [1, 2]) await send("/login", { email });
    const mails = `(?:mail to ${email}: your code is (\\d{6})[^]*?){${sentBefore + 2}}`;
    const [, code] = await server.waitForOutput(new RegExp(mails));
    const { body, cookie } = await send("/login/code", { email, code });
    return { ...body, cookie };
  }

  return { server, send, logIn };
}

describe("the example hono/server.ts", () => {
  it("shows guests their own cards through its own login, and lets staff stamp them", async () => {
    const { server, send, logIn } = await startCafe();
    const ada = await logIn("ada@example.com");
    const bob = await logIn("bob@example.com");
    const anna = await logIn("anna@cafe.example");

    const listPasses = (user: string) =>
      send(`/loyalty/v1/users/${user}/passes`, undefined, { cookie: ada.cookie });
    const ownPasses = await listPasses(ada.user);
    expect(ownPasses).toMatchObject({ status: 200, body: [{ qrCodeValue: ada.card }] });
    expect(await listPasses(bob.user)).toMatchObject({ status: 404 });
    expect(await send(`/loyalty/v1/users/${ada.user}`)).toMatchObject({ status: 401 });

    const scan = await send(
      `/loyalty/v1/walletpasses/lookup?qrCodeValue=${encodeURIComponent(ada.card)}`,
      undefined,
      { cookie: anna.cookie },
    );
    const stamps = `/loyalty/v1/walletpasses/${scan.body.id}/stamps/add`;
    const stamping = await send(stamps, { count: 2 }, { cookie: anna.cookie });
    expect(stamping).toMatchObject({ status: 200, body: { currentStamps: 2 } });
    expect(await send(stamps, { count: 2 }, { cookie: ada.cookie })).toMatchObject({ status: 403 });
    const forgedHeaders = { cookie: anna.cookie, "sec-fetch-site": "cross-site" };
    expect(await send(stamps, { count: 2 }, forgedHeaders)).toMatchObject({ status: 401 });
    const history = await send(`/loyalty/v1/walletpasses/${scan.body.id}/stamps/history`, undefined, {
      cookie: ada.cookie,
    });
    expect(history.body.content).toHaveLength(1);

    server.process.kill("SIGTERM");
    expect(await server.exit).toMatchObject({ code: 0, stderr: "" });
  });

  it("accepts a code once, and gives the same card to a returning guest", async () => {
    const { send, logIn } = await startCafe();
    const { card } = await logIn("ada@example.com");
    expect(await send("/login/code", { email: "ada@example.com", code: "" })).toMatchObject({ status: 401 });
    await send("/login", { email: "ada@example.com" });
    expect(await send("/login/code", { email: "ada@example.com", code: "no" })).toMatchObject({
      status: 401,
    });
    expect((await logIn("ada@example.com")).card).toBe(card);
    expect(await send("/login", "no object")).toMatchObject({ status: 400 });
  });
});
