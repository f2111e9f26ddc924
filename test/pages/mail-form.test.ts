import * as fc from "fast-check";
import { expect, it } from "vitest";
import { readMailForm } from "../../adapters/apps/pages/mail-link-handler.js";
import { runs } from "../properties/runs.js";

const names = fc.constantFrom(
  "List-Unsubscribe",
  "list-unsubscribe",
  "channel",
  "channel ",
  "answer",
  "code",
  "x",
);
const values = fc.constantFrom(
  ...[
    "One-Click",
    "One-Click\r\n",
    "email",
    "wallet",
    "all",
    " confirm",
    "refuse",
    "abc",
    "",
    "é",
    "a\r\nb",
    "--b",
  ],
);
type Entries = [name: string, value: string][];

/** Reads a form as a request carries it, or as a host's parser has left it. */
async function readAs(form: FormData | URLSearchParams, parsed?: object) {
  const request = new Request("https://shop.example/", { method: "POST", body: form });
  const bytes = new Uint8Array(await request.arrayBuffer());
  return readMailForm({
    method: "POST",
    url: "/",
    headers: request.headers,
    body:
      parsed === undefined
        ? { kind: "bytes", chunks: splitIntoChunks(bytes) }
        : { kind: "parsed", value: parsed },
    prefix: "",
    address: null,
  });
}

async function* splitIntoChunks(bytes: Uint8Array) {
  yield bytes;
}

/** Returns a text for each name, or a list if the name occurs more than once. */
function summarizeEntries(entries: Entries) {
  const listTexts = (name: string) => entries.filter(([each]) => each === name).map(([, text]) => text);
  return Object.fromEntries(
    entries.map(([name, text]) => [name, listTexts(name).length > 1 ? listTexts(name) : text]),
  );
}

it("A form behind a mail is read the same in each encoding, and if the host has parsed it", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(names, values), { maxLength: 4 }), async (entries) => {
      const parts = new FormData();
      for (const [name, value] of entries) parts.append(name, value);
      const encoded = new URLSearchParams(entries);
      const form = await readAs(encoded);
      expect([entries, await readAs(parts)]).toEqual([entries, form]);
      expect([entries, await readAs(encoded, summarizeEntries(entries))]).toEqual([entries, form]);
    }),
    runs(300),
  );
});
