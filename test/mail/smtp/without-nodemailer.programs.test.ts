import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const run = promisify(execFile);

/** Sends and checks in a process where nodemailer can't be found. */
const program = `
  import { register } from "node:module";
  const hooks = \`export const resolve = (specifier, context, next) => {
    if (specifier.startsWith("nodemailer")) throw new Error("not installed: " + specifier);
    return next(specifier, context);
  };\`;
  register("data:text/javascript," + encodeURIComponent(hooks));
  const { smtpTransport } = await import("./adapters/mail/smtp/transport.ts");
  const transport = smtpTransport({ smtp: "smtp://localhost", from: "shop@shop.example" });
  const { fault, isUncertain, answer } = await transport.send({}).catch((error) => error);
  const found = await transport.check();
  console.log(JSON.stringify({ fault, isUncertain, answer, found: found.map(({ code }) => code) }));`;

it("without nodemailer a mail waits as for a transport that fails, and the doctor says what to install", async () => {
  const { stdout } = await run(
    process.execPath,
    ["--import", "tsx", "--input-type=module", "--eval", program],
    {
      cwd: join(import.meta.dirname, "../../.."),
    },
  );
  expect(JSON.parse(stdout)).toEqual({
    fault: "transport",
    isUncertain: false,
    answer: "mails can't be sent over SMTP without nodemailer: npm install nodemailer@10",
    found: ["nodemailer_missing"],
  });
});
