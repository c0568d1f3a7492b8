// Shapes after lucide (ISC licence), redrawn on a grid of 24.
const PATHS = {
  star: 'M12 3.500l2.6 5.3 5.9.9-4.2 4.1 1 5.8-5.3-2.8-5.3 2.8 1-5.8-4.2-4.1 5.9-.9z',
  pause: 'M9 5v14M15 5v14',
  play: 'M7 5l12 7-12 7z',
  go: 'M5 12h13M13 6l6 6-6 6',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM21 21l-5-5',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M4.9 4.900l1.4 1.400M17.7 17.700l1.4 1.400M2 12h2M20 12h2M4.9 19.100l1.4-1.400M17.7 6.300l1.4-1.4',
  moon: 'M20 14.500A8.5 8.5 0 1 1 9.5 4 6.8 6.8 0 0 0 20 14.500z',
  monitor: 'M3 4h18v12H3zM8 20h8M12 16v4',
  right: 'M9 6l6 6-6 6',
  down: 'M6 9l6 6 6-6',
  up: 'M6 15l6-6 6 6',
  alert: 'M12 4l9 16H3zM12 10v4M12 17.500v.1',
  plus: 'M12 5v14M5 12h14',
  minus: 'M5 12h14',
  fit: 'M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5',
  again: 'M3 12a9 9 0 1 0 3-6.700L3 8M3 3v5h5',
  stop: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM5.6 5.600l12.8 12.8',
  cards: 'M3 3h8v8H3zM13 3h8v8h-8zM3 13h8v8H3zM13 13h8v8h-8z',
  list: 'M4 6h16M4 12h16M4 18h16',
  comment: 'M4 5h16v11H11l-5 4v-4H4z',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  help: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM9.5 9.500a2.5 2.5 0 0 1 5 0c0 1.7-2.5 2-2.5 4M12 16.800v.1',
  pin: 'M9 3h6l-1 7 3 4H7l3-4zM12 14v7',
  check: 'M5 12.500l4.5 4.500L19 7',
  link: 'M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1',
  eye: 'M2 12s3.500-7 10-7 10 7 10 7-3.500 7-10 7S2 12 2 12zM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z',
  hidden:
    'M3 3l18 18M10 5.200A10 10 0 0 1 12 5c6.500 0 10 7 10 7a17 17 0 0 1-3 3.900M6.500 6.600A17 17 0 0 0 2 12s3.500 7 10 7a9.700 9.700 0 0 0 5-1.400M10 10a3 3 0 0 0 4.200 4.200',
  horn: 'M4 10v4h3l9 5V5l-9 5zM19 9a4 4 0 0 1 0 6M8 14l1.500 6',
  terminal: 'M3 4h18v16H3zM7 9l3 3-3 3M12 15h5',
  move: 'M9 6h.01M15 6h.01M9 12h.01M15 12h.01M9 18h.01M15 18h.01',
} as const;

export type IconName = keyof typeof PATHS;

/** A drawing beside or instead of a word. The element around it has the words. */
export function Icon({ name, isFilled = false }: { name: IconName; isFilled?: boolean }) {
  return (
    <svg class={isFilled ? 'icon icon-filled' : 'icon'} viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
