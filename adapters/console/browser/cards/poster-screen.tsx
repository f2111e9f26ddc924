import type { Template } from "../../../../src/resources/template.js";
import { isLoopbackLink } from "../../../../src/values/short-link.js";
import { get } from "../app/call.js";
import { Link } from "../app/router.js";
import { NotFound, PageHead, type ScreenProps } from "../app/screen.js";
import { mount } from "../app/session.js";
import { Button } from "../parts/button.js";
import { Icon } from "../parts/icons.js";
import { useLoad } from "../parts/load.js";
import { Qr } from "../parts/qr.js";
import { Failed, Skeleton } from "../parts/states.js";

/** A poster to hang up: whoever scans it gets the card. The browser prints it, also into a PDF. */
export function PosterScreen({ place }: ScreenProps) {
  const id = place.path.split("/")[2] ?? "";
  const template = useLoad<Template>(id, (signal) => get(`/v1/templates/${encodeURIComponent(id)}`, signal));
  if (template.error?.status === 404) return <NotFound />;
  if (template.error !== null) return <Failed error={template.error} onRetry={template.reload} />;
  if (template.value === null) return <Skeleton height="30rem" />;
  const { name, maxStamps } = template.value;
  const link = `${location.origin}${mount}/join/${id}`;
  return (
    <>
      <Link class="back" to="/cards">
        <Icon name="back" /> Cards
      </Link>
      <PageHead title={`Poster of ${name}`}>
        <Button kind="primary" onClick={() => print()}>
          Print or save as PDF
        </Button>
      </PageHead>
      <div class="stack">
        {isLoopbackLink(link) && (
          <p class="note warn" role="alert">
            This poster names the device that opens it: customers’ phones find nothing there. Open the console
            at the address that they reach before you print.
          </p>
        )}
        <section class="poster" aria-label="Poster">
          <p class="poster-title">
            <bdi>{name}</bdi>
          </p>
          <p class="poster-line">
            {maxStamps === null ? "Become a member" : `${maxStamps} stamps, one reward`}
          </p>
          <Qr text={link} label={`QR code of ${link}`} />
          <p class="poster-line">Scan me to get your card</p>
          <p class="poster-link">{link}</p>
        </section>
      </div>
    </>
  );
}
