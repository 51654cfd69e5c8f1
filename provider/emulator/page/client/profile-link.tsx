import { link } from "./route";
import { shortUrl } from "./texts";
import { Name } from "./ui";

/** A profile in a table: its name, which leads to it. */
export function ProfileLink({ url }: { url: string }) {
  return (
    <a class="profile" href={link("node", url)}>
      <Name>{shortUrl(url)}</Name>
    </a>
  );
}
