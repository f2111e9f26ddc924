import { it } from "vitest";
import { newStorage } from "../postgres/open-storage.js";
import { expectRefused } from "./not-synchronous.js";

it("a synchronous call is refused on Postgres", async () => {
  await expectRefused(await newStorage());
});
