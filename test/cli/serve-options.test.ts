import { join } from "node:path";
import { Command, CommanderError } from "commander";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ServeOptions, serve } from "../../adapters/apps/cli/actions/serve.js";
import { addServe } from "../../adapters/apps/cli/commands/serve.js";
import { runs } from "../properties/runs.js";
import { createEmptyFolder } from "./command.js";
import { runCommand } from "./run-command.js";
import { writeWalletFlags } from "./wallet-flags.js";

const folder = createEmptyFolder();
const wallets = writeWalletFlags(folder);
const mail = ["--smtp-url", "smtp://127.0.0.1:9", "--mail-from", "cards@shop.example"];

/**
 * Runs `serve` with these options, and stops it immediately. Returns its output, or `null` if the options are rejected.
 */
async function readServeOutput(args: readonly string[]): Promise<string | null> {
  let text = "";
  const writeLine = (line: string) => {
    text += `${line}\n`;
  };
  const output = { result: writeLine, note: writeLine };
  const program = new Command().exitOverride().configureOutput({ writeErr: () => {}, outputError: () => {} });
  addServe(program, output, (options: ServeOptions) => serve(options, output, async () => {}));
  for (const command of program.commands) command.exitOverride().copyInheritedSettings(program);
  try {
    const databaseArgs = ["--database", join(folder, "loyalty.db"), "--port", "0"];
    await program.parseAsync(["serve", ...databaseArgs, ...wallets, ...mail, ...args], { from: "user" });
    return text;
  } catch (error) {
    if (error instanceof CommanderError) return null;
    throw error;
  }
}

const count = fc.oneof(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 2_000_000_000 }));
const duration = fc.tuple(count, fc.constantFrom("s", "m", "h", "d", "")).map((parts) => parts.join(""));
const number = fc.oneof(count.map(String), fc.double().map(String));
const quota = fc.oneof(
  fc.tuple(count, count).map((parts) => parts.join("/")),
  fc.constant("off"),
);
const listOptionOf = (...names: string[]) =>
  fc.dictionary(fc.constantFrom(...names), count, { minKeys: 1 }).map((values) =>
    Object.entries(values)
      .map(([name, value]) => `${name}=${value}`)
      .join(","),
  );

/** All options that set a duration or a number. */
const sizes: Readonly<Record<string, fc.Arbitrary<string>>> = {
  "--request-timeout": duration,
  "--statement-timeout": duration,
  "--connect-timeout": duration,
  "--wait": duration,
  "--max-connections": number,
  "--max-connections-per-address": number,
  "--pool-size": number,
  "--rate-limit": quota,
  "--organization-rate-limit": quota,
  "--organization-time": quota,
  "--limits": listOptionOf("tags", "apps", "apiTokens", "templates", "idempotencyBytes", "pendingDeliveries"),
  "--retention": listOptionOf(
    "eventDays",
    "maxEvents",
    "idempotencyHours",
    "deliveryDays",
    "messageDays",
    "runDays",
  ),
  "--mail-rate": quota,
  "--google-calls-per-second": number,
  "--metrics-port": number,
};

describe("serve with any duration or size", () => {
  it.each(Object.keys(sizes))("starts with wallets, or rejects the value of %s", async (flag) => {
    const values = sizes[flag] ?? fc.constant("");
    await fc.assert(
      fc.asyncProperty(values, async (value) => {
        const text = await readServeOutput([`${flag}=${value}`]);
        if (text !== null) expect(text).toContain("loyalty-kit is listening on http");
      }),
      runs(5),
    );
  });

  it.each(["1s", "5s", "10s", "20s", "25s", "1d", "999999d"])(
    "starts with a request timeout of %s",
    async (value) => {
      expect(await readServeOutput(["--request-timeout", value])).toContain("is listening on");
    },
  );
});

describe("serve on an empty database", () => {
  it("explains how to sign in until an organization exists", async () => {
    const database = ["--database", join(createEmptyFolder(), "shop.db")];
    const hint = /there is no organization yet; .* run "loyalty-kit (.+)" with this --database\n/;
    const [, command = ""] = hint.exec((await readServeOutput(database)) ?? "") ?? [];
    const { stdout } = await runCommand([...command.split(" "), ...database]);
    expect(stdout).toMatch(/^https:\/\/shop\.example\//);
    expect(await readServeOutput(database)).not.toContain("there is no organization yet");
  });
});
