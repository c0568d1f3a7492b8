import type { Route } from '../routes/routes.ts';

const SECTIONS = [
  ['dashboard', 'Pipelines', '/'],
  ['activity', 'Activity', '/activity'],
  ['workers', 'Workers', '/workers'],
] as const;

/** The pages about everything. */
export function Sections({ route }: { route: Route | undefined }) {
  return (
    <nav class="sections" aria-label="Sections">
      {SECTIONS.map(([page, text, href]) => (
        <a key={page} href={href} aria-current={route?.page === page ? 'page' : undefined}>
          {text}
        </a>
      ))}
    </nav>
  );
}
