import { expect, it } from "vitest";
import { createDatabase } from "./new-database.js";
import { runCommand } from "./run-command.js";

it("serve --passkeys requires a public URL with a host name", async () => {
  const database = ["--database", await createDatabase(), "--port", "0"];
  expect(await runCommand(["serve", "--passkeys", ...database])).toMatchObject({
    code: 2,
    stderr: "loyalty-kit: --passkeys also requires --public-url\n",
  });
  const addressArgs = ["--public-url", "https://127.0.0.1"];
  expect(await runCommand(["serve", "--passkeys", ...addressArgs, ...database])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("passkeys need an origin such as https://shop.example"),
  });
});
