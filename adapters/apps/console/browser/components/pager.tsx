import { parts as words } from "../words/en/parts.js";
import { Button } from "./button.js";

interface PagerProps {
  /** Plural noun for the listed items. */
  readonly noun: string;
  /** Page number, starting at 0. */
  readonly page: number;
  readonly size: number;
  readonly total: number;
  readonly onPage: (page: number) => void;
}

/** Buttons for moving between the pages of a list that is sorted newest first. Renders nothing if the list has only one page. */
export function Pager({ noun, page, size, total, onPage }: PagerProps) {
  if (total <= size) return null;
  const lastPage = Math.ceil(total / size) - 1;
  return (
    <nav class="row" aria-label={words.pager.label(noun)}>
      <Button text={words.pager.newer(noun)} disabled={page === 0} onClick={() => onPage(page - 1)} />
      <Button text={words.pager.older(noun)} disabled={page >= lastPage} onClick={() => onPage(page + 1)} />
      <span class="quiet number">
        {words.pager.range(page * size + 1, Math.min((page + 1) * size, total), total)}
      </span>
    </nav>
  );
}
