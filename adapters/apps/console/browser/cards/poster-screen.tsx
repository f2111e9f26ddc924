import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { isLoopbackLink } from "../../../../../src/base/values/short-link.js";
import { mount, session } from "../api/session.js";
import { BackLink } from "../app/router.js";
import { NotFound, PageHead, type ScreenProps } from "../app/screen.js";
import { Button } from "../components/button.js";
import { Loading } from "../components/feedback.js";
import { useLoad } from "../components/load.js";
import { runWithToast, showToast } from "../components/toasts.js";
import { setMark } from "../overview/first-step-marks.js";
import { showStepToast } from "../overview/step-toast.js";
import { posters as words } from "../words/en/posters.js";
import { buildJoinPath } from "./card-paths.js";
import { type Sheet, SheetView, sheets } from "./print/sheet-view.js";
import { loadShopBranding } from "./print/shop-branding.js";

/**
 * Shows printable sheets for walls, tables, and the counter, each with a QR code that opens the card's sign-up page. The user
 * prints them or saves them as a PDF from the browser.
 */
export function PosterScreen({ screenLocation }: ScreenProps) {
  const { id } = screenLocation;
  const [sheet, setSheet] = useState(sheets[0]);
  usePageSize(sheet);
  const loaded = useLoad(id, async (calls) => {
    const [template, shop] = await Promise.all([calls.templates.get(id), loadShopBranding(calls)]);
    return { template, shop };
  });
  const link = `${findPhoneUrl()}${buildJoinPath(id)}`;
  const isUnusable = isLoopbackLink(link);
  useEffect(() => {
    if (isUnusable) return;
    const markPrinted = () => setMark("printed");
    const leadOn = () => void showStepToast(words.printed);
    addEventListener("beforeprint", markPrinted);
    addEventListener("afterprint", leadOn);
    return () => {
      removeEventListener("beforeprint", markPrinted);
      removeEventListener("afterprint", leadOn);
    };
  }, [isUnusable]);
  const copyLink = () =>
    runWithToast(async () => {
      await navigator.clipboard.writeText(link);
      showToast(words.copied);
    });
  return (
    <Loading data={loaded} height="30rem" missing={<NotFound />}>
      {({ template, shop }) => (
        <>
          <BackLink to="/cards" text={words.back} />
          <PageHead title={words.title(template.name)}>
            <Button text={words.print} kind="primary" onClick={() => print()} />
          </PageHead>
          <div class="stack">
            {isUnusable && (
              <p class="note warn" role="alert">
                {words.loopback}
              </p>
            )}
            <fieldset class="row sizes">
              <legend class="unseen">{words.size}</legend>
              {sheets.map((each) => (
                <Button
                  key={each.kind}
                  text={each.text}
                  isPressed={each === sheet}
                  onClick={() => setSheet(each)}
                />
              ))}
            </fieldset>
            <div class="row sheet-link">
              <a class="button" href={link} target="_blank" rel="noreferrer">
                {words.open}
              </a>
              {/* Browsers allow copying only on https and localhost. */}
              {window.isSecureContext && <Button text={words.copy} onClick={() => void copyLink()} />}
            </div>
            <SheetView sheet={sheet} template={template} shop={shop} link={link} />
            <p class="hint">{words.hint}</p>
          </div>
        </>
      )}
    </Loading>
  );
}

/** Returns the URL of the server, at the console's own address unless phones can't open that. */
function findPhoneUrl(): string {
  const ownUrl = location.origin + mount;
  return isLoopbackLink(ownUrl) ? (session.publicUrl ?? ownUrl) : ownUrl;
}

/** Sets the print page size to the sheet's size, without margins, while the component is mounted. */
function usePageSize({ width, height }: Sheet): void {
  useLayoutEffect(() => {
    const rule = new CSSStyleSheet();
    rule.replaceSync(`@page { size: ${width}mm ${height}mm; margin: 0; }`);
    document.adoptedStyleSheets.push(rule);
    return () => {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== rule);
    };
  }, [width, height]);
}
