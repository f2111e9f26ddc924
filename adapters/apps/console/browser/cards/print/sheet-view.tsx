import type { Template } from "../../../../../../src/cards/schema.js";
import { useCardPicture } from "../../components/card-picture.js";
import { usePictureUrl } from "../../components/use-picture-url.js";
import { PortraitSheet } from "./portrait-sheet.js";
import { sheetContents } from "./sheet-contents.js";
import { sheetWords } from "./sheet-words.js";
import type { Sheet } from "./sheets.js";
import type { ShopBranding } from "./shop-branding.js";
import { StickerSheet } from "./sticker-sheet.js";

interface SheetViewProps {
  readonly sheet: Sheet;
  readonly template: Template;
  readonly shop: ShopBranding;
  readonly link: string;
}

/** Shows a sheet as it will look in print, scaled to fit the available space. */
export function SheetView({ sheet, template, shop, link }: SheetViewProps) {
  const { design, maxStamps } = template;
  const logo = usePictureUrl(design?.logo ?? shop.logo);
  const card = useCardPicture({ card: template, maxStamps, stamps: Math.floor((maxStamps ?? 0) / 2) });
  const words = sheetWords([design?.texts[0]?.language, shop.language ?? undefined, ...navigator.languages]);
  const contents = sheetContents({ template, shop: shop.name, logo, words, link, card });
  const { kind, width, height, text } = sheet;
  return (
    <section
      class="sheet"
      aria-label={text}
      lang={words.language}
      style={{
        "--sheet-width": `${width}mm`,
        "--sheet-height": `${height}mm`,
        "--sheet-ratio": width / height,
      }}
    >
      {kind === "sticker" ? (
        <StickerSheet title={text} {...contents} />
      ) : (
        <PortraitSheet title={text} {...contents} />
      )}
    </section>
  );
}
