import { expect, it } from "vitest";
import { hidePackage, runProgram } from "../../kit/without-package.js";

/** A program that sends a mail and checks the transport. */
const sending = `
  const { createSmtpTransport } = await import("./adapters/delivery/mail/smtp/transport.ts");
  const transport = createSmtpTransport({ smtp: "smtp://localhost", from: "shop@shop.example" });
  const { fault, isUncertain, answer } = await transport.send({}).catch((error) => error);
  const found = await transport.check();
  console.log(JSON.stringify({ fault, isUncertain, answer, found: found.map(({ code }) => code) }));`;

it("without nodemailer a mail waits as if the transport failed, and the doctor says what to install", async () => {
  expect(await runProgram(hidePackage("nodemailer") + sending)).toEqual({
    fault: "transport",
    isUncertain: false,
    answer: "loyalty-kit/mail needs nodemailer: npm install nodemailer@10",
    found: ["nodemailer_missing"],
  });
});

it.each(["smtp-server", "postal-mime"])(
  "without %s the mail server for tests says on start what to install",
  async (missing) => {
    const begins = `
    const { createFakeMail } = await import("./adapters/testing/index.ts");
    const { name, message } = await createFakeMail().catch((error) => error);
    console.log(JSON.stringify({ name, message }));`;
    expect(await runProgram(hidePackage(missing) + begins)).toEqual({
      name: "PackageMissing",
      message: `loyalty-kit/testing needs ${missing}: npm install --save-dev smtp-server@3 postal-mime@4`,
    });
  },
);
