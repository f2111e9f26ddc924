import { usePictureUrl } from "../components/use-picture-url.js";
import { previews } from "../words/en/card-design.js";
import { type CardPreview, previewTexts } from "./preview-texts.js";

/**
 * Previews a card's lock-screen notifications on an iPhone and an Android phone. If a location has text, also previews the
 * notification that an iPhone shows near that location.
 */
export function LockScreens(previewed: CardPreview) {
  const { design } = previewed;
  const { words } = previewTexts(previewed).texts;
  const icon = usePictureUrl(design.icon ?? design.logo);
  const logo = usePictureUrl(design.logo);
  const near = design.locations.find(({ text }) => text.trim() !== "")?.text;
  const changed = words.next ?? previews.message;
  return (
    <div class="lock-screens">
      <section class="lock-screen" aria-label={previews.onIphone}>
        <Notification
          picture={icon}
          ground={design.backgroundColor}
          title={previews.yourShop}
          text={changed}
        />
        {near !== undefined && (
          <Notification picture={icon} ground={design.backgroundColor} title={words.title} text={near} />
        )}
      </section>
      <section class="lock-screen" aria-label={previews.onAndroid}>
        <Notification
          isRound
          picture={logo}
          ground={design.backgroundColor}
          title={words.title}
          text={changed}
        />
      </section>
    </div>
  );
}

interface NotificationProps {
  /** The picture's URL. If it is `null`, a square in the card's color is shown instead. */
  readonly picture: string | null;
  readonly ground: string;
  readonly title: string;
  readonly text: string;
  readonly isRound?: boolean;
}

function Notification({ picture, ground, title, text, isRound = false }: NotificationProps) {
  return (
    <div class="lock-notice">
      <span class={`lock-icon ${isRound ? "round" : ""}`} style={{ "--card-ground": ground }}>
        {picture !== null && <img src={picture} alt="" />}
      </span>
      <span class="lock-text">
        <strong>{title}</strong>
        <span>{text}</span>
      </span>
      <small>{previews.now}</small>
    </div>
  );
}
