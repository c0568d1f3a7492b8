import type { Locator, Page } from 'playwright-core';

/** No page of the tests has more places for the focus. */
const MOST_STOPS = 200;

/** Presses Tab, or Shift+Tab, until an element has the focus. */
export async function tabTo(page: Page, target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await target.first().waitFor();
  for (let stop = 0; stop < MOST_STOPS; stop++) {
    await page.keyboard.press(key);
    if (await target.first().evaluate(hasFocus)) return;
  }
  throw new Error(`${MOST_STOPS} times ${key} did not reach ${target}; the focus is on ${await focused(page)}`);
}

/** The same, then Enter. */
export async function enterAt(page: Page, target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await tabTo(page, target, key);
  await page.keyboard.press('Enter');
}

/** All places of the focus, from the one after the start of the page to its end, or backwards from its end. */
export async function stopsOf(page: Page, key: 'Tab' | 'Shift+Tab'): Promise<readonly string[]> {
  await page.evaluate('document.activeElement.blur(); document.getSelection().collapse(document.body, 0)');
  const stops: string[] = [];
  for (let stop = 0; stop < MOST_STOPS; stop++) {
    await page.keyboard.press(key);
    const name = await focused(page);
    if (name === 'body' || name === stops[0]) return stops;
    stops.push(name);
  }
  throw new Error(`${key} leads nowhere: ${stops.slice(-5).join(', ')}`);
}

/** Says which element has the focus. An element whose focus cannot be seen is named as such. */
function focused(page: Page): Promise<string> {
  return page.evaluate(`(() => {
    const element = document.activeElement;
    if (!element || element === document.body) return 'body';
    const { outlineStyle } = getComputedStyle(element);
    const text = element.cloneNode(true);
    for (const age of text.querySelectorAll('time, .number')) age.remove(); // they change meanwhile
    const name = element.getAttribute('aria-label') || element.title || text.textContent.trim();
    return element.tagName.toLowerCase() + ' ' + name + (outlineStyle === 'none' ? ' (invisible)' : '');
  })()`);
}

function hasFocus(element: { readonly ownerDocument?: { readonly activeElement: unknown } }): boolean {
  return element.ownerDocument?.activeElement === element;
}
