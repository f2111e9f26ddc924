import type { ComponentChildren } from "preact";
import { base, session } from "../api/session.js";
import { Icon } from "../components/icons.js";
import { app as words } from "../words/en/app.js";
import { clearTillCache } from "./till-cache.js";

/**
 * A link or button that signs the user out. If the host signed them in, the host also signs them out. Otherwise, the console does.
 * @param class the CSS class of the link or button.
 */
export function SignOut({ class: className }: { readonly class: string }) {
  const content = (
    <>
      <Icon name="leave" /> {words.signOut}
    </>
  );
  const { signOut } = session;
  if (signOut !== null) {
    const handleClick = (event: MouseEvent) => {
      event.preventDefault();
      void clearTillCache(() => location.assign(signOut));
    };
    return (
      <a class={className} href={signOut} onClick={handleClick}>
        {content}
      </a>
    );
  }
  return (
    <SignOutForm action="sign-out">
      <button type="submit" class={className}>
        {content}
      </button>
    </SignOutForm>
  );
}

interface SignOutFormProps {
  readonly action: "sign-out" | "sign-out/everywhere";
  readonly children: ComponentChildren;
}

/** A form that signs the user out. Deletes the cached till page from the browser before submitting. */
export function SignOutForm({ action, children }: SignOutFormProps) {
  const submit = (event: SubmitEvent & { readonly currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    const form = event.currentTarget;
    void clearTillCache(() => form.submit());
  };
  return (
    <form method="post" action={`${base}/${action}`} onSubmit={submit}>
      {children}
    </form>
  );
}
