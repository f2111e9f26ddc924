import { expect, it } from "vitest";
import { buildPublicUrl, describeUselessLinkBase } from "../../adapters/apps/cli/server/listen.js";

it.each([
  [undefined, "https://pass.invalid, which doesn't exist"],
  [`${buildPublicUrl(undefined, { host: "127.0.0.1", port: 3000 })}/c`, "works only on this machine"],
  ["http://localhost:3000/c", "works only on this machine"],
  ["https://[::1]/c", "works only on this machine"],
])("a server whose QR values begin with %s explains why phones can't open them", (base, reason) => {
  expect(describeUselessLinkBase(base)).toContain(reason);
});

it.each(["https://cafe.example/c", "http://192.168.1.7:3000/c", "https://localhost.example/c"])(
  "a server whose QR values begin with %s prints no warning about them",
  (base) => expect(describeUselessLinkBase(base)).toBeNull(),
);
