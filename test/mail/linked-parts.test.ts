import * as fc from "fast-check";
import { expect, it } from "vitest";
import { splitLinkedParts } from "../../adapters/delivery/mail/linked-parts.js";
import { runs } from "../properties/runs.js";

const pieces = fc.constantFrom(
  ...[
    "https://a.example",
    "http://é.de/",
    "HTTPS://C.example",
    "/q?a=1&b=2",
    "xhttps://d.example",
    "https://",
    "http://[",
  ],
  ...["(", ")", "[", "]", "{", "}", ".", ",", " ", "\n", "’", '"', "“", "*", "_", "~", "|", "…", "\u202e"],
);

it("the parts of a text add up to the text, and each of its links is one that browsers follow", () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 8 }), (pieceList) => {
      const text = pieceList.join("");
      const parts = splitLinkedParts(text);
      expect(parts.map((part) => part.text).join("")).toBe(text);
      for (const { text, target } of parts) {
        if (target === null) continue;
        expect(text).toMatch(/^https?:\/\/[^\s<>"“\u202e]+$/i);
        expect(new URL(text).href).toBe(target);
      }
    }),
    runs(1_000),
  );
});
