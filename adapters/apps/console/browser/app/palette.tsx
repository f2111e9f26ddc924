import { useId, useLayoutEffect, useState } from "preact/hooks";
import { fold } from "../../../../../src/base/values/text.js";
import { hasScopes } from "../api/session.js";
import { Button } from "../components/button.js";
import { Dialog } from "../components/dialog.js";
import { LoadError } from "../components/feedback.js";
import { useLoad } from "../components/load.js";
import { CustomerForm } from "../customers/customer-form.js";
import { findAddress, formatCustomerName } from "../customers/customer-name.js";
import { app } from "../words/en/app.js";
import { palette as words } from "../words/en/palette.js";
import { navigate } from "./router.js";
import { developersTabs, sections, settingsTabs } from "./sections.js";

const SEARCH_DEBOUNCE_MS = 150;
const MAX_CUSTOMERS = 6;

/** What the palette shows: the search, the form for a new customer, or the list of shortcuts. */
export type PaletteView = "search" | "newCustomer" | "shortcuts";

interface PaletteProps {
  readonly initialView: PaletteView;
  readonly onClose: () => void;
}

/** A dialog that finds customers, screens, and actions by their names, for use with the keyboard. */
export function Palette({ initialView, onClose }: PaletteProps) {
  const [view, setView] = useState(initialView);
  const open = (path: string) => {
    onClose();
    navigate(path);
  };
  const openCustomer = ({ id }: { readonly id: string }) => open(`/customers/${encodeURIComponent(id)}`);
  if (view === "shortcuts") return <Shortcuts onClose={onClose} />;
  if (view === "newCustomer")
    return <CustomerForm customer={null} onClose={onClose} onSaved={openCustomer} />;
  return <Search onView={setView} onOpen={open} onCustomer={openCustomer} onClose={onClose} />;
}

/** Something to choose in the palette. */
interface Choice {
  readonly text: string;
  /** A second line, such as a customer's email address. */
  readonly detail?: string | null;
  /** Other words that find it. */
  readonly keywords?: string;
  readonly choose: () => void;
}

interface SearchProps {
  readonly onView: (view: PaletteView) => void;
  readonly onOpen: (path: string) => void;
  readonly onCustomer: (customer: { readonly id: string }) => void;
  readonly onClose: () => void;
}

function Search({ onView, onOpen, onCustomer, onClose }: SearchProps) {
  const [input, setInput] = useState("");
  const [activeIndex, setActiveIndex] = useState(0);
  const id = useId();
  const text = input.trim();
  const results = useLoad(
    text,
    async (calls) => {
      if (text === "" || !hasScopes("user:read")) return { text, content: [] };
      const { content } = await calls.contacts.list({ search: text, size: MAX_CUSTOMERS });
      return { text, content };
    },
    SEARCH_DEBOUNCE_MS,
  );
  const isMatch = ({ text: name, keywords = "" }: Choice) => fold(`${name} ${keywords}`).includes(fold(text));
  // Results for an earlier search text are outdated.
  const customers = results.value?.text === text ? results.value.content : [];
  const groups: readonly (readonly [string, readonly Choice[]])[] = [
    [words.screens, listScreens(onOpen).filter(isMatch)],
    [words.actions, listActions(onOpen, onView).filter(isMatch)],
    [
      words.customers,
      customers.map((customer) => ({
        text: formatCustomerName(customer),
        detail: findAddress(customer),
        choose: () => onCustomer(customer),
      })),
    ],
  ];
  const choices = groups.flatMap(([, list]) => list);
  const currentIndex = Math.min(activeIndex, choices.length - 1);
  const getOptionId = (choice: Choice) => `${id}-${choices.indexOf(choice)}`;
  useLayoutEffect(() =>
    document.getElementById(`${id}-${currentIndex}`)?.scrollIntoView({ block: "nearest" }),
  );
  const handleKey = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step === 0 && event.key !== "Enter") return;
    event.preventDefault();
    if (step === 0) choices[currentIndex]?.choose();
    else setActiveIndex((currentIndex + step + choices.length) % Math.max(choices.length, 1));
  };
  return (
    <Dialog title={words.title} onClose={onClose}>
      <input
        type="text"
        role="combobox"
        aria-label={words.field}
        aria-expanded="true"
        aria-autocomplete="list"
        aria-controls={`${id}-list`}
        {...(choices.length > 0 && { "aria-activedescendant": `${id}-${currentIndex}` })}
        placeholder={words.example}
        autocomplete="off"
        spellcheck={false}
        maxLength={254}
        value={input}
        onInput={({ currentTarget }) => {
          setInput(currentTarget.value);
          setActiveIndex(0);
        }}
        onKeyDown={handleKey}
      />
      {results.error !== null && <LoadError error={results.error} onRetry={results.reload} />}
      <p class="unseen" aria-live="polite">
        {words.count(choices.length)}
      </p>
      <div class="palette" id={`${id}-list`} role="listbox" aria-label={words.title}>
        {groups
          .filter(([, list]) => list.length > 0)
          .map(([name, list]) => (
            // biome-ignore lint/a11y/useSemanticElements: a list box has no other groups
            <div key={name} role="group" aria-label={name}>
              <p class="quiet" aria-hidden="true">
                {name}
              </p>
              {list.map((choice) => (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys
                // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus
                <div
                  key={getOptionId(choice)}
                  id={getOptionId(choice)}
                  role="option"
                  aria-selected={choices.indexOf(choice) === currentIndex}
                  onPointerMove={() => setActiveIndex(choices.indexOf(choice))}
                  onClick={choice.choose}
                >
                  <bdi>{choice.text}</bdi>
                  {choice.detail != null && <bdi class="quiet">{choice.detail}</bdi>}
                </div>
              ))}
            </div>
          ))}
      </div>
      {choices.length === 0 && <p class="quiet">{results.isLoading ? words.searching : words.none}</p>}
      <div class="actions">
        <Button text={words.close} onClick={onClose} />
      </div>
    </Dialog>
  );
}

/** Lists the screens that the signed-in user may see. */
function listScreens(onOpen: (path: string) => void): readonly Choice[] {
  const listTabs = (section: string, tabs: typeof settingsTabs) =>
    tabs.map(({ to, text }) => ({ to, text: words.within(section, text) }));
  return [
    ...sections,
    ...(hasScopes("user_tag:read") ? [{ to: "/tags", text: words.tags }] : []),
    ...listTabs(app.settings, settingsTabs),
    ...listTabs(app.developers, developersTabs),
  ].map(({ to, text }) => ({
    text,
    keywords: to === "/cards" ? words.cardKeywords : "",
    choose: () => onOpen(to),
  }));
}

/** Lists the actions that the signed-in user may take from any screen. */
function listActions(onOpen: (path: string) => void, onView: (view: PaletteView) => void): readonly Choice[] {
  return [
    ...(hasScopes("user:create") ? [{ text: words.addCustomer, choose: () => onView("newCustomer") }] : []),
    ...(hasScopes("segment:write")
      ? [{ text: words.newSegment, choose: () => onOpen("/segments-new") }]
      : []),
    ...(hasScopes("message:send") ? [{ text: words.newMessage, choose: () => onOpen("/messages/new") }] : []),
    ...(hasScopes("automation:manage")
      ? [{ text: words.newAutomation, choose: () => onOpen("/automations/new") }]
      : []),
    { text: words.shortcuts, choose: () => onView("shortcuts") },
  ];
}

/** The keys of each shortcut, with their effect. */
const shortcuts = [
  [words.paletteKeys, words.keysFor.palette],
  ["/", words.keysFor.field],
  ["?", words.keysFor.shortcuts],
  ["↑ ↓ Enter", words.keysFor.choice],
  ["Esc", words.keysFor.close],
] as const;

function Shortcuts({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title={words.shortcuts} onClose={onClose}>
      <dl class="facts">
        {shortcuts.map(([keys, effect]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{effect}</dd>
          </div>
        ))}
      </dl>
      <p class="hint">{words.notInFields}</p>
      <div class="actions">
        <Button text={words.close} kind="primary" onClick={onClose} />
      </div>
    </Dialog>
  );
}
