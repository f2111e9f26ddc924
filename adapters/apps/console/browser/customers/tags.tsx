import { useState } from "preact/hooks";
import { fold } from "../../../../../src/base/values/text.js";
import type { UserTag } from "../../../../../src/tags/schema.js";
import { api } from "../api/calls.js";
import { hasScopes } from "../api/session.js";
import { Button } from "../components/button.js";
import { Loading } from "../components/feedback.js";
import { TextInput } from "../components/field.js";
import { useLoad } from "../components/load.js";
import { TagChip } from "../components/tag-chip.js";
import { runWithToast, showToast } from "../components/toasts.js";
import { tags as words } from "../words/en/tags.js";

interface TagsProps {
  readonly userId: string;
  /** Called after a tag has been assigned to the customer or removed from them. */
  readonly onHappened: () => void;
}

/** Shows and edits a customer's tags. If the user enters the name of a tag that doesn't exist, the tag is created. */
export function Tags({ userId, onHappened }: TagsProps) {
  const own = useLoad(userId, (calls) => calls.tags.ofUser(userId));
  const all = useLoad("tags", (calls) => calls.tags.list());
  const [typed, setTyped] = useState("");
  const tags = own.value ?? [];

  const assign = async (slug: string) => {
    await api.tags.assign(userId, slug);
    own.reload();
    onHappened();
  };
  const add = async (event: SubmitEvent) => {
    event.preventDefault();
    const name = typed.trim();
    if (name === "") return;
    await runWithToast(async () => {
      const known = all.value?.find((tag) => fold(tag.name) === fold(name));
      const tag = known ?? (await api.tags.create({ name }));
      await assign(tag.slug);
      setTyped("");
      all.reload();
    });
  };
  const remove = ({ slug, name }: UserTag) =>
    runWithToast(async () => {
      await api.tags.unassign(userId, slug);
      own.reload();
      onHappened();
      showToast(words.ofCustomer.tookOff(name), () => void runWithToast(() => assign(slug)));
    });

  return (
    <section class="panel padded stack" aria-label={words.title}>
      <h2>{words.title}</h2>
      <Loading of={own} height="1.25rem" empty={<p class="quiet">{words.ofCustomer.none}</p>}>
        {() => (
          <ul class="row">
            {tags.map((tag) => (
              <TagChip
                key={tag.slug}
                tag={tag}
                label={words.ofCustomer.takeOff(tag.name)}
                onRemove={hasScopes("user_tag:write") ? () => void remove(tag) : undefined}
              />
            ))}
          </ul>
        )}
      </Loading>
      {hasScopes("user_tag:write") && (
        <form class="row" onSubmit={add}>
          <TextInput
            class="grow"
            aria-label={words.ofCustomer.toAdd}
            placeholder={words.ofCustomer.toAdd}
            list="all-tags"
            maxLength={100}
            value={typed}
            onText={setTyped}
          />
          <datalist id="all-tags">
            {(all.value ?? [])
              .filter(({ slug }) => !tags.some((tag) => tag.slug === slug))
              .map(({ slug, name }) => (
                <option key={slug} value={name} />
              ))}
          </datalist>
          <Button text={words.ofCustomer.add} type="submit" />
        </form>
      )}
    </section>
  );
}
