import { useMemo } from "preact/hooks";
import encodeQR from "qr";
import { isLoopbackLink } from "../../../../src/values/short-link.js";
import { mount } from "../api/session.js";
import { BackLink } from "../app/router.js";
import { NotFound, PageHead, type ScreenProps } from "../app/screen.js";
import { Button } from "../parts/button.js";
import { useLoad } from "../parts/load.js";
import { Loading } from "../parts/states.js";
import { joinPath } from "./join-path.js";

/** A poster to hang up: whoever scans it gets the card. The browser prints it, also into a PDF. */
export function PosterScreen({ place }: ScreenProps) {
  const id = place.path.split("/")[2] ?? "";
  const template = useLoad(id, (calls) => calls.templates.get(id));
  const link = `${location.origin}${mount}${joinPath(id)}`;
  return (
    <Loading of={template} height="30rem" missing={<NotFound />}>
      {({ name, maxStamps, reward }) => (
        <>
          <BackLink to="/cards" text="Cards" />
          <PageHead title={`Poster of ${name}`}>
            <Button text="Print or save as PDF" kind="primary" onClick={() => print()} />
          </PageHead>
          <div class="stack">
            {isLoopbackLink(link) && (
              <p class="note warn" role="alert">
                This poster names the device that opens it: customers’ phones find nothing there. Open the
                console at the address that they reach before you print.
              </p>
            )}
            <section class="poster" aria-label="Poster">
              <p class="poster-title">
                <bdi>{name}</bdi>
              </p>
              <p class="poster-line">
                {maxStamps === null ? "Become a member" : `${maxStamps} stamps: ${reward ?? "one reward"}`}
              </p>
              <Qr text={link} />
              <p class="poster-line">Scan me to get your card</p>
            </section>
          </div>
        </>
      )}
    </Loading>
  );
}

/** A QR code with the quiet zone that scanners need, black on white in both themes. */
function Qr({ text }: { readonly text: string }) {
  const rows = useMemo(() => encodeQR(text, "raw", { border: 4, ecc: "medium" }), [text]);
  const size = rows.length;
  const squares = rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")));
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={`QR code of ${text}`}
      shape-rendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={squares.join("")} fill="#000" />
    </svg>
  );
}
