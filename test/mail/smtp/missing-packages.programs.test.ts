import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const run = promisify(execFile);

/** Begins a program for which a package can't be found. */
const without = (name: string) => `
  import { register } from "node:module";
  const hooks = \`export const resolve = (specifier, context, next) => {
    if (specifier.startsWith("${name}")) 
      throw Object.assign(new Error("Cannot find package '" + specifier + "'"), { code: "ERR_MODULE_NOT_FOUND" });
    return next(specifier, context);
  };\`;
  register("data:text/javascript," + encodeURIComponent(hooks));`;

/** Sends and checks. */
const sending = `
  const { smtpTransport } = await import("./adapters/mail/smtp/transport.ts");
  const transport = smtpTransport({ smtp: "smtp://localhost", from: "shop@shop.example" });
  const { fault, isUncertain, answer } = await transport.send({}).catch((error) => error);
  const found = await transport.check();
  console.log(JSON.stringify({ fault, isUncertain, answer, found: found.map(({ code }) => code) }));`;

/** What a program prints. */
async function printed(program: string): Promise<unknown> {
  const { stdout } = await run(
    process.execPath,
    ["--import", "tsx", "--input-type=module", "--eval", program],
    { cwd: join(import.meta.dirname, "../../..") },
  );
  return JSON.parse(stdout);
}

it("without nodemailer a mail waits as for a transport that fails, and the doctor says what to install", async () => {
  expect(await printed(without("nodemailer") + sending)).toEqual({
    fault: "transport",
    isUncertain: false,
    answer: "loyalty-kit/mail needs nodemailer: npm install nodemailer@10",
    found: ["nodemailer_missing"],
  });
});

it.each(["smtp-server", "postal-mime"])(
  "without %s the mail server for tests says at its start what to install",
  async (missing) => {
    const begins = `
    const { createFakeMail } = await import("./adapters/mail/testing/index.ts");
    const { name, message } = await createFakeMail().catch((error) => error);
    console.log(JSON.stringify({ name, message }));`;
    expect(await printed(without(missing) + begins)).toEqual({
      name: "PackageMissing",
      message: `loyalty-kit/mail/testing needs ${missing}: npm install --save-dev smtp-server@3 postal-mime@4`,
    });
  },
);
