/** The number of the first event to send. fly's first header is empty; later ones hold the last event it has seen. */
export function firstWanted(lastEventId: string | undefined): number | undefined {
  if (lastEventId === undefined || lastEventId === '') return 0;
  return /^\d+$/.test(lastEventId) ? Number(lastEventId) + 1 : undefined;
}
