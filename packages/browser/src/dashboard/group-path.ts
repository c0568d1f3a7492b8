/** The address of the cards of all instances of one name: a search, as in Concourse. */
export function groupPath(team: string, name: string): string {
  return `/?search=${encodeURIComponent(`team:"${team}" group:"${name}"`)}`;
}
