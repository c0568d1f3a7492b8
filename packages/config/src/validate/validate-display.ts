import type { DisplayConfig } from '../pipeline/pipeline.ts';
import { noMistakes, type SectionMistakes } from './section.ts';

/** The image may come from http, https or this server, so that nobody can inject a script. */
export function validateDisplay(display: DisplayConfig | undefined): SectionMistakes {
  const mistakes = noMistakes();
  const image = display?.background_image;
  if (image === undefined) return mistakes;
  const scheme = urlScheme(image);
  if (scheme === undefined) mistakes.errors.push(`background_image is not a valid URL: ${image}`);
  else if (!['', 'http', 'https'].includes(scheme)) {
    mistakes.errors.push('background_image scheme must be either http, https or relative');
  }
  return mistakes;
}

/** The scheme of a URL, empty for a relative reference. Undefined when the text is neither. */
function urlScheme(url: string): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(url)) return undefined;
  const [beforeFragment = ''] = url.split('#');
  if (/%(?![0-9a-fA-F]{2})/.test(beforeFragment)) return undefined;
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(beforeFragment)?.[1];
  if (scheme !== undefined) return scheme.toLowerCase();
  const [firstSegment = ''] = beforeFragment.split(/[/?]/);
  return firstSegment.includes(':') ? undefined : '';
}
