import { expect, it } from "vitest";
import { open, otherProgram } from "./open-storage.js";
import { createTemporaryFile } from "./temporary-file.js";

it("a stamp changes no index of passes, because no index has a column that it writes", async () => {
  const file = createTemporaryFile();
  await open(file);
  const indexed = otherProgram(file)
    .prepare<[], string>(
      "select distinct part.name from pragma_index_list('loyalty_wallet_passes') idx, pragma_index_info(idx.name) part",
    )
    .pluck()
    .all();
  expect(indexed.sort()).toEqual(["code", "id", "organization_id", "template_id", "user_ordinal"]);
});
