import { linkify } from '../build/log/linkify.ts';

/** A text whose addresses of the web are links. */
export function LinkedText({ text }: { text: string }) {
  return (
    <>
      {linkify(text).map(({ text: part, href }, i) =>
        href === undefined ? (
          part
        ) : (
          <a key={i} href={href} rel="noreferrer" target="_blank">
            {part}
          </a>
        ),
      )}
    </>
  );
}
