/** The number of the first event a client wants: fly sends the header empty at first, then with the last it has seen. */
export function firstWanted(lastEventId: string | undefined): number | undefined {
  if (lastEventId === undefined || lastEventId === '') return 0;
  return /^\d+$/.test(lastEventId) ? Number(lastEventId) + 1 : undefined;
}
