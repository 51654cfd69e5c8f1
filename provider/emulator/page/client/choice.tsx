import { SelectField } from "./fields";
import { go, link, type View } from "./route";
import { shortUrl } from "./texts";
import { Name } from "./ui";

/** Resources of a view to choose from: a list beside them, on a narrow window a select. */
export function Choice(props: {
  view: View;
  label: string;
  items: readonly { readonly url: string; readonly hint: string }[];
  chosen: string | undefined;
}) {
  const { view, label, items, chosen } = props;
  const isListed = items.some(({ url }) => url === chosen);
  return (
    <div class="choice">
      <nav class="choices" aria-label={label}>
        {items.map(({ url, hint }) => (
          <a key={url} href={link(view, url)} aria-current={url === chosen ? "true" : undefined}>
            <Name>{shortUrl(url)}</Name>
            {hint && <small>{hint}</small>}
          </a>
        ))}
      </nav>
      <SelectField
        label={label}
        value={(isListed && chosen) || ""}
        options={[
          ...(isListed ? [] : [["", "Choose …"] as const]),
          ...items.map(({ url, hint }) => [url, hint ? `${shortUrl(url)}: ${hint}` : shortUrl(url)] as const),
        ]}
        onChange={(url) => url && go(view, url)}
      />
    </div>
  );
}
