import { session } from "../api/session.js";
import { Link } from "../app/router.js";
import { SERVER_SETTINGS_PATH } from "../app/sections.js";
import { parts as words } from "../words/en/parts.js";

interface MissingSetupProps {
  /** What isn't set up, without a period. */
  readonly text: string;
  /** What to tell users who don't run the server. Default: that they can ask the person who does. */
  readonly advice?: string;
}

/** A note about a missing part of the server's setup, with a link for operators to the page that explains how to set it up. */
export function MissingSetup({ text, advice = words.askOperator(text) }: MissingSetupProps) {
  if (!session.isOperator) return <p class="note">{advice}</p>;
  return (
    <p class="note">
      {text}. <Link to={SERVER_SETTINGS_PATH}>{words.setUpOnServer}</Link>
    </p>
  );
}
