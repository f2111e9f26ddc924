import { expect, it } from "vitest";
import { newDatabase } from "./new-database.js";
import { ran } from "./ran.js";

it("serves passkeys at a public URL alone, which has a name", async () => {
  const database = ["--database", await newDatabase(), "--port", "0"];
  expect(await ran(["serve", "--passkeys", ...database])).toMatchObject({
    code: 2,
    stderr: "loyalty-kit: --passkeys also requires --public-url\n",
  });
  const byAddress = ["--public-url", "https://127.0.0.1"];
  expect(await ran(["serve", "--passkeys", ...byAddress, ...database])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("passkeys need an origin such as https://shop.example"),
  });
});
