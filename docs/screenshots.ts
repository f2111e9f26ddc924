/**
 * Takes the pictures of the screens in `docs/pictures` from the real pages on the demo: `npm run screenshots`. With a folder
 * it takes every screen at three widths and in both themes into that, to be looked at.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "loyalty-kit/client";
import { type Browser, chromium, type Page } from "playwright-core";
import { StampDrawer } from "../adapters/delivery/wallets/stamp-drawing/stamp-drawer.js";

type Theme = "light" | "dark";

interface Look {
  readonly width: number;
  readonly height: number;
  readonly theme: Theme;
}

const root = join(import.meta.dirname, "..");
const [, , everything] = process.argv;

/** The demo, served, and a token of it. */
async function openDemo(folder: string) {
  const url = `http://127.0.0.1:${await findFreePort()}`;
  const { port } = new URL(url);
  const server = spawn(
    process.execPath,
    [
      ...["dist/cli.js", "serve", "--demo", "--database", join(folder, "loyalty.db")],
      ...["--port", port, "--public-url", url],
    ],
    { cwd: root, stdio: ["ignore", "pipe", "inherit"] },
  );
  let output = "";
  const token = await new Promise<string>((resolve) => {
    server.stdout.on("data", (chunk) => {
      output += chunk;
      const [printedToken] = /lk_\w+/.exec(output) ?? [];
      if (printedToken !== undefined) resolve(printedToken);
    });
  });
  const stop = async () => {
    const exit = once(server, "exit");
    server.kill();
    await exit;
  };
  return { url, token, stop };
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== "object" || address === null) throw new Error("there is no free port");
  return address.port;
}

async function openSignedInPage(
  browser: Browser,
  { width, height, theme }: Look,
  url: string,
  token: string,
) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme });
  const page = await context.newPage();
  await page.goto(`${url}/console`);
  await page.getByLabel("API token").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("navigation", { name: "Console" }).waitFor();
  return page;
}

/** Opens a screen, and waits until it has loaded. */
async function show(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.waitForLoadState("networkidle");
  await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
}

/** A picture of what a page shows, as WebP: pictures come with the package, and a PNG takes three times the bytes. */
async function takePicture(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 58 });
  await session.detach();
  return Buffer.from(data, "base64");
}

const folder = await mkdtemp(join(tmpdir(), "loyalty-screens-"));
const { url, token, stop } = await openDemo(folder);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--disable-gpu"],
});
try {
  const client = createClient({ url, token });
  const stampCard = (await client.templates.list()).find(({ type }) => type === "STAMP_CARD");
  const template = stampCard?.id ?? "";
  const { content } = await client.contacts.list({ templateId: template, minStamps: 4, size: 1 });
  const customer = content[0]?.id ?? "";
  const [pass] = await client.passes.ofUser(customer);
  const code = pass?.qrCodeValue ?? "";
  const segment = encodeURIComponent(JSON.stringify({ operator: "NOT", conditions: [{ slug: "vip" }] }));
  const { id: message } = await client.messages.create({
    name: "Autumn blend",
    audience: { all: true },
    templateId: template,
    channels: ["wallet", "email"],
    texts: [
      {
        language: "en",
        wallet: "{name}, our autumn blend is here. {toGo} to go!",
        subject: "{name}, our autumn blend is here",
        text: "Hello {name},\n\ncome and taste it: {toGo} more for your {card}.",
      },
    ],
  });
  const screens = {
    overview: "/console",
    customers: "/console/customers",
    customer: `/console/customers/${customer}`,
    purchases: "/console/purchases",
    segments: `/console/segments?filter=${segment}`,
    messages: "/console/messages",
    message: `/console/messages/${message}`,
    automations: "/console/automations",
    automation: "/console/automations/new",
    cards: "/console/cards",
    poster: `/console/cards/${template}/poster`,
    till: "/console/till",
    design: `/console/cards/${template}/design`,
    settings: "/console/settings/mail",
    rules: "/console/settings/messages",
    zone: "/console/settings/time-zone",
    tokens: "/console/developers",
    webhooks: "/console/developers/webhooks",
    apps: "/console/developers/apps",
    events: "/console/developers/events",
    reference: "/reference",
    card: new URL(code).pathname,
    join: `/join/${template}`,
  };
  if (everything !== undefined) {
    await mkdir(everything, { recursive: true });
    for (const theme of ["light", "dark"] as const) {
      for (const width of [360, 768, 1_440]) {
        const page = await openSignedInPage(browser, { width, height: 800, theme }, url, token);
        for (const [name, path] of Object.entries(screens)) {
          await show(page, url + path);
          await writeFile(join(everything, `${name}-${width}-${theme}.png`), await page.screenshot());
        }
        await page.context().close();
      }
    }
  } else {
    const pictures = join(root, "docs/pictures");
    await mkdir(pictures, { recursive: true });
    const desk = await openSignedInPage(browser, { width: 1_120, height: 700, theme: "light" }, url, token);
    for (const name of ["overview", "customers"] as const) {
      await show(desk, url + screens[name]);
      await writeFile(join(pictures, `${name}.webp`), await takePicture(desk));
    }
    const phone = await openSignedInPage(browser, { width: 390, height: 700, theme: "dark" }, url, token);
    await phone.goto(url + screens.till);
    await phone.getByLabel("Code, name, phone, or email").fill(code);
    await phone.getByRole("button", { name: "Find card" }).click();
    await phone.getByRole("button", { name: "Add 1 stamp", disabled: false }).waitFor();
    await writeFile(join(pictures, "till.webp"), await takePicture(phone));
    await show(phone, url + screens.card);
    await writeFile(join(pictures, "card.webp"), await takePicture(phone));
    await writeFile(join(pictures, "strip.png"), await drawStrip());
  }
} finally {
  await browser.close();
  await stop();
  await rm(folder, { recursive: true, force: true });
}

/** Stamps as a wallet shows them. */
function drawStrip(): Promise<Uint8Array> {
  const stamps = { shape: "CUP", filled: null, empty: null } as const;
  const look = {
    backgroundColor: "#3B2417",
    foregroundColor: "#F5E6D3",
    labelColor: "#F5E6D3",
    strip: null,
    stamps,
  };
  return new StampDrawer().strip({ look, filled: 7, total: 10 }, 2, async () => null);
}
