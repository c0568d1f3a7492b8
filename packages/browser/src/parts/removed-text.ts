/** How many things were removed, in a sentence. */
export function removedText(count: number, thing: string): string {
  if (count === 0) return `There was no ${thing} to remove.`;
  return count === 1 ? `1 ${thing} was removed.` : `${count.toLocaleString('en')} ${thing}s were removed.`;
}
